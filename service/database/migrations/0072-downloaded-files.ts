import { type Kysely, sql } from 'kysely';

/** What was downloaded: the first files of each download, whether there were more, and whether it was all as one zip. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table downloads
      add column file_ids uuid[] not null default '{}',
      add column more_files boolean not null default false,
      add column whole boolean not null default false`.execute(db);
}
