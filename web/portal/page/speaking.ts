import { useMemo } from 'react';
import { durationWords } from '../../common/duration.ts';
import { sizeWords } from '../../common/quantities.ts';
import { useTongue } from '../../words/portal.ts';

/** How sizes, numbers and times read in the page's language. */
export function useSpeaking() {
  const { words, locale } = useTongue();
  return useMemo(() => {
    const number = (value: number): string => new Intl.NumberFormat(locale).format(value);
    return {
      words,
      locale,
      number,
      size: (bytes: number) => sizeWords(bytes, locale),
      files: (count: number) => words.files(number(count), count === 1),
      time: (seconds: number) => durationWords(seconds, locale),
      day: (moment: string | number) => new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(moment)),
      moment: (moment: string | number | Date) =>
        new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(moment)),
    };
  }, [words, locale]);
}

export type Speaking = ReturnType<typeof useSpeaking>;
