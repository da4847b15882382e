import { type Kysely, sql } from 'kysely';

/** Monitoring counts what was found of late. Of the findings most are files that are too large. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index scan_findings_infected on scan_findings (created_at) where kind = 'infected'`.execute(db);
}
