import { type Kysely, sql } from 'kysely';

/** Whether a Team asks recipients for a mailed code: where a sender says nothing, and always. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table teams
      add column verify_recipient_default boolean not null default false,
      add column verify_recipient_required boolean not null default false`.execute(db);
}
