import { type Context, createContext, useContext, useEffect } from 'react';

/** The languages of every page. A new one is an entry here, and a catalogue of messages in each page. */
export const languageNames = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languageNames;
export const languages = Object.keys(languageNames) as readonly Language[];

/** A page's messages in every language. */
export type Catalogues<Messages> = Readonly<Record<Language, Messages>>;

/** The same entries with other texts: what a translation must have. */
export type SameShape<T> = T extends (...args: infer A) => string
  ? (...args: A) => string
  : T extends string
    ? string
    : { readonly [K in keyof T]: SameShape<T[K]> };

/** A language of the page, its messages, and the BCP 47 tag by which numbers and dates are formatted. */
export interface Locale<Messages> {
  readonly language: Language;
  readonly tag: string;
  readonly messages: Messages;
}

/** The first of the wanted languages (BCP 47, most wanted first) that pages have messages in; English if none is. */
export function languageFor(wanted: readonly string[]): Pick<Locale<unknown>, 'language' | 'tag'> {
  for (const tag of wanted) {
    const language = languages.find((one) => one === tag.toLowerCase().split('-')[0]);
    if (language) return { language, tag };
  }
  return { language: 'en', tag: 'en' };
}

interface PageLocale<Messages> {
  /** Of `languageFor`. */
  readonly localeFor: (wanted: readonly string[]) => Locale<Messages>;
  readonly LocaleContext: Context<Locale<Messages>>;
  readonly useLocale: () => Locale<Messages>;
}

/** What a page needs to have its messages in the person's language. */
export function createLocale<Messages>(catalogues: Catalogues<Messages>): PageLocale<Messages> {
  const localeFor = (wanted: readonly string[]): Locale<Messages> => {
    const found = languageFor(wanted);
    return { ...found, messages: catalogues[found.language] };
  };
  const LocaleContext = createContext(localeFor([]));
  return { localeFor, LocaleContext, useLocale: () => useContext(LocaleContext) };
}

/** Tells the browser and screen readers the language of the page. */
export function useDocumentLanguage(language: Language): void {
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
}
