import { createContext, useContext, useMemo } from 'react';
import { createFormat, type Format as FormatOf } from '../common/format.ts';
import { de } from './de/download.ts';
import { en, type Messages } from './en/download.ts';
import { type Locale, localeIn } from './locale.ts';

export type { Messages } from './en/download.ts';

/** The messages of the download page. */
export const localeFor = (wanted: readonly string[]): Locale<Messages> => localeIn({ en, de }, wanted);
export const LocaleContext = createContext<Locale<Messages>>(localeFor([]));
export const useLocale = (): Locale<Messages> => useContext(LocaleContext);

export type Format = FormatOf<Messages>;

export function useFormat(): Format {
  const locale = useLocale();
  return useMemo(() => createFormat(locale), [locale]);
}
