import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../database/schema/database.ts';

/** Packages per statement: a Teamspace with a million packages must not run into a timeout. */
const perStatement = 2_000;

/**
 * Moves most of a Teamspace's packages to another one in batches; packages locked by others are left to
 * `moveRemaining`. If interrupted, moved packages stay moved, and a retry moves the rest.
 */
export async function movePackages(db: Kysely<Database>, from: string, to: string): Promise<void> {
  for (let moved = perStatement; moved === perStatement; ) {
    const { numAffectedRows } = await sql`
      update packages set teamspace_id = ${to}
      where id in (select id from packages where teamspace_id = ${from} limit ${perStatement} for update skip locked)`.execute(db);
    moved = Number(numAffectedRows ?? 0n);
  }
}

/**
 * Moves the Portals, and then all remaining packages. A call that creates a package through a Portal locks the
 * Portal's row before it reads its Teamspace, until the package exists. So the Portals are locked first: this waits
 * for such calls, and later ones read the new Teamspace. Then it waits for packages locked by others.
 */
export async function moveRemaining(trx: Transaction<Database>, from: string, to: string): Promise<void> {
  await trx.selectFrom('portals').select('id').where('teamspace_id', '=', from).orderBy('id').forUpdate().execute();
  await trx.updateTable('portals').set({ teamspace_id: to }).where('teamspace_id', '=', from).execute();
  await trx.updateTable('packages').set({ teamspace_id: to }).where('teamspace_id', '=', from).execute();
}
