import { type Kysely, sql } from 'kysely';
import { hexBytes, plainArray, textArray } from '../../database/arrays.ts';
import type { Database } from '../../database/schema/database.ts';
import { inTransaction } from '../../database/transaction.ts';
import { pathHash } from '../../files/plan.ts';
import { type Lease, LeaseLostError, lockLeased } from '../lease.ts';
import type { Settling } from '../settle.ts';
import { writeChanges } from './journal-changes.ts';
import { wholePath } from './names.ts';
import type { ImportEntry, ImportJournal, JournaledEntry } from './ports.ts';

interface JournalParts extends Pick<Settling, 'db' | 'record'> {
  readonly lease: Lease;
}

/** Paths named in an error. */
const maxNamed = 20;

/** A transfer's journal in PostgreSQL, as long as the lease is held (ports.ts). */
export function openImportJournal({ db, record, lease }: JournalParts): ImportJournal {
  const { transferId } = lease;

  async function summary() {
    const row = await db
      .selectFrom('cloud_transfers')
      .select('planned')
      .where('id', '=', transferId)
      .where('lease_id', '=', lease.leaseId)
      .executeTakeFirst();
    if (!row) throw new LeaseLostError();
    const sums = await sumsOf(db, transferId);
    return { planned: row.planned, ...sums };
  }

  return {
    summary,

    async items(count) {
      const rows = await db
        .selectFrom('cloud_import_items')
        .select(['position', 'source', 'name', 'kind', 'cursor'])
        .where('transfer_id', '=', transferId)
        .where('known', '=', false)
        .orderBy('position')
        .limit(count)
        .execute();
      return rows.map(({ source, ...row }) => ({ ...row, id: source }));
    },

    async add({ entries, items }) {
      const paths = new Set<string>();
      const twice = entries.map(wholePath).filter((path) => paths.size === paths.add(path).size);
      if (twice.length > 0) return twice.slice(0, maxNamed);
      const adding = inTransaction(db, async (trx) => {
        await lockLeased(trx, lease);
        const taken = await insertEntries(trx, transferId, entries);
        if (taken.length > 0) throw new TakenPathsError(taken);
        // Inserts that always meet their row, as in journal-changes.ts.
        await sql`
          insert into cloud_import_items (transfer_id, position, source, name, kind, cursor, known)
          select ${transferId}::uuid, looked.position, '', '', 'file', looked.cursor, looked.cursor is null
          from unnest(${plainArray(items.map(({ position }) => position))}::integer[], ${textArray(items.map(({ cursor }) => cursor))}::text[])
            as looked (position, cursor)
          on conflict (transfer_id, position) do update set cursor = excluded.cursor, known = excluded.known`.execute(trx);
        return [];
      });
      return await adding.catch((error: unknown) => {
        if (error instanceof TakenPathsError) return error.paths;
        throw error;
      });
    },

    async finishPlan() {
      return await inTransaction(db, async (trx) => {
        const row = await lockLeased(trx, lease);
        if (row.planned) return [];
        const { rows } = await sql<{ path: string; name: string }>`
          select asked.path, asked.name from cloud_import_files as asked
          join files on files.package_id = ${row.package_id} and files.place = asked.path_hash
          where asked.transfer_id = ${transferId} and files.state = 'finalized' and (files.kind = 'file' or asked.kind = 'file')
          order by asked.position limit ${maxNamed}`.execute(trx);
        if (rows.length > 0) return rows.map(wholePath);
        const { total } = await sumsOf(trx, transferId);
        const planned = await trx
          .updateTable('cloud_transfers')
          .set({ planned: true, total_files: total.files, total_bytes: total.bytes })
          .where('id', '=', transferId)
          .returningAll()
          .executeTakeFirstOrThrow();
        await record(trx, 'started', planned);
        return [];
      });
    },

    async entries({ state, cursor, count }) {
      const rows = await db
        .selectFrom('cloud_import_files')
        .selectAll()
        .where('transfer_id', '=', transferId)
        .where('position', '>', Number(cursor ?? -1))
        .where('complete', '=', false)
        .$if(state === 'created', (select) => select.where('file_id', 'is not', null))
        .orderBy('position')
        .limit(count)
        .execute();
      const entries = rows.map(
        (row): JournaledEntry => ({
          position: row.position,
          kind: row.kind,
          id: row.source,
          path: row.path,
          name: row.name,
          size: Number(row.size),
          etag: row.etag,
          modified: row.modified,
          fileId: row.file_id,
          chunkSize: Number(row.chunk_size),
          uploadId: row.upload_id,
          storedBytes: Number(row.stored),
          restarts: row.restarts,
        }),
      );
      return { entries, cursor: rows.length < count ? null : String(rows.at(-1)!.position) };
    },

    async chunks(position) {
      const rows = await db
        .selectFrom('cloud_import_chunks')
        .select(['number', 'etag', 'digest', 'size'])
        .where('transfer_id', '=', transferId)
        .where('position', '=', position)
        .orderBy('number')
        .execute();
      return rows.map(({ number, etag, digest, size }) => ({ number, etag, digest: hexBytes(digest), size: Number(size) }));
    },

    async write(changes) {
      await inTransaction(db, async (trx) => {
        await lockLeased(trx, lease);
        await writeChanges(trx, transferId, changes);
      });
    },
  };
}

