import { useMemo } from 'react';
import { createLocale } from '#ui/locale.ts';
import { createPageFormat, type Format as FormatOf } from '../common/format.ts';
import { de } from './de/download.ts';
import { en, type Messages } from './en/download.ts';

export type { Messages } from './en/download.ts';

export const { localeFor, LocaleContext, useLocale } = createLocale<Messages>({ en, de });

export type Format = FormatOf<Messages>;

export function useFormat(): Format {
  const locale = useLocale();
  return useMemo(() => createPageFormat(locale), [locale]);
}
