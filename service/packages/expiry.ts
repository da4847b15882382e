import { limits } from '#protocol/limits.ts';

/** What decides how long packages are kept that nobody has set an expiry for. */
export interface KeepingDefaults {
  readonly custom_expiry_enabled: boolean;
  /** Days. Negative: as long as the Team exists. */
  readonly custom_expiry_default: number;
  /** Days, of the Portal that the package came in through, going before the Team's. Negative: for ever. */
  readonly custom_expiry_days?: number | null;
}

const dayMilliseconds = 24 * 3600 * 1000;

/** When a package that is kept for the usual time, from `from` on, expires; null: never. */
export function usualExpiry(team: KeepingDefaults, from: Date): Date | null {
  const days = team.custom_expiry_days ?? (team.custom_expiry_enabled ? team.custom_expiry_default : limits.defaultExpiryDays);
  return days < 0 ? null : new Date(from.getTime() + days * dayMilliseconds);
}
