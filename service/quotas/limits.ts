import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';

/** Bytes; null: no limit. */
export interface QuotaLimits {
  readonly storage: number | null;
  /** In a month of UTC. */
  readonly traffic: number | null;
}

interface Holder {
  readonly teamId: string;
  readonly portalId: string | null;
}

export const noLimits: QuotaLimits = { storage: null, traffic: null };

/** The limits of a Team or a Portal. */
export async function readLimits(db: Kysely<Database>, holderId: string): Promise<QuotaLimits> {
  const row = await db.selectFrom('quotas').select(['storage_limit', 'traffic_limit']).where('holder_id', '=', holderId).executeTakeFirst();
  return { storage: numberOr(row?.storage_limit), traffic: numberOr(row?.traffic_limit) };
}

const numberOr = (value: string | number | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

/**
 * Writes limits down in the caller's transaction. After its commit `countIfNew` counts: nothing is refused before,
 * unless the holder is new (`isEmpty`) and has no file yet. Of another limit it is told anew.
 */
export async function storeLimits(
  db: Kysely<Database>,
  { teamId, portalId }: Holder,
  { storage, traffic }: QuotaLimits,
  isEmpty = false,
): Promise<void> {
  const holderId = portalId ?? teamId;
  if (storage === null && traffic === null) {
    await db.deleteFrom('quotas').where('holder_id', '=', holderId).execute();
    return;
  }
  await sql`
    insert into quotas (holder_id, team_id, portal_id, storage_limit, traffic_limit, counted)
    values (${holderId}, ${teamId}, ${portalId}, ${storage}, ${traffic}, ${isEmpty})
    on conflict (holder_id) do update set
      storage_limit = excluded.storage_limit,
      storage_level = case when quotas.storage_limit is distinct from excluded.storage_limit then 0 else quotas.storage_level end,
      storage_refused_at = case when quotas.storage_limit is distinct from excluded.storage_limit then null else quotas.storage_refused_at end,
      traffic_limit = excluded.traffic_limit,
      traffic_level = case when quotas.traffic_limit is distinct from excluded.traffic_limit then 0 else quotas.traffic_level end,
      traffic_refused_at = case when quotas.traffic_limit is distinct from excluded.traffic_limit then null else quotas.traffic_refused_at end`.execute(
    db,
  );
}
