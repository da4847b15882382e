import { type Kysely, sql } from 'kysely';

/** Checks also tell of rows that say something else than when they were written. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table integrity_findings drop constraint if exists integrity_findings_kind_check`.execute(db);
  await sql`
    alter table integrity_findings add constraint integrity_findings_kind_check
      check (kind in ('missing', 'damaged', 'altered', 'orphan', 'foreign', 'miscounted')) not valid`.execute(db);
  await sql`alter table integrity_findings validate constraint integrity_findings_kind_check`.execute(db);
}
