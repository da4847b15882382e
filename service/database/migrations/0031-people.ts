import { type Kysely, sql } from 'kysely';

/** When each user was last seen; what a webhook was told, so that it can be told again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column seen_at timestamptz(3)`.execute(db);
  await sql`
    update users set seen_at = seen.at
    from (select user_id, max(last_seen_at) as at from sessions group by user_id) as seen
    where seen.user_id = users.id`.execute(db);
  await sql`
    alter table webhook_deliveries
      add column event jsonb,
      add column test boolean not null default false`.execute(db);
}
