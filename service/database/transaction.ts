import type { Kysely, Transaction } from 'kysely';
import type { Database } from './schema/database.ts';

/**
 * Runs work in a transaction: in the one that is already open, or else in a new one. An error thrown inside
 * and not caught undoes all of it, the outer part too.
 */
export async function inTransaction<T>(db: Kysely<Database>, work: (trx: Transaction<Database>) => Promise<T>): Promise<T> {
  return db.isTransaction ? await work(db as Transaction<Database>) : await db.transaction().execute(work);
}
