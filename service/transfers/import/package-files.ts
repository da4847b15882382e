import { sql } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { StorageError } from '#storage/errors.ts';
import { addFiles } from '../../files/add.ts';
import { finalization, finalizeOne, resolveUnrecorded } from '../../files/finalize.ts';
import { cleanUpObjects } from '../../files/object-cleanup.ts';
import { pathTaken, planFile } from '../../files/plan.ts';
import type { Services } from '../../handler.ts';
import type { Log } from '../../log.ts';
import { packageFacts, requireOpenForFiles } from '../../packages/package-facts.ts';
import { quotaRefusal } from '../../quotas/refusal.ts';
import { formatDateTime } from '../../wire-times.ts';
import { FileError } from '../delivery/errors.ts';
import { PackageClosedError } from './errors.ts';
import type { PackageFiles } from './ports.ts';

interface PackageParts extends Pick<Services, 'db' | 'storage' | 'caches' | 'fileWrites' | 'now'> {
  readonly log: Log;
}

const MiB = 1024 * 1024;

/** Small enough that a chunk is no loss when a process dies, large enough that few are asked for. */
const usualChunk = 16 * MiB;

const closed = 'The package takes no files any more: it was finalized, deleted, or has expired.';
const gone = 'It was removed from the package, or replaced, while it came.';

/** A refusal of the service's own rules, as an import tells it. */
function asImport(failure: unknown): unknown {
  const error = quotaRefusal(failure) ?? failure;
  if (!(error instanceof ApiError)) return error;
  switch (error.error) {
    case 'not_found':
      return new FileError(gone, { cause: error });
    case 'chunk_wrong':
    case 'digest_wrong':
      // What is stored is not what was: the file begins again.
      return new StorageError('no_such_upload', 'The storage has other bytes than it confirmed.', { cause: error });
    default:
      return new FileError(error.message, { cause: error });
  }
}

/** A package's files, made, finalized and removed as by the calls of a sender. */
export function packageFiles(parts: PackageParts, packageId: string): PackageFiles {
  const { db, storage, caches, fileWrites } = parts;

  async function told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asImport(error);
    }
  }

  async function requireOpen(): Promise<void> {
    try {
      await requireOpenForFiles(parts, packageId);
    } catch (error) {
      throw error instanceof ApiError ? new PackageClosedError(closed, { cause: error }) : error;
    }
  }

  function chunkSizeFor(size: number, ofPackage: number): number {
    const most = Math.min(limits.maxChunkCount, storage.limits.maxChunkCount);
    const wanted = Math.max(ofPackage || usualChunk, Math.ceil(size / most / MiB) * MiB);
    return Math.min(Math.max(wanted, storage.limits.minChunkSize), storage.limits.maxChunkSize);
  }

  return {
    plan: ({ kind, path, name, size, modified }) =>
      told(async () => {
        const facts = await packageFacts(parts, packageId);
        const chunk_size = chunkSizeFor(size, facts.chunkSize);
        const file = planFile({ kind, path, name, size, chunk_size, last_modified: formatDateTime(modified) }, packageId, facts, parts);
        return {
          fileId: file.id,
          chunkSize: file.chunk_size,
          create: () =>
            told(async () => {
              const [added] = await addFiles(parts, facts, [file]);
              if (added!.refusal) throw added!.refusal;
              const { made } = added!;
              if (!made) {
                await requireOpen();
                throw pathTaken(file);
              }
              if (made.replacedId === null) return;
              caches.uploads.delete(made.replacedId);
              await cleanUpObjects(parts, [made.replacedId]);
            }),
        };
      }),

    async find(fileId) {
      const row = await db
        .selectFrom('files')
        .select('state')
        .where('id', '=', fileId)
        .where('package_id', '=', packageId)
        .executeTakeFirst();
      return row?.state ?? null;
    },

    finalize: ({ fileId, size, chunkSize, upload, chunks, digest }) =>
      told(async () => {
        if ('id' in upload) {
          const chunk_extras = chunks.map(({ number, etag }) => ({ part_number: String(number), etag }));
          const body = { size, chunk_size: chunkSize, chunk_extras, file_extras: { upload_id: upload.id, digest } };
          await finalizeOne(parts, packageId, fileId, body);
          return;
        }
        const claim = { size, declared: size, chunkSize, chunks };
        const end = finalization(packageId, fileId, claim, { size, etag: upload.objectEtag, digest }, digest);
        if (!(await fileWrites.finalize(end))) await resolveUnrecorded(parts, packageId, fileId, claim);
      }),

    async remove(fileIds) {
      if (fileIds.length === 0) return;
      const { rows } = await sql<{ id: string }>`
        with package as (
          select id from packages where id = ${packageId} and state = 'new' for share
        ), gone as (
          delete from files using package
          where files.id = any(${fileIds}::uuid[]) and files.package_id = package.id and files.state = 'new'
          returning files.id, files.size
        ), counted as (
          update portal_sums set files = portal_sums.files - (select count(*) from gone),
            bytes = portal_sums.bytes - (select coalesce(sum(size), 0) from gone)
          where portal_sums.package_id = ${packageId}
        ), freed as (
          insert into freed_objects (key, noted_at) select id::text, ${parts.now()}::timestamptz from gone
        )
        select id from gone`.execute(db);
      const removed = rows.map(({ id }) => id);
      for (const id of removed) caches.uploads.delete(id);
      await cleanUpObjects(parts, removed);
    },
  };
}
