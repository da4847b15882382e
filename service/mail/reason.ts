import type { MailLanguage } from '#protocol/mail-languages.ts';

export interface Reason {
  readonly text: string;
  /** What it is told in. */
  readonly language: MailLanguage;
}

/** Why something failed, in the language of a message as far as it is known there; else in English. */
export async function reasonIn(language: MailLanguage, text: string): Promise<Reason> {
  if (language === 'en' || text === '') return { text, language };
  // Few messages have one, and a service that mails none in German needs no such sentences.
  const [{ inGerman }, { germanSentences }] = await Promise.all([
    import('#protocol/german/in-german.ts'),
    import('#protocol/german/index.ts'),
  ]);
  const german = inGerman(germanSentences, text);
  return german === null ? { text, language: 'en' } : { text: german, language };
}
