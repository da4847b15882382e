import { useMemo } from 'react';
import { createFormat, type Format as FormatOf, formatMoment } from '#ui/format.ts';
import { type Messages, useLocale } from './locale.ts';

export interface Format extends FormatOf<Messages> {
  /** As short as is clear. */
  readonly moment: (iso: string) => string;
}

/** The page's messages, and formatters for sizes, numbers and times in its language. */
export function useFormat(): Format {
  const locale = useLocale();
  return useMemo(
    () => ({
      ...createFormat(locale, locale.messages.app.files),
      moment: (iso) => formatMoment(iso, new Date(), locale.tag),
    }),
    [locale],
  );
}
