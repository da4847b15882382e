import { useMemo } from 'react';
import { useLocale } from './locale.ts';
import { momentWords, sizeWords } from './quantities.ts';

/** The page's words, and how sizes, numbers and times read in its language. */
export function useSpeaking() {
  const { messages, tag: locale } = useLocale();
  return useMemo(() => {
    const number = (value: number): string => new Intl.NumberFormat(locale).format(value);
    return {
      messages,
      locale,
      number,
      size: (bytes: number) => sizeWords(bytes, locale),
      files: (count: number) => messages.app.files(number(count), count === 1),
      day: (moment: string | number | Date) => new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(moment)),
      moment: (iso: string) => momentWords(iso, new Date(), locale),
    };
  }, [messages, locale]);
}

export type Speaking = ReturnType<typeof useSpeaking>;
