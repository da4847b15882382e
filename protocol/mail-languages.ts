/** Languages that the service writes mail in. */
export const mailLanguages = ['en', 'de'] as const;
export type MailLanguage = (typeof mailLanguages)[number];
