import { type Kysely, sql } from 'kysely';

/** The CRC-32 of finalized files, stored after a zip has needed it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table files add column crc32 bigint`.execute(db);
}
