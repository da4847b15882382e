import type { Kysely } from 'kysely';
import pg from 'pg';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';

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
  const { of, limit, used, asked } = detailOf(error);
  return new ApiError(errors[of], { limit, used, asked }, { cause: error });
}

interface Detail {
  readonly of: keyof typeof errors;
  /** A Team's id, or a Portal's. */
  readonly holder: string;
  readonly limit: number;
  readonly used: number;
  readonly asked: number;
}

const detailOf = (error: pg.DatabaseError): Detail => JSON.parse(error.detail ?? '') as Detail;

/** One write for all refusals of this time: the row is the counter that other files wait for. */
const notedEveryMilliseconds = 3_600_000;

/**
 * Notes that something was refused, so that owners are told of it (tell.ts). After the transaction that failed, as it took
 * all with it that the trigger could have noted. Does nothing for other errors.
 */
export async function noteRefusal(db: Kysely<Database>, { cause }: ApiError, at: Date): Promise<void> {
  if (!(cause instanceof pg.DatabaseError) || cause.code !== overQuota) return;
  const { of, holder } = detailOf(cause);
  const column = of === 'team_traffic' ? 'traffic_refused_at' : 'storage_refused_at';
  await db
    .updateTable('quotas')
    .set({ [column]: at })
    .where('holder_id', '=', holder)
    .where((where) => where.or([where(column, 'is', null), where(column, '<', new Date(at.getTime() - notedEveryMilliseconds))]))
    .execute();
}
