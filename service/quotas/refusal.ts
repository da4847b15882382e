import pg from 'pg';
import { ApiError } from '#protocol/errors.ts';

/** The state that the triggers of migration 0050 fail with. */
const overQuota = 'LQ001';

const errors = {
  team_storage: 'team_storage_full',
  portal_storage: 'portal_storage_full',
  team_traffic: 'team_traffic_used',
} as const;

/** What a failed statement says where files would pass a quota; null for every other failure. */
export function quotaRefusal(error: unknown): ApiError | null {
  if (!(error instanceof pg.DatabaseError) || error.code !== overQuota) return null;
  const { of, ...details } = JSON.parse(error.detail ?? '') as { of: keyof typeof errors; limit: number; used: number; asked: number };
  return new ApiError(errors[of], details, { cause: error });
}
