import { type Kysely, sql } from 'kysely';
import type { Database } from './database/schema/database.ts';
import { StartError } from './start-error.ts';

/** Facts of a database: in which folder or bucket the objects of its packages are. It has one of both at most. */
export type ObjectsHome = 'objects_folder' | 'objects_bucket';

const lock = 0x0b1ec7;

/**
 * Writes down where the objects are, unless that is known, and returns what is known. From one kind to the other a database
 * goes without files only: those that are there would look lost, and be taken for freed without being deleted. Errors:
 * `StartError`.
 */
export async function claimHome(db: Kysely<Database>, home: ObjectsHome, id: string): Promise<string> {
  return await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${lock})`.execute(trx);
    const facts = await trx
      .selectFrom('service_facts')
      .select(['name', 'value'])
      .where('name', 'in', ['objects_folder', 'objects_bucket'] satisfies ObjectsHome[])
      .execute();
    const known = facts.find(({ name }) => name === home);
    if (known) return known.value;
    const [other] = facts;
    if (other) {
      if (await trx.selectFrom('files').select('id').limit(1).executeTakeFirst()) throw elsewhere(home);
      await trx.deleteFrom('service_facts').where('name', '=', other.name).execute();
    }
    await trx.insertInto('service_facts').values({ name: home, value: id }).execute();
    return id;
  });
}

const elsewhere = (wanted: ObjectsHome): StartError =>
  new StartError(
    'storage_unusable',
    wanted === 'objects_bucket'
      ? 'The files of this database are in a folder (local storage), and do not move to a bucket by themselves. Leave out --storage-url (STORAGE_URL) until the last of them has expired, or give a database of its own to a service with that bucket.'
      : 'The files of this database are in a bucket. Give its address by --storage-url (STORAGE_URL).',
  );
