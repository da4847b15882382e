/** Times of files, which disks keep in nanoseconds, Node takes in seconds, and the service in whole milliseconds. */

/** Half a microsecond: more than the rounding error of a number of seconds. */
const nudge = 5e-7;

/**
 * A time in milliseconds since 1970, for Node's `utimes`. A number of seconds is mostly slightly less than the exact
 * value, and the system truncates it, so that half of all times were a millisecond early. As text, since Node takes
 * numbers below zero for "now".
 */
export function secondsOf(milliseconds: number): string {
  return String(milliseconds / 1_000 + nudge);
}

/** The millisecond before it means that no time is set. */
const earliest = Date.parse('0001-01-01T00:00:00.001Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** A file's time for the service, rounded down to its millisecond, also before 1970. */
export function isoOf(milliseconds: number): string {
  const whole = Math.floor(Number.isFinite(milliseconds) ? milliseconds : 0);
  return new Date(Math.min(latest, Math.max(earliest, whole))).toISOString();
}
