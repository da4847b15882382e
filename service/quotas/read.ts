import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Quotas } from '#protocol/hosted/quotas.ts';
import type { Database } from '../database/schema/database.ts';

/** First day of the month (UTC) of a moment, `2026-11-01`. */
export const monthOf = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`;

export interface QuotaColumns {
  readonly storage_limit: number | null;
  readonly storage_used: number | null;
  readonly traffic_limit: number | null;
  readonly traffic_used: number | null;
}

const trafficIn = (month: string): RawBuilder<number> =>
  sql`case when quotas.traffic_month >= ${month}::date then quotas.traffic_used else 0 end`;

/** The columns of `quotas` that are told. */
export const quotaColumns = (month: string): RawBuilder<unknown> =>
  sql`quotas.storage_limit, quotas.storage_used, quotas.traffic_limit, ${trafficIn(month)} as traffic_used`;

/** The largest share of a limit that is used, 1 for all of it. */
export const usedShare = (month: string): RawBuilder<unknown> => sql`
  greatest(
    coalesce(quotas.storage_used / nullif(quotas.storage_limit, 0)::numeric, 0),
    coalesce(${trafficIn(month)} / nullif(quotas.traffic_limit, 0)::numeric, 0))`;

export function toQuotas(row: QuotaColumns): Quotas {
  return {
    ...(row.storage_limit !== null && { storage: { limit: Number(row.storage_limit), used: Number(row.storage_used) } }),
    ...(row.traffic_limit !== null && { traffic: { limit: Number(row.traffic_limit), used: Number(row.traffic_used) } }),
  };
}

/** The limits of a Team, with what is used of them. */
export async function readTeamQuotas(db: Kysely<Database>, teamId: string, at: Date): Promise<Quotas> {
  const { rows } = await sql<QuotaColumns>`
    select ${quotaColumns(monthOf(at))} from quotas where holder_id = ${teamId}`.execute(db);
  return rows[0] ? toQuotas(rows[0]) : {};
}
