import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { hexBytes, plainArray, textArray } from '../database/arrays.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { violates } from '../database/violations.ts';
import { objectKeyOf } from '../files/object-key.ts';
import type { Seal } from '../seal.ts';
import { contentTypeOf } from './delivery/content-type.ts';
import type { DeliveryJournal, JournaledFile, JournalPageRequest, JournalSummary, NameClaim } from './delivery/ports.ts';
import { type FoldedChanges, foldChanges } from './journal-changes.ts';
import { type Lease, LeaseLostError, lockLeased } from './lease.ts';
import { openUpload, sealUpload } from './sealed.ts';

interface JournalParts {
  readonly db: Kysely<Database>;
  readonly seal: Seal;
  readonly lease: Lease;
}

interface FileRow {
  readonly position: number;
  readonly file_id: string;
  readonly size: string | number;
  readonly target: string | null;
  readonly sealed_upload: Buffer | null;
  readonly stored: string | number;
  readonly object_id: string | null;
  readonly etag: string;
  readonly kind: 'file' | 'directory' | null;
  readonly path: string | null;
  readonly name: string | null;
  readonly last_modified: Date | null;
  readonly digest: string | null;
  readonly file_etag: string | null;
  readonly object_key: string | null;
  readonly chunk_size: string | number | null;
  readonly withheld: boolean | null;
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * A transfer's journal in PostgreSQL, as long as the lease is held: any other process goes on with it (delivery/ports.ts).
 * The files have their rows already (plan.ts).
 */
export function openJournal({ db, seal, lease }: JournalParts): DeliveryJournal {
  const { transferId } = lease;

  const stateOf = (row: Pick<FileRow, 'file_id' | 'sealed_upload' | 'object_id' | 'etag'>) => ({
    upload: row.sealed_upload === null ? null : openUpload(seal, transferId, row.file_id, row.sealed_upload),
    object: row.object_id === null ? null : { id: row.object_id, etag: row.etag },
  });

  // A file whose row is gone with its package can only be cleaned up, for which its target and handle are enough.
  const toFile = (row: FileRow): JournaledFile => ({
    file: {
      id: row.file_id,
      key: objectKeyOf({ id: row.file_id, object_key: row.object_key }),
      kind: row.kind ?? 'file',
      path: row.name === null ? (row.target ?? row.file_id) : row.path === '' ? row.name : `${row.path}/${row.name}`,
      size: Number(row.size),
      modified: row.last_modified,
      contentType: contentTypeOf(row.name ?? ''),
      digest: row.digest,
      etag: row.file_etag ?? '',
      chunkSize: Number(row.chunk_size ?? 0),
      withheld: row.withheld ?? false,
    },
    target: row.target,
    storedBytes: Number(row.stored),
    ...stateOf(row),
  });

  return {
    async summary(): Promise<JournalSummary> {
      const row = await db
        .selectFrom('cloud_transfers')
        .select(['folder', 'total_files', 'total_bytes'])
        .where('id', '=', transferId)
        .where('lease_id', '=', lease.leaseId)
        .executeTakeFirst();
      if (!row) throw new LeaseLostError();
      const done = await db
        .selectFrom('cloud_transfer_files')
        .select([
          sql<string>`count(*) filter (where object_id is not null)`.as('files'),
          sql<string>`count(*) filter (where object_id = '')`.as('left_out'),
          sql<string>`coalesce(sum(case when object_id is null then stored else size end), 0)`.as('bytes'),
        ])
        .where('transfer_id', '=', transferId)
        .where('position', '>', 0)
        .executeTakeFirstOrThrow();
      const manifest = await db
        .selectFrom('cloud_transfer_files')
        .select(['file_id', 'sealed_upload', 'object_id', 'etag'])
        .where('transfer_id', '=', transferId)
        .where('position', '=', 0)
        .executeTakeFirstOrThrow();
      return {
        folder: row.folder,
        total: { files: row.total_files, bytes: Number(row.total_bytes) },
        done: { files: Number(done.files), bytes: Number(done.bytes) },
        leftOut: Number(done.left_out),
        manifest: stateOf(manifest),
      };
    },

    async claimFolder({ folder, key }) {
      try {
        const claimed = await db
          .updateTable('cloud_transfers')
          .set({ folder, folder_key: digestOf(key) })
          .where('id', '=', transferId)
          .where('lease_id', '=', lease.leaseId)
          .returning('id')
          .executeTakeFirst();
        if (!claimed) throw new LeaseLostError();
        return 'claimed';
      } catch (error) {
        if (violates(error, 'cloud_transfers_folder')) return 'taken';
        throw error;
      }
    },

    async releaseFolder() {
      await inTransaction(db, async (trx) => {
        await lockLeased(trx, lease);
        await trx.deleteFrom('cloud_transfer_names').where('transfer_id', '=', transferId).execute();
        await trx.updateTable('cloud_transfers').set({ folder: null, folder_key: null }).where('id', '=', transferId).execute();
      });
    },

    async claimNames(claims: readonly NameClaim[]): Promise<readonly string[]> {
      const keys = claims.map(({ key }) => digestOf(key));
      const first = new Map(claims.map(({ owner }, index) => [hexBytes(keys[index]!), owner] as const).reverse());
      return await inTransaction(db, async (trx) => {
        await lockLeased(trx, lease);
        const { rows } = await sql<{ key: Buffer; owner: string }>`
          insert into cloud_transfer_names as name (transfer_id, key, owner)
          select ${transferId}::uuid, decode(claim.key, 'hex'), claim.owner
          from unnest(${textArray([...first.keys()])}::text[], ${textArray([...first.values()])}::text[]) as claim (key, owner)
          on conflict (transfer_id, key) do update set owner = name.owner
          returning key, owner`.execute(trx);
        const owners = new Map(rows.map(({ key, owner }) => [hexBytes(key), owner]));
        return keys.map((key) => owners.get(hexBytes(key))!);
      });
    },

    async files({ state, kind, cursor, count }: JournalPageRequest) {
      const filters = {
        unfinished: sql<boolean>`object_id is null`,
        begun: sql<boolean>`sealed_upload is not null`,
        complete: sql<boolean>`object_id is not null`,
      };
      const rows = await db
        .selectFrom('cloud_transfer_files')
        .leftJoin('files', 'files.id', 'cloud_transfer_files.file_id')
        .select([
          'position',
          'cloud_transfer_files.file_id',
          'cloud_transfer_files.size',
          'target',
          'sealed_upload',
          'stored',
          'object_id',
          'cloud_transfer_files.etag',
          'files.kind',
          'files.path',
          'files.name',
          'files.last_modified',
          'files.digest',
          'files.etag as file_etag',
          'files.object_key',
          'files.chunk_size',
          sql<boolean | null>`(select teams.virus_policy = 'quarantine' or (teams.virus_policy = 'block' and files.virus_detected)
            from packages join teams on teams.id = packages.team_id
            where packages.id = files.package_id and packages.contains_virus)`.as('withheld'),
        ])
        .where('transfer_id', '=', transferId)
        .where('position', '>', cursor === null ? 0 : Number(cursor))
        .where(filters[state])
        .$if(kind !== undefined, (select) => select.where('files.kind', '=', kind!))
        .orderBy('position')
        .limit(count)
        .execute();
      return { files: rows.map(toFile), cursor: rows.length < count ? null : String(rows.at(-1)!.position) };
    },

    /**
     * One statement, which waits for the database once and not for a transaction of four and more. A row stands in one of its
     * parts only (`foldChanges`), and none changes anything without the lease.
     */
    async write(changes) {
      const { reset, progress, files } = foldChanges(changes, transferId);
      const parts = [
        ...(reset.length > 0 ? [sql`reset as (${resetRows(reset)})`] : []),
        ...(files.length > 0 ? [sql`written as (${writeRows(files)})`] : []),
        ...(progress.length > 0 ? [sql`progressed as (${progressRows(progress)})`] : []),
      ];
      const { rows } = await sql`
        with leased as materialized (
          select id from cloud_transfers where id = ${transferId} and lease_id = ${lease.leaseId} for update
        ), ${sql.join(parts)}
        select id from leased`.execute(db);
      if (rows.length === 0) throw new LeaseLostError();
    },
  };

  // Inserts that always meet their row. An update that joins the rows would let the planner choose, and as long as its
  // statistics know only small transfers, it reads all of a large one for each write.
  function resetRows(ids: readonly string[]) {
    return sql`
      insert into cloud_transfer_files (transfer_id, position, file_id, size)
      select leased.id, 0, change.id, 0 from leased, unnest(${plainArray(ids)}::uuid[]) as change (id)
      on conflict (transfer_id, file_id) do update
      set target = null, sealed_upload = null, stored = 0, object_id = null, etag = '', message = ''`;
  }

  function writeRows(files: FoldedChanges['files']) {
    const uploads = files.map(({ id, upload }) => (upload === null ? null : hexBytes(sealUpload(seal, transferId, id, upload))));
    return sql`
      insert into cloud_transfer_files (transfer_id, position, file_id, size, target, sealed_upload, stored, object_id, etag, message)
      select leased.id, 0, change.id, 0, target, decode(upload, 'hex'), stored, object_id, coalesce(etag, ''), message
      from leased, unnest(${plainArray(files.map(({ id }) => id))}::uuid[], ${textArray(files.map(({ target }) => target))}::text[],
        ${textArray(uploads)}::text[], ${plainArray(files.map(({ stored }) => stored))}::bigint[],
        ${textArray(files.map(({ object }) => object?.id ?? null))}::text[],
        ${textArray(files.map(({ object }) => object?.etag ?? null))}::text[],
        ${textArray(files.map(({ message }) => message))}::text[])
        as change (id, target, upload, stored, object_id, etag, message)
      on conflict (transfer_id, file_id) do update
      set target = excluded.target, sealed_upload = excluded.sealed_upload, stored = excluded.stored,
        object_id = excluded.object_id, etag = excluded.etag, message = excluded.message`;
  }

  // What stays as it is: a negative `stored`; a message is null in `target`, the column that may be null.
  function progressRows(progress: FoldedChanges['progress']) {
    return sql`
      insert into cloud_transfer_files as file (transfer_id, position, file_id, size, stored, target)
      select leased.id, 0, change.id, 0, stored, message
      from leased, unnest(${plainArray(progress.map(({ id }) => id))}::uuid[],
        ${plainArray(progress.map(({ stored }) => stored ?? -1))}::bigint[],
        ${textArray(progress.map(({ message }) => message))}::text[]) as change (id, stored, message)
      on conflict (transfer_id, file_id) do update
      set stored = case when excluded.stored < 0 then file.stored else excluded.stored end,
        message = coalesce(excluded.target, file.message)`;
  }
}
