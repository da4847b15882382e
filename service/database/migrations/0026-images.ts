import { type Kysely, sql } from 'kysely';

/** Images that Teams uploaded, and the Portals that show them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Each content once in a Team. `used_at`: when it was last uploaded; unused ones are deleted some time after that.
  await sql`
    create table images (
      id uuid primary key,
      team_id uuid not null references teams on delete cascade,
      created_by uuid references users on delete set null,
      digest bytea not null,
      type text not null check (type in ('image/png', 'image/jpeg', 'image/webp', 'image/svg+xml')),
      width integer not null,
      height integer not null,
      size integer not null,
      created_at timestamptz(3) not null,
      used_at timestamptz(3) not null,
      unique (team_id, digest)
    )`.execute(db);
  await sql`create index images_used_at on images (used_at)`.execute(db);
  await sql`
    alter table portals
      add column logo_image_id uuid references images,
      add column background_image_id uuid references images`.execute(db);
  await sql`create index portals_logo_image on portals (logo_image_id) where logo_image_id is not null`.execute(db);
  await sql`create index portals_background_image on portals (background_image_id) where background_image_id is not null`.execute(db);
}
