import { type Kysely, sql } from 'kysely';

/** The scope of a webhook: the packages of the Portals that it is attached to, or every package of its Team. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table custom_webhooks add column scope text not null default 'portals' check (scope in ('portals', 'team'))`.execute(db);
}
