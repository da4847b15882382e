import { useMemo } from 'react';
import { momentWords, sizeWords } from './quantities.ts';
import { useTongue } from './words.ts';

/** The page's words, and how sizes, numbers and times read in its language. */
export function useSpeaking() {
  const { words, locale } = useTongue();
  return useMemo(() => {
    const number = (value: number): string => new Intl.NumberFormat(locale).format(value);
    return {
      words,
      locale,
      number,
      size: (bytes: number) => sizeWords(bytes, locale),
      files: (count: number) => words.app.files(number(count), count === 1),
      day: (moment: string | number | Date) => new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(moment)),
      moment: (iso: string) => momentWords(iso, new Date(), locale),
    };
  }, [words, locale]);
}

export type Speaking = ReturnType<typeof useSpeaking>;
