import { type Kysely, sql } from 'kysely';

/** Branding, defaults and policies that a Team sets for itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table teams
      add column primary_color text not null default '',
      add column logo_url text not null default '',
      add column background_url text not null default '',
      add column imprint_url text not null default '',
      add column privacy_url text not null default '',
      add column chunk_size_default bigint not null default 0,
      add column password_required boolean not null default false,
      add column public_links_allowed boolean not null default true,
      add column recipient_domains text[] not null default '{}',
      add column max_expiry_days integer not null default 0`.execute(db);
}