async function sumsOf(db: Kysely<Database>, transferId: string) {
  const row = await db
    .selectFrom('cloud_import_files')
    .select([
      sql<string>`count(*)`.as('files'),
      sql<string>`coalesce(sum(size), 0)`.as('bytes'),
      sql<string>`count(*) filter (where complete)`.as('done_files'),
      sql<string>`coalesce(sum(case when complete then size else stored end), 0)`.as('done_bytes'),
    ])
    .where('transfer_id', '=', transferId)
    .executeTakeFirstOrThrow();
  return {
    total: { files: Number(row.files), bytes: Number(row.bytes) },
    done: { files: Number(row.done_files), bytes: Number(row.done_bytes) },
  };
}

/** Undoes what is under way: all entries or none. */
class TakenPathsError extends Error {
  readonly paths: readonly string[];
  constructor(paths: readonly string[]) {
    super('Other entries of the transfer have these paths.');
    this.paths = paths;
  }
}

/** Returns paths that other entries of the transfer have, a few at most; the entries of those are not added. */
async function insertEntries(trx: Kysely<Database>, transferId: string, entries: readonly ImportEntry[]): Promise<string[]> {
  if (entries.length === 0) return [];
  const { rows } = await sql<{ path: string; name: string }>`
    insert into cloud_import_files (transfer_id, position, path_hash, kind, source, path, name, size, etag, modified)
    select ${transferId}::uuid, first.position + found.number - 1, decode(found.path_hash, 'hex'), found.kind, found.source,
      found.path, found.name, found.size, found.etag, found.modified
    from unnest(
      ${plainArray(entries.map(({ path, name }) => pathHash(path, name)))}::text[],
      ${plainArray(entries.map(({ kind }) => kind))}::text[], ${textArray(entries.map(({ id }) => id))}::text[],
      ${textArray(entries.map(({ path }) => path))}::text[], ${textArray(entries.map(({ name }) => name))}::text[],
      ${plainArray(entries.map(({ size }) => size))}::bigint[], ${textArray(entries.map(({ etag }) => etag))}::text[],
      ${plainArray(entries.map(({ modified }) => modified?.toISOString() ?? null))}::timestamptz[]
    ) with ordinality as found (path_hash, kind, source, path, name, size, etag, modified, number),
    (select coalesce(max(position), -1) + 1 as position from cloud_import_files where transfer_id = ${transferId}) as first
    on conflict (transfer_id, path_hash) do nothing
    returning path, name`.execute(trx);
  const added = new Set(rows.map(wholePath));
  return entries
    .map(wholePath)
    .filter((path) => !added.has(path))
    .slice(0, maxNamed);
}
