import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';

/** Date-times of the API: how they are formatted and parsed, and the expiry dates that follow from settings. */

const dayMilliseconds = 24 * 3600 * 1000;
const digits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

/**
 * A date-time in API format; null is the zero date-time. Formatted by hand, since `toISOString` takes twice as long
 * and a page of a list has 150.
 */
export function formatDateTime(at: Date | null): string {
  if (!at) return unsetDateTime;
  const year = at.getUTCFullYear();
  // This also throws for an invalid date.
  if (!(year >= 1_000 && year <= 9_999)) return at.toISOString();
  const day = `${year}-${digits[at.getUTCMonth() + 1]}-${digits[at.getUTCDate()]}`;
  const milliseconds = at.getUTCMilliseconds();
  const rest = milliseconds < 10 ? `00${milliseconds}` : milliseconds < 100 ? `0${milliseconds}` : milliseconds;
  return `${day}T${digits[at.getUTCHours()]}:${digits[at.getUTCMinutes()]}:${digits[at.getUTCSeconds()]}.${rest}Z`;
}

/**
 * Parses a date-time that a caller sent in `field`; absent and the zero date-time are null. The schema's format
 * accepts leap seconds, which a `Date` cannot represent: `invalid_request` naming the field.
 */
export function parseDateTime(text: string | undefined, field: string): Date | null {
  if (text === undefined) return null;
  const at = parse(text, field);
  return at.getTime() <= new Date(unsetDateTime).getTime() ? null : at;
}

function parse(text: string, field: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new ApiError('invalid_request', { detail: `${field}: there is no such moment as ${text}.` });
  return at;
}

/** One end of a range of times, as a condition. */
export type TimeBound = { readonly op: '>=' | '<=' | '<'; readonly at: Date };

/** The start of a range: the given moment, or the start of the given (UTC) day. Errors: `invalid_request`. */
export function parseRangeStart(text: string, field: string): TimeBound {
  return { op: '>=', at: parse(text, field) };
}

/** The end of a range: the given moment, or the end of the given (UTC) day. Errors: `invalid_request`. */
export function parseRangeEnd(text: string, field: string): TimeBound {
  const at = parse(text, field);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  return isDay ? { op: '<', at: new Date(at.getTime() + dayMilliseconds) } : { op: '<=', at };
}

/** The settings that decide how long a package without an explicit expiry is kept. */
interface RetentionDefaults {
  readonly custom_expiry_enabled: boolean;
  /** Days. Negative: as long as the Team exists. */
  readonly custom_expiry_default: number;
  /** Days, from the Portal that the package was received through; overrides the Team's setting. Negative: for ever. */
  readonly custom_expiry_days?: number | null;
  /** The most days; 0: no limit. */
  readonly max_expiry_days: number;
}

/** The default expiry of a package, counted from `from`; null: never. */
export function defaultExpiry(team: RetentionDefaults, from: Date): Date | null {
  const wanted = team.custom_expiry_days ?? (team.custom_expiry_enabled ? team.custom_expiry_default : limits.defaultExpiryDays);
  const { max_expiry_days: most } = team;
  const days = most > 0 && (wanted < 0 || wanted > most) ? most : wanted;
  return days < 0 ? null : daysAfter(from, days);
}

export const daysAfter = (from: Date, days: number): Date => new Date(from.getTime() + days * dayMilliseconds);

/**
 * When a file's download URL expires (contract/files-and-blueprints.md §9): an hour from now or at the requested time,
 * but never after the link's expiry nor more than 7 days from now. Null when the requested time is in the past.
 */
export function downloadExpiry(requested: Date | null, linkExpiry: Date | null, now: Date): Date | null {
  const after = (seconds: number) => now.getTime() + seconds * 1000;
  const wanted = requested?.getTime() ?? after(limits.downloadUrlDefaultSeconds);
  if (wanted <= now.getTime()) return null;
  return new Date(Math.min(wanted, after(limits.downloadUrlSeconds), linkExpiry?.getTime() ?? Number.POSITIVE_INFINITY));
}
