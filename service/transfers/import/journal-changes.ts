import { type Kysely, type RawBuilder, sql } from 'kysely';
import { plainArray, textArray } from '../../database/arrays.ts';
import type { Database } from '../../database/schema/database.ts';
import type { ImportChange } from './ports.ts';

type ChangeOf<Kind extends ImportChange['kind']> = Extract<ImportChange, { readonly kind: Kind }>;
type Writer<Kind extends ImportChange['kind']> = (
  trx: Kysely<Database>,
  transferId: string,
  changes: readonly ChangeOf<Kind>[],
) => Promise<unknown>;

const positions = (changes: readonly { readonly position: number }[]): string => plainArray(changes.map(({ position }) => position));

/** What a change brings: columns and their values, of `from` (which has `position`), and how its row takes them. */
interface RowChange {
  readonly columns: RawBuilder<unknown>;
  readonly values: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
  readonly set: RawBuilder<unknown>;
}

/**
 * An insert that always meets its row. An update that joins the rows would let the planner choose, and as long as its
 * statistics know only small transfers, it reads all of a large one for each write.
 */
const updateRows = (transferId: string, { columns, values, from, set }: RowChange) => sql`
  insert into cloud_import_files as file (transfer_id, position, path_hash, kind, source, path, name, size, etag, ${columns})
  select ${transferId}::uuid, change.position, '', 'file', '', '', '', 0, '', ${values} from ${from}
  on conflict (transfer_id, position) do update set ${set}`;

const only = (changes: readonly { readonly position: number }[]) => ({
  columns: sql`complete`,
  values: sql`true`,
  from: sql`unnest(${positions(changes)}::integer[]) as change (position)`,
});

/** Changes of one kind that stand beside each other, by one statement or two. */
const writers: { readonly [Kind in ImportChange['kind']]: Writer<Kind> } = {
  async created(trx, transferId, changes) {
    await forgetChunks(trx, transferId, changes);
    await updateRows(transferId, {
      columns: sql`file_id, chunk_size`,
      values: sql`change.file_id, change.chunk_size`,
      from: sql`
        unnest(${positions(changes)}::integer[], ${plainArray(changes.map(({ fileId }) => fileId))}::uuid[],
          ${plainArray(changes.map(({ chunkSize }) => chunkSize))}::bigint[]) as change (position, file_id, chunk_size)`,
      set: sql`file_id = excluded.file_id, chunk_size = excluded.chunk_size, upload_id = null, stored = 0`,
    }).execute(trx);
  },

  begun: (trx, transferId, changes) =>
    updateRows(transferId, {
      columns: sql`upload_id`,
      values: sql`change.upload_id`,
      from: sql`
        unnest(${positions(changes)}::integer[], ${textArray(changes.map(({ uploadId }) => uploadId))}::text[])
          as change (position, upload_id)`,
      set: sql`upload_id = excluded.upload_id`,
    }).execute(trx),

  async chunk(trx, transferId, changes) {
    const chunks = changes.map(({ chunk }) => chunk);
    await sql`
      with stored as (
        insert into cloud_import_chunks (transfer_id, position, number, etag, digest, size)
        select ${transferId}::uuid, chunk.position, chunk.number, chunk.etag, decode(chunk.digest, 'hex'), chunk.size
        from unnest(${positions(changes)}::integer[], ${plainArray(chunks.map(({ number }) => number))}::integer[],
          ${textArray(chunks.map(({ etag }) => etag))}::text[], ${plainArray(chunks.map(({ digest }) => digest))}::text[],
          ${plainArray(chunks.map(({ size }) => size))}::bigint[]) as chunk (position, number, etag, digest, size)
        on conflict (transfer_id, position, number) do update set etag = excluded.etag, digest = excluded.digest
        returning position, size, xmax = 0 as is_new
      ) ${updateRows(transferId, {
        columns: sql`stored`,
        values: sql`change.bytes`,
        from: sql`(select position, sum(size) as bytes from stored where is_new group by position) as change`,
        set: sql`stored = file.stored + excluded.stored`,
      })}`.execute(trx);
  },

  async complete(trx, transferId, changes) {
    await forgetChunks(trx, transferId, changes);
    await updateRows(transferId, { ...only(changes), set: sql`complete = true, upload_id = null, message = ''` }).execute(trx);
  },

  failed: (trx, transferId, changes) =>
    updateRows(transferId, {
      columns: sql`message`,
      values: sql`change.message`,
      from: sql`
        unnest(${positions(changes)}::integer[], ${textArray(changes.map(({ message }) => message))}::text[]) as change (position, message)`,
      set: sql`message = excluded.message`,
    }).execute(trx),

  async reset(trx, transferId, changes) {
    await forgetChunks(trx, transferId, changes);
    await updateRows(transferId, { ...only(changes), set: sql`file_id = null, chunk_size = 0, upload_id = null, stored = 0` }).execute(trx);
  },

  async changed(trx, transferId, changes) {
    await forgetChunks(trx, transferId, changes);
    const { rows: before } = await sql<{ size: string }>`${updateRows(transferId, {
      ...only(changes),
      set: sql`restarts = file.restarts + 1, file_id = null, chunk_size = 0, upload_id = null, stored = 0`,
    })} returning size`.execute(trx);
    // The row keeps neither the new size as `stored` nor the new etag as `message`.
    await updateRows(transferId, {
      columns: sql`stored, message, modified`,
      values: sql`change.size, change.etag, change.modified`,
      from: sql`
        unnest(${positions(changes)}::integer[], ${plainArray(changes.map(({ size }) => size))}::bigint[],
          ${textArray(changes.map(({ etag }) => etag))}::text[],
          ${plainArray(changes.map(({ modified }) => modified?.toISOString() ?? null))}::timestamptz[]) as change (position, size, etag, modified)`,
      set: sql`size = excluded.stored, etag = excluded.message, modified = excluded.modified`,
    }).execute(trx);
    const grown = sum(changes.map(({ size }) => size)) - sum(before.map(({ size }) => Number(size)));
    await sql`update cloud_transfers set total_bytes = total_bytes + ${grown} where id = ${transferId}`.execute(trx);
  },
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const forgetChunks = (trx: Kysely<Database>, transferId: string, changes: readonly { readonly position: number }[]) =>
  sql`delete from cloud_import_chunks where transfer_id = ${transferId} and position = any(${positions(changes)}::integer[])`.execute(trx);

/** Writes changes in their order, in the transaction `trx`. */
export async function writeChanges(trx: Kysely<Database>, transferId: string, changes: readonly ImportChange[]): Promise<void> {
  for (const run of runsOf(changes)) {
    // Types do not follow a kind through a table: each run is of its writer's kind.
    const write = writers[run[0]!.kind] as Writer<ImportChange['kind']>;
    await write(trx, transferId, run as never);
  }
}

/** Changes of one kind after each other; each file once in a run, since a statement changes a row once. */
function runsOf(changes: readonly ImportChange[]): ImportChange[][] {
  const runs: ImportChange[][] = [];
  let seen = new Set<string>();
  for (const change of changes) {
    const last = runs.at(-1);
    const key = change.kind === 'chunk' ? `${change.position} ${change.chunk.number}` : String(change.position);
    if (last?.[0]?.kind === change.kind && !seen.has(key)) last.push(change);
    else {
      runs.push([change]);
      seen = new Set();
    }
    seen.add(key);
  }
  return runs;
}
