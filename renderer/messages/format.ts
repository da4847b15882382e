import { useMemo } from 'react';
import { useLocale } from './locale.ts';
import { formatMoment, formatSize } from './quantities.ts';

/** The page's messages, and formatters for sizes, numbers and times in its language. */
export function useFormat() {
  const { messages, tag: locale } = useLocale();
  return useMemo(() => {
    const number = (value: number): string => new Intl.NumberFormat(locale).format(value);
    return {
      messages,
      locale,
      number,
      size: (bytes: number) => formatSize(bytes, locale),
      files: (count: number) => messages.app.files(number(count), count === 1),
      day: (moment: string | number | Date) => new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(moment)),
      moment: (iso: string) => formatMoment(iso, new Date(), locale),
    };
  }, [messages, locale]);
}

export type Format = ReturnType<typeof useFormat>;
