import { sql } from 'kysely';
import type { JobContext } from '../jobs/context.ts';
import { imageKey } from './key.ts';

/** Hours between an upload and its use: long enough for somebody who fills in a page, and saves it after lunch. */
const unusedHours = 24;

/** The columns that hold images in use. Each has a foreign key, so that no used image can be deleted. */
const uses = [
  ['portals', 'logo_image_id'],
  ['portals', 'background_image_id'],
  ['teams', 'logo_image_id'],
  ['teams', 'background_image_id'],
] as const;

/** Deletes images that nothing shows. Their objects are freed by `sweepDeletedObjects`, which runs after this. */
export async function sweepImages({ db, now }: Pick<JobContext, 'db' | 'now'>): Promise<void> {
  const at = now();
  const before = new Date(at.getTime() - unusedHours * 3_600_000);
  const unused = sql.join(
    uses.map(([table, column]) => sql`not exists (select from ${sql.table(table)} where ${sql.ref(`${table}.${column}`)} = images.id)`),
    sql` and `,
  );
  await sql`
    with gone as (delete from images where used_at < ${before}::timestamptz and ${unused} returning id)
    insert into freed_objects (key, noted_at) select ${imageKey('')} || id::text, ${at}::timestamptz from gone
    on conflict (key) do nothing`.execute(db);
}
