import { limits } from '#protocol/limits.ts';

/** What of a Team decides how long its packages are kept. */
export interface KeepingDefaults {
  readonly custom_expiry_enabled: boolean;
  /** Days. Negative: as long as the Team exists. */
  readonly custom_expiry_default: number;
}

const dayMilliseconds = 24 * 3600 * 1000;

/** When a package that is kept for its Team's usual time, from `from` on, expires; null: never. */
export function usualExpiry(team: KeepingDefaults, from: Date): Date | null {
  const days = team.custom_expiry_enabled ? team.custom_expiry_default : limits.defaultExpiryDays;
  return days < 0 ? null : new Date(from.getTime() + days * dayMilliseconds);
}
