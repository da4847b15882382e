import { createContext, useContext } from 'react';

/** A page's messages in every language. */
export type Catalogues<Messages> = { readonly [L in Language]: Messages };
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** A language of the page, its messages, and the BCP 47 tag by which numbers and dates are formatted. */
export interface Locale<Messages> {
  readonly language: Language;
  readonly tag: string;
  readonly messages: Messages;
}

/** The first of the person's languages that has messages; English if none has. `wanted` are BCP 47 tags, most wanted first. */
export function localeIn<Messages>(catalogues: Catalogues<Messages>, wanted: readonly string[]): Locale<Messages> {
  for (const tag of wanted) {
    const language = languages.find((one) => one === tag.toLowerCase().split('-')[0]);
    if (language) return { language, tag, messages: catalogues[language] };
  }
  return { language: 'en', tag: 'en', messages: catalogues.en };
}

/** Changes the page's language. */
export const ChooseLanguage = createContext<(language: Language) => void>(() => undefined);
export const useChooseLanguage = (): ((language: Language) => void) => useContext(ChooseLanguage);
