import { type Kysely, sql } from 'kysely';
import { plainArray, textArray } from '../../database/arrays.ts';
import { plannedEachTime } from '../../database/prepared.ts';
import type { Database } from '../../database/schema/database.ts';
import type { ImportChange } from './ports.ts';

type ChangeOf<Kind extends ImportChange['kind']> = Extract<ImportChange, { readonly kind: Kind }>;
type Writer<Kind extends ImportChange['kind']> = (
  trx: Kysely<Database>,
  transferId: string,
  changes: readonly ChangeOf<Kind>[],
) => Promise<unknown>;

const positions = (changes: readonly { readonly position: number }[]): string => plainArray(changes.map(({ position }) => position));

/**
 * Changes of one kind that stand beside each other, by one statement or two. A plan that was cached when the tables were small
 * would read them from end to end, also after they have grown.
 */
const writers: { readonly [Kind in ImportChange['kind']]: Writer<Kind> } = {
  async created(trx, transferId, changes) {
    await forgetChunks(trx, transferId, changes);
    await sql`${plannedEachTime}
      update cloud_import_files set file_id = change.file_id, chunk_size = change.chunk_size, upload_id = null, stored = 0
      from unnest(${positions(changes)}::integer[], ${plainArray(changes.map(({ fileId }) => fileId))}::uuid[],
        ${plainArray(changes.map(({ chunkSize }) => chunkSize))}::bigint[]) as change (position, file_id, chunk_size)
      where transfer_id = ${transferId} and cloud_import_files.position = change.position`.execute(trx);
  },

  begun: (trx, transferId, changes) =>
    sql`${plannedEachTime}
      update cloud_import_files set upload_id = change.upload_id
      from unnest(${positions(changes)}::integer[], ${textArray(changes.map(({ uploadId }) => uploadId))}::text[])
        as change (position, upload_id)
      where transfer_id = ${transferId} and cloud_import_files.position = change.position`.execute(trx),

  async chunk(trx, transferId, changes) {
    const chunks = changes.map(({ chunk }) => chunk);
    await sql`${plannedEachTime}
      with stored as (
        insert into cloud_import_chunks (transfer_id, position, number, etag, digest, size)
        select ${transferId}::uuid, chunk.position, chunk.number, chunk.etag, decode(chunk.digest, 'hex'), chunk.size
        from unnest(${positions(changes)}::integer[], ${plainArray(chunks.map(({ number }) => number))}::integer[],
          ${textArray(chunks.map(({ etag }) => etag))}::text[], ${plainArray(chunks.map(({ digest }) => digest))}::text[],
          ${plainArray(chunks.map(({ size }) => size))}::bigint[]) as chunk (position, number, etag, digest, size)
        on conflict (transfer_id, position, number) do update set etag = excluded.etag, digest = excluded.digest
        returning position, size, xmax = 0 as is_new
      )
      update cloud_import_files set stored = cloud_import_files.stored + more.bytes
      from (select position, sum(size) as bytes from stored where is_new group by position) as more
      where transfer_id = ${transferId} and cloud_import_files.position = more.position`.execute(trx);
  },

  async complete(trx, transferId, changes) {
    await forgetChunks(trx, transferId, changes);
    await sql`${plannedEachTime}
      update cloud_import_files set complete = true, upload_id = null, message = ''
      where transfer_id = ${transferId} and position = any(${positions(changes)}::integer[])`.execute(trx);
  },

  failed: (trx, transferId, changes) =>
    sql`${plannedEachTime}
      update cloud_import_files set message = change.message
      from unnest(${positions(changes)}::integer[], ${textArray(changes.map(({ message }) => message))}::text[]) as change (position, message)
      where transfer_id = ${transferId} and cloud_import_files.position = change.position`.execute(trx),

  async reset(trx, transferId, changes) {
    await forgetChunks(trx, transferId, changes);
    await sql`${plannedEachTime}
      update cloud_import_files set file_id = null, chunk_size = 0, upload_id = null, stored = 0
      where transfer_id = ${transferId} and position = any(${positions(changes)}::integer[])`.execute(trx);
  },

  async changed(trx, transferId, changes) {
    await forgetChunks(trx, transferId, changes);
    await sql`${plannedEachTime}
      with change as (
        select * from unnest(${positions(changes)}::integer[], ${plainArray(changes.map(({ size }) => size))}::bigint[],
          ${textArray(changes.map(({ etag }) => etag))}::text[],
          ${plainArray(changes.map(({ modified }) => modified?.toISOString() ?? null))}::timestamptz[]) as change (position, size, etag, modified)
      ), counted as (
        update cloud_transfers set total_bytes = total_bytes + (
          select sum(change.size - cloud_import_files.size) from change join cloud_import_files using (position) where transfer_id = ${transferId}
        ) where id = ${transferId}
      )
      update cloud_import_files set size = change.size, etag = change.etag, modified = change.modified, restarts = restarts + 1,
        file_id = null, chunk_size = 0, upload_id = null, stored = 0
      from change where transfer_id = ${transferId} and cloud_import_files.position = change.position`.execute(trx);
  },
};

const forgetChunks = (trx: Kysely<Database>, transferId: string, changes: readonly { readonly position: number }[]) =>
  sql`${plannedEachTime} delete from cloud_import_chunks where transfer_id = ${transferId} and position = any(${positions(changes)}::integer[])`.execute(
    trx,
  );

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
