/** `Retry-After` in seconds, whether it came as seconds or as a date; `null` if it did not come, or is neither. */
export function retryAfterSeconds(header: string | undefined, now: number = Date.now()): number | null {
  if (header === undefined) return null;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1_000));
}
