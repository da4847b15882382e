import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { newId } from '../ids.ts';
import { isWanted } from './record.ts';

/** So long before its end a package is told to expire. */
export const toldBeforeMilliseconds = 24 * 3_600_000;

/** Packages per statement. */
const batchSize = 200;

/**
 * Notes the packages that expire within a day, each once: `expiry_told` changes with it. One that was meant to live for
 * no longer than a day is not told.
 */
export async function noteExpiries(db: Kysely<Database>, at: Date, signal: AbortSignal): Promise<void> {
  const until = new Date(at.getTime() + toldBeforeMilliseconds);
  for (;;) {
    signal.throwIfAborted();
    const ids = Array.from({ length: batchSize }, () => newId());
    const { rows } = await sql`
      with due as (
        select id from packages
        where state = 'finalized' and expiry is not null and not expiry_told and expiry <= ${until}::timestamptz
        order by expiry limit ${batchSize} for no key update skip locked
      ), told as (
        update packages set expiry_told = true from due where packages.id = due.id
        returning packages.*
      ), wanted as (
        select packages.id, packages.expiry, row_number() over () as place from told as packages
        where packages.expiry > ${at}::timestamptz
          and coalesce(packages.finalized_at, packages.created_at) < packages.expiry - interval '24 hours'
          and ${isWanted('expires')}
      ), noted as (
        insert into notices (id, package_id, kind, subject, created_at)
        select (${ids}::uuid[])[wanted.place], wanted.id, 'expires', extract(epoch from wanted.expiry)::text, ${at}::timestamptz from wanted
        on conflict do nothing
      )
      select 1 from told`.execute(db);
    if (rows.length < batchSize) return;
  }
}
