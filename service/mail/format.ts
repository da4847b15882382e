import type { MailLanguage } from './language.ts';

/** Numbers and times as messages write them. */

const locales: Readonly<Record<MailLanguage, string>> = { en: 'en-GB', de: 'de-DE' };

/** Made at their first use: two of them are 18 ms of a start. */
const moments = new Map<MailLanguage, Intl.DateTimeFormat>();

function momentsIn(language: MailLanguage): Intl.DateTimeFormat {
  const made =
    moments.get(language) ?? new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  moments.set(language, made);
  return made;
}

/** `28 November 2026 at 14:00 UTC`. Readers may be in any time zone, so only UTC is right for all. */
export const formatMoment = (at: Date, language: MailLanguage): string => `${momentsIn(language).format(at)} UTC`;

const days = new Map<MailLanguage, Intl.DateTimeFormat>();

/** `28 November 2026`, of a date as forms have it (`2026-11-28`); any other text as it is. */
export function formatDay(text: string, language: MailLanguage): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  if (at === null || Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== text) return text;
  const format = days.get(language) ?? new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeZone: 'UTC' });
  days.set(language, format);
  return format.format(at);
}

export const formatCount = (count: number, language: MailLanguage): string => count.toLocaleString(locales[language]);

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** `1.4 GB`: decimal units, as on the download page. */
export function formatBytes(bytes: number, language: MailLanguage): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const unitDisplay = unit === 0 ? 'long' : 'short';
  const maximumFractionDigits = value >= 99.95 ? 0 : 1;
  const options = { style: 'unit', unit: units[unit]!, unitDisplay, maximumFractionDigits } as const;
  return new Intl.NumberFormat(locales[language], options).format(value).replaceAll('\u00a0', ' ');
}

const file: Readonly<Record<MailLanguage, (count: string, isOne: boolean) => string>> = {
  en: (count, isOne) => (isOne ? '1 file' : `${count} files`),
  de: (count, isOne) => (isOne ? '1 Datei' : `${count} Dateien`),
};

/** `3 files, 1.4 GB`. */
export const formatContent = (files: number, bytes: number, language: MailLanguage): string =>
  `${file[language](formatCount(files, language), files === 1)}, ${formatBytes(bytes, language)}`;
