import { createContext, useContext } from 'react';

/** A page's words in each language there is. */
export type Catalogues<Words> = { readonly [L in Language]: Words };
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** A language that the page speaks and how numbers and days read in it. */
export interface Tongue<Words> {
  readonly language: Language;
  readonly locale: string;
  readonly words: Words;
}

/** The first of the person's languages that there are words in. English where there is none. */
export function tongueIn<Words>(catalogues: Catalogues<Words>, wanted: readonly string[]): Tongue<Words> {
  for (const locale of wanted) {
    const language = languages.find((one) => one === locale.toLowerCase().split('-')[0]);
    if (language) return { language, locale, words: catalogues[language] };
  }
  return { language: 'en', locale: 'en', words: catalogues.en };
}

/** Changes the page's language. */
export const ChooseLanguage = createContext<(language: Language) => void>(() => undefined);
export const useChooseLanguage = (): ((language: Language) => void) => useContext(ChooseLanguage);
