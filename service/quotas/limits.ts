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
 * Writes limits down in the caller's transaction. True: the row is new, and nothing is refused before `countFirst` has
 * counted, after the commit.
 */
export async function storeLimits(db: Kysely<Database>, { teamId, portalId }: Holder, { storage, traffic }: QuotaLimits): Promise<boolean> {
  const holderId = portalId ?? teamId;
  if (storage === null && traffic === null) {
    await db.deleteFrom('quotas').where('holder_id', '=', holderId).execute();
    return false;
  }
  const { rows } = await sql<{ counted: boolean }>`
    insert into quotas (holder_id, team_id, portal_id, storage_limit, traffic_limit)
    values (${holderId}, ${teamId}, ${portalId}, ${storage}, ${traffic})
    on conflict (holder_id) do update set storage_limit = excluded.storage_limit, traffic_limit = excluded.traffic_limit
    returning counted`.execute(db);
  return !rows[0]!.counted;
}
