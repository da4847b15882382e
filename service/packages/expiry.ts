import { limits } from '#protocol/limits.ts';

/** The settings that decide how long a package without an explicit expiry is kept. */
export interface RetentionDefaults {
  readonly custom_expiry_enabled: boolean;
  /** Days. Negative: as long as the Team exists. */
  readonly custom_expiry_default: number;
  /** Days, from the Portal that the package was received through; overrides the Team's setting. Negative: for ever. */
  readonly custom_expiry_days?: number | null;
}

const dayMilliseconds = 24 * 3600 * 1000;

/** The default expiry of a package, counted from `from`; null: never. */
export function defaultExpiry(team: RetentionDefaults, from: Date): Date | null {
  const days = team.custom_expiry_days ?? (team.custom_expiry_enabled ? team.custom_expiry_default : limits.defaultExpiryDays);
  return days < 0 ? null : new Date(from.getTime() + days * dayMilliseconds);
}
