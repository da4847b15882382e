import { useMemo } from 'react';
import { createFormat, type Format as FormatOf, formatMoment } from '#ui/format.ts';
import { type Messages, useLocale } from './locale.ts';

export interface Format extends FormatOf<Messages> {
  /** As short as is clear. */
  readonly moment: (iso: string) => string;
  /** With its day, also where that is today: `today, 14:05`. */
  readonly dated: (iso: string) => string;
}

/** A moment with its day, in words where that is today or yesterday. */
export function formatDated(iso: string, now: Date, tag: string): string {
  const midnight = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(now) - midnight(new Date(iso))) / 86_400_000);
  if (days !== 0 && days !== 1) return formatMoment(iso, now, tag);
  const time = new Intl.DateTimeFormat(tag, { timeStyle: 'short' }).format(new Date(iso));
  return `${new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }).format(-days, 'day')}, ${time}`;
}

/** The page's messages, and formatters for sizes, numbers and times in its language. */
export function useFormat(): Format {
  const locale = useLocale();
  return useMemo(
    () => ({
      ...createFormat(locale, locale.messages.app.files),
      moment: (iso) => formatMoment(iso, new Date(), locale.tag),
      dated: (iso) => formatDated(iso, new Date(), locale.tag),
    }),
    [locale],
  );
}
