import { createFormat, type Format as FormatOf, formatDuration } from '#ui/format.ts';
import type { Locale } from '#ui/locale.ts';

/** The messages that every page has. */
interface CommonMessages {
  readonly files: (count: string, one: boolean) => string;
}

export interface Format<Messages> extends FormatOf<Messages> {
  /** Formats a duration in seconds. */
  readonly duration: (seconds: number) => string;
  /** Formats a date with its time. */
  readonly moment: (moment: string | number | Date) => string;
}

export const createPageFormat = <Messages extends CommonMessages>(locale: Locale<Messages>): Format<Messages> => ({
  ...createFormat(locale, locale.messages.files),
  duration: (seconds) => formatDuration(seconds, locale.tag),
  moment: (moment) => new Intl.DateTimeFormat(locale.tag, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(moment)),
});
