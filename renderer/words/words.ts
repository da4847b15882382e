import { createContext, useContext } from 'react';
import { de } from './de/index.ts';
import { en } from './en/index.ts';
import type { Words } from './shape.ts';

export type { Words } from './shape.ts';

/** Every language that the page speaks. A new one is a folder beside `en` and an entry here. */
export const catalogues = { en, de } as const satisfies Readonly<Record<string, Words>>;
export type Language = keyof typeof catalogues;

/** A language that the page speaks and how numbers and days read in it. */
export interface Tongue {
  readonly language: Language;
  /** A BCP 47 tag for `Intl`. */
  readonly locale: string;
  readonly words: Words;
}

/** The first of the person's languages that there are words in. English where there is none. */
export function tongueFor(languages: readonly string[]): Tongue {
  for (const locale of languages) {
    const language = locale.toLowerCase().split('-')[0]!;
    if (Object.hasOwn(catalogues, language)) return { language: language as Language, locale, words: catalogues[language as Language] };
  }
  return { language: 'en', locale: 'en', words: en };
}

export const TongueContext = createContext<Tongue>(tongueFor([]));
export const useTongue = (): Tongue => useContext(TongueContext);
