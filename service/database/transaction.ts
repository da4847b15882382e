import type { Kysely, Transaction } from 'kysely';
import type { Database } from './schema/database.ts';

/**
 * Runs work in the open transaction, or in a new one if there is none. An uncaught error rolls back all of it,
 * including the outer part.
 */
export async function inTransaction<T>(db: Kysely<Database>, work: (trx: Transaction<Database>) => Promise<T>): Promise<T> {
  return db.isTransaction ? await work(db as Transaction<Database>) : await db.transaction().execute(work);
}
