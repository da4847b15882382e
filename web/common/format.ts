import type { Locale } from '../messages/locale.ts';
import { formatDuration } from './duration.ts';
import { formatSize } from './quantities.ts';

/** The part that every message catalogue has. */
interface CountMessages {
  readonly files: (count: string, one: boolean) => string;
}

/** Formats sizes, numbers and times in the page's language. */
export interface Format<Messages> {
  readonly messages: Messages;
  readonly locale: string;
  readonly number: (value: number) => string;
  /** Formats a number of bytes. */
  readonly size: (bytes: number) => string;
  readonly files: (count: number) => string;
  /** Formats a duration in seconds. */
  readonly time: (seconds: number) => string;
  readonly day: (moment: string | number) => string;
  readonly moment: (moment: string | number | Date) => string;
}

export function createFormat<Messages extends CountMessages>({
  messages,
  tag: locale,
}: Pick<Locale<Messages>, 'messages' | 'tag'>): Format<Messages> {
  const number = (value: number): string => new Intl.NumberFormat(locale).format(value);
  return {
    messages,
    locale,
    number,
    size: (bytes) => formatSize(bytes, locale),
    files: (count) => messages.files(number(count), count === 1),
    time: (seconds) => formatDuration(seconds, locale),
    day: (moment) => new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(moment)),
    moment: (moment) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(moment)),
  };
}
