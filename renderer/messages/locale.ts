import { createContext, useContext } from 'react';
import { type Language, type Locale as LocaleOf, languageFor } from '#ui/locale.ts';
import type { Messages } from './shape.ts';

export type { Messages } from './shape.ts';
export type Locale = LocaleOf<Messages>;

/** Each language is a file of its own, so that a visit loads one. */
const loaders: Readonly<Record<Language, () => Promise<Messages>>> = {
  en: async () => (await import('./en/index.ts')).en,
  de: async () => (await import('./de/index.ts')).de,
};

/** The messages in the first of the wanted languages (BCP 47) that has some. Rejects where they cannot be loaded. */
export async function loadLocale(wanted: readonly string[]): Promise<Locale> {
  const found = languageFor(wanted);
  return { ...found, messages: await loaders[found.language]() };
}

export const LocaleContext = createContext<Locale | null>(null);

export function useLocale(): Locale {
  const locale = useContext(LocaleContext);
  if (!locale) throw new Error('LocaleContext is missing above this component.');
  return locale;
}
