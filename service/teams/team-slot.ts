import { sql, type Transaction } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { Database } from '../database/schema/database.ts';
import { lockTeam } from './team-lock.ts';

/** Tables whose rows are a Team's, and which it may have so many of. */
type Counted = 'api_keys' | 'cloud_connections' | 'custom_webhooks' | 'filters' | 'storage_gateways' | 'tags';

/** Their deleted rows stay for a while, and take no slot. */
const keepsDeleted: ReadonlySet<Counted> = new Set(['cloud_connections', 'custom_webhooks']);

/**
 * Locks a Team and checks that it has fewer than `most` of something, in the transaction that adds one. Without the lock,
 * all calls that come at once would count before the first of them adds. Errors: `over_limit` with `detail`.
 */
export async function requireTeamSlot(
  trx: Transaction<Database>,
  teamId: string,
  { table, most, detail }: { readonly table: Counted; readonly most: number; readonly detail: string },
): Promise<void> {
  await lockTeam(trx, teamId);
  const live = keepsDeleted.has(table) ? sql`and deleted_at is null` : sql``;
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from ${sql.table(table)} where team_id = ${teamId} ${live}`.execute(trx);
  if (Number(rows[0]!.count) >= most) throw new ApiError('over_limit', { detail });
}
