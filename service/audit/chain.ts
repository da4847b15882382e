import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { chainHash, chainStart } from './hash.ts';

/** Entries that get their places in one transaction. */
const perTransaction = 1_000;

/** Namespace of the advisory locks, one for each Team. */
const chainLock = 0x0a0d17;

export interface ChainHead {
  readonly position: number;
  readonly hash: Buffer;
}

/** The newest link of a Team's chain; before the first one position 0. */
export async function chainHead(db: Kysely<Database>, teamId: string): Promise<ChainHead> {
  const last = await db
    .selectFrom('audit_chain')
    .select(['position', 'hash'])
    .where('team_id', '=', teamId)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last ?? (await chainAnchor(db, teamId));
}

/** What the first kept link builds on: the last entry that retention has removed, or nothing. */
export async function chainAnchor(db: Kysely<Database>, teamId: string): Promise<ChainHead> {
  const anchor = await db.selectFrom('audit_anchors').select(['position', 'hash']).where('team_id', '=', teamId).executeTakeFirst();
  return anchor ?? { position: 0, hash: chainStart(teamId) };
}

/** One writer of a Team's chain at a time, until the transaction ends. Those who append entries do not take this lock. */
export async function lockChain(trx: Transaction<Database>, teamId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${chainLock}, hashtext(${teamId}))`.execute(trx);
}

/**
 * Gives the pending entries of a Team their places in the chain, in the order of their ids. An entry whose transaction
 * is committed later than those of younger entries gets a later place.
 */
export async function chainPending(db: Kysely<Database>, teamId: string): Promise<void> {
  for (let chained = perTransaction; chained === perTransaction; ) {
    chained = await inTransaction(db, async (trx) => {
      await lockChain(trx, teamId);
      const rows = await trx
        .selectFrom('audit_pending')
        .innerJoin('audit_entries', 'audit_entries.id', 'audit_pending.entry_id')
        .selectAll('audit_entries')
        .where('audit_pending.team_id', '=', teamId)
        .orderBy('audit_pending.entry_id')
        .limit(perTransaction)
        .execute();
      if (rows.length === 0) return 0;
      let { position, hash } = await chainHead(trx, teamId);
      const links = rows.map((row) => {
        position += 1;
        hash = chainHash(hash, row);
        return { team_id: teamId, position, entry_id: row.id, hash };
      });
      await trx.insertInto('audit_chain').values(links).execute();
      const ids = rows.map(({ id }) => id);
      await trx.deleteFrom('audit_pending').where(sql<boolean>`entry_id = any(${ids}::uuid[])`).execute();
      return rows.length;
    });
  }
}

/** The same for every Team that has pending entries. */
export async function chainAllPending(db: Kysely<Database>): Promise<void> {
  const teams = await db.selectFrom('audit_pending').select('team_id').distinct().execute();
  for (const { team_id: teamId } of teams) await chainPending(db, teamId);
}
