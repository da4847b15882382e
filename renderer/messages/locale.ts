import { createContext, useContext } from 'react';
import { de } from './de/index.ts';
import { en } from './en/index.ts';
import type { Messages } from './shape.ts';

export type { Messages } from './shape.ts';

/** The messages of every language of the page. A new language is a folder beside `en` and an entry here. */
export const catalogues = { en, de } as const satisfies Readonly<Record<string, Messages>>;
export type Language = keyof typeof catalogues;

/** A language of the page, its messages, and the tag by which numbers and dates are formatted. */
export interface Locale {
  readonly language: Language;
  /** A BCP 47 tag for `Intl`. */
  readonly tag: string;
  readonly messages: Messages;
}

/** The first of the person's languages that has messages; English if none has. `languages` are BCP 47 tags, most wanted first. */
export function localeFor(languages: readonly string[]): Locale {
  for (const tag of languages) {
    const language = tag.toLowerCase().split('-')[0]!;
    if (Object.hasOwn(catalogues, language)) return { language: language as Language, tag, messages: catalogues[language as Language] };
  }
  return { language: 'en', tag: 'en', messages: en };
}

export const LocaleContext = createContext<Locale>(localeFor([]));
export const useLocale = (): Locale => useContext(LocaleContext);
