import { type Kysely, sql } from 'kysely';
import { plainArray, textArray } from '../../database/arrays.ts';
import type { Database } from '../../database/schema/database.ts';
import type { Selection } from './selection.ts';

/** Writes down what a transfer shall bring, in the transaction that adds it. */
export async function addItems(db: Kysely<Database>, transferId: string, files: Selection): Promise<void> {
  await sql`
    insert into cloud_import_items (transfer_id, position, source, name, kind)
    select ${transferId}::uuid, asked.number - 1, asked.source, asked.name, asked.kind
    from unnest(${textArray(files.map(({ id }) => id))}::text[], ${textArray(files.map(({ name }) => name))}::text[],
      ${plainArray(files.map(({ kind }) => kind))}::text[]) with ordinality as asked (source, name, kind, number)`.execute(db);
}
