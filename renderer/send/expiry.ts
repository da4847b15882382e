/**
 * How long a package can be downloaded: the Team's default, a number of days, until the end of a day, or without limit.
 */
export type Expiry =
  | { readonly kind: 'team' }
  | { readonly kind: 'days'; readonly days: number }
  | { readonly kind: 'date'; readonly day: string }
  | { readonly kind: 'never' };

export const offeredDays = [1, 3, 7, 14, 30, 90] as const;

/**
 * The matching fields of a request; null for a past or invalid day. `day` is a date as `2026-12-24`, in the person's
 * own time zone.
 */
export function expiryRequest(expiry: Expiry, now: Date): { expiry?: string; unlimited_storage?: boolean } | null {
  switch (expiry.kind) {
    case 'team':
      return {};
    case 'never':
      return { unlimited_storage: true };
    case 'days':
      return { expiry: new Date(now.getTime() + expiry.days * 86_400_000).toISOString() };
    case 'date': {
      const [year, month, day] = expiry.day.split('-').map(Number);
      const end = new Date(year!, month! - 1, day!, 23, 59, 59);
      return end.getTime() > now.getTime() ? { expiry: end.toISOString() } : null;
    }
  }
}
