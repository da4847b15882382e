import { limits } from '#protocol/limits.ts';

/**
 * When a file's address expires (contract/files-and-blueprints.md §9): an hour from now or at the requested time, but
 * never after the link's expiry nor more than 7 days from now. Null when the requested time is in the past.
 */
export function downloadExpiry(asked: Date | null, linkEnd: Date | null, now: Date): Date | null {
  const at = (seconds: number) => now.getTime() + seconds * 1000;
  const wanted = asked?.getTime() ?? at(limits.downloadUrlDefaultSeconds);
  if (wanted <= now.getTime()) return null;
  return new Date(Math.min(wanted, at(limits.downloadUrlSeconds), linkEnd?.getTime() ?? Number.POSITIVE_INFINITY));
}
