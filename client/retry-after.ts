/** `Retry-After` in seconds, from a number or a date; `null` if it is missing or invalid. */
export function retryAfterSeconds(header: string | undefined, now: number = Date.now()): number | null {
  if (header === undefined) return null;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header);
  // An HTTP date begins with its weekday. Without this check `Date.parse` reads "-1" as a year.
  const date = /^\s*[A-Za-z]{3}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1_000));
}
