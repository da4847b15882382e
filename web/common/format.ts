import { createFormat, type Format as FormatOf, formatDuration } from '#ui/format.ts';
import type { Locale } from '#ui/locale.ts';
import type { Said } from './service-sentences.ts';

/** The messages that every page has. */
export interface CommonMessages {
  readonly files: (count: string, one: boolean) => string;
}

export interface Format<Messages> extends FormatOf<Messages> {
  /** Formats a duration in seconds. */
  readonly duration: (seconds: number) => string;
  /** Formats a date with its time. */
  readonly moment: (moment: string | number | Date) => string;
  /** What the service says. */
  readonly said: Said;
}

export const createPageFormat = <Messages extends CommonMessages>(locale: Locale<Messages>, german: Said): Format<Messages> => ({
  ...createFormat(locale, locale.messages.files),
  duration: (seconds) => formatDuration(seconds, locale.tag),
  moment: (moment) => new Intl.DateTimeFormat(locale.tag, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(moment)),
  said: locale.language === 'de' ? german : (text) => text,
});
