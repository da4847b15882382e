import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { chainPending, lockChain } from './chain.ts';

/** Entries removed per transaction. */
const perTransaction = 2_000;

/**
 * Removes what is older than a Team keeps its log. Only from the beginning of the chain and without a gap, and the last
 * removed link stays as the anchor that the rest is verified from.
 */
export async function removeOldEntries(db: Kysely<Database>, now: Date): Promise<void> {
  const teams = await db.selectFrom('teams').select(['id', 'audit_retention_days']).where('audit_retention_days', '>', 0).execute();
  for (const { id, audit_retention_days: days } of teams) {
    const before = new Date(now.getTime() - days * 24 * 3_600_000);
    const due = await db
      .selectFrom('audit_entries')
      .select('id')
      .where('team_id', '=', id)
      .where('at', '<', before)
      .limit(1)
      .executeTakeFirst();
    if (!due) continue;
    await chainPending(db, id);
    while ((await removeSome(db, id, before, now)) === perTransaction);
  }
}

async function removeSome(db: Kysely<Database>, teamId: string, before: Date, now: Date): Promise<number> {
  return await inTransaction(db, async (trx) => {
    await lockChain(trx, teamId);
    const oldest = await trx
      .selectFrom('audit_chain')
      .innerJoin('audit_entries', 'audit_entries.id', 'audit_chain.entry_id')
      .select(['audit_chain.position', 'audit_chain.hash', 'audit_entries.id', 'audit_entries.at'])
      .where('audit_chain.team_id', '=', teamId)
      .orderBy('audit_chain.position')
      .limit(perTransaction)
      .execute();
    const kept = oldest.findIndex(({ at }) => at >= before);
    const removed = kept === -1 ? oldest : oldest.slice(0, kept);
    const last = removed.at(-1);
    if (!last) return 0;
    const anchor = { position: last.position, hash: last.hash, removed_at: now };
    await trx
      .insertInto('audit_anchors')
      .values({ team_id: teamId, ...anchor })
      .onConflict((conflict) => conflict.column('team_id').doUpdateSet(anchor))
      .execute();
    // The triggers let this transaction delete, and no other.
    await sql`set local longshore.audit_retention = 'on'`.execute(trx);
    await trx.deleteFrom('audit_chain').where('team_id', '=', teamId).where('position', '<=', last.position).execute();
    const ids = removed.map(({ id }) => id);
    await trx.deleteFrom('audit_entries').where(sql<boolean>`id = any(${ids}::uuid[])`).execute();
    await sql`set local longshore.audit_retention = 'off'`.execute(trx);
    return removed.length;
  });
}
