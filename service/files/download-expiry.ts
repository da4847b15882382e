import { limits } from '#protocol/limits.ts';

/**
 * When a file's address stops working (interface §4.3): an hour from now or when asked, but never after the
 * link's end nor more than 7 days away. Null when the time asked for has passed already.
 */
export function downloadExpiry(asked: Date | null, linkEnd: Date | null, now: Date): Date | null {
  const at = (seconds: number) => now.getTime() + seconds * 1000;
  const wanted = asked?.getTime() ?? at(limits.downloadUrlDefaultSeconds);
  if (wanted <= now.getTime()) return null;
  return new Date(Math.min(wanted, at(limits.downloadUrlSeconds), linkEnd?.getTime() ?? Number.POSITIVE_INFINITY));
}
