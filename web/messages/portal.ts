import { createLocale } from '#ui/locale.ts';
import type { Format as FormatOf } from '../common/format.ts';
import { usePageFormat } from '../common/use-page-format.ts';
import { de } from './de/portal.ts';
import { en, type Messages } from './en/portal.ts';

export type { Messages } from './en/portal.ts';

export const { localeFor, LocaleContext, useLocale } = createLocale<Messages>({ en, de });

export type Format = FormatOf<Messages>;

export const useFormat = (): Format => usePageFormat(useLocale());
