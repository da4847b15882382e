import type { Locale } from './locale.ts';

/** Sizes, durations, numbers and dates as people read them. Without a tag they are in the browser's language. */

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** A size in decimal units, e.g. `4.2 GB`. */
export function formatSize(bytes: number, tag?: string): string {
  const power = bytes < 1 ? 0 : Math.min(sizeUnits.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return new Intl.NumberFormat(tag, {
    style: 'unit',
    unit: sizeUnits[power],
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 || value >= 100 ? 0 : 1,
  }).format(value);
}

/** Seconds in their largest unit, in two units from an hour to two days: `1 hour 20 minutes`, `45 seconds`, `3 days`. */
export function formatDuration(seconds: number, tag?: string): string {
  const unit = (value: number, name: string): string =>
    new Intl.NumberFormat(tag, { style: 'unit', unit: name, unitDisplay: 'long', maximumFractionDigits: 0 }).format(value);
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return unit(whole, 'second');
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return unit(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return unit(Math.round(hours / 24), 'day');
  return minutes % 60 === 0 ? unit(hours, 'hour') : `${unit(hours, 'hour')} ${unit(minutes % 60, 'minute')}`;
}

/** Digits of an hour: `9:05 PM`, but `09:05` where a day has 24. */
export function hourDigits(tag: string): 'numeric' | '2-digit' {
  return new Intl.DateTimeFormat(tag, { hour: 'numeric' }).resolvedOptions().hour12 ? 'numeric' : '2-digit';
}

/** A moment, as short as is clear: the time today, the date and the time on other days. */
export function formatMoment(iso: string, now: Date, tag: string): string {
  const at = new Date(iso);
  const sameDay = at.toDateString() === now.toDateString();
  const sameYear = at.getFullYear() === now.getFullYear();
  return new Intl.DateTimeFormat(tag, {
    ...(sameDay ? {} : { day: 'numeric', month: 'short' }),
    ...(sameDay || sameYear ? {} : { year: 'numeric' }),
    hour: hourDigits(tag),
    minute: '2-digit',
  }).format(at);
}

/** A page's messages, and formatters in its language. */
export interface Format<Messages> {
  readonly messages: Messages;
  /** BCP 47. */
  readonly tag: string;
  readonly number: (value: number) => string;
  /** Formats a number of bytes. */
  readonly size: (bytes: number) => string;
  /** Formats a number of files. */
  readonly files: (count: number) => string;
  readonly day: (moment: string | number | Date) => string;
}

/** `filesText` says a number of files in the page's language, given the formatted number and whether it is one. */
export function createFormat<Messages>(
  { messages, tag }: Pick<Locale<Messages>, 'messages' | 'tag'>,
  filesText: (count: string, one: boolean) => string,
): Format<Messages> {
  const number = (value: number): string => new Intl.NumberFormat(tag).format(value);
  return {
    messages,
    tag,
    number,
    size: (bytes) => formatSize(bytes, tag),
    files: (count) => filesText(number(count), count === 1),
    day: (moment) => new Intl.DateTimeFormat(tag, { dateStyle: 'long' }).format(new Date(moment)),
  };
}
