import { type Kysely, sql } from 'kysely';

/** Uploaded images that a Team's pages show where a Portal has none of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table teams
      add column logo_image_id uuid references images,
      add column background_image_id uuid references images`.execute(db);
  await sql`create index teams_logo_image on teams (logo_image_id) where logo_image_id is not null`.execute(db);
  await sql`create index teams_background_image on teams (background_image_id) where background_image_id is not null`.execute(db);
}
