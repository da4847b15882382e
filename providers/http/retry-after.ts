/** Longest wait that a provider may ask for, in milliseconds; a job that waits longer is better put back into its queue. */
const longest = 5 * 60_000;

/** Milliseconds that a `Retry-After` header asks for, in seconds or as a date; 0 if it asks for nothing. */
export function retryAfterOf(header: string | undefined, now: Date): number {
  if (header === undefined || header.trim() === '') return 0;
  const milliseconds = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime();
  return Number.isFinite(milliseconds) ? Math.min(Math.max(milliseconds, 0), longest) : 0;
}
