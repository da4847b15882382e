import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Blueprint, BlueprintTemplate } from '#protocol/schema.ts';
import type { UploadFacts } from '../caches.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { JsonText } from '../http/json-text.ts';
import { packageFacts, requireOpenState } from '../packages/package-facts.ts';
import { restrictionsAt } from '../portals/restrictions.ts';
import { largestFile, tooLargeFile } from '../portals/rules.ts';
import { chunkRange } from './chunk-plan.ts';

/** For so long another process may end a file or its package before this one gives no more blueprints, in milliseconds. */
const cacheMilliseconds = 5_000;

/**
 * The facts of a file that is being uploaded, from the cache if possible. Errors: `not_found`, `state_conflict`
 * for a folder or a file that is finalized, and those of a package whose files can't be changed.
 */
async function uploadFacts(
  { db, caches, now }: Pick<Context, 'db' | 'caches' | 'now'>,
  packageId: string,
  fileId: string,
): Promise<UploadFacts> {
  const at = now().getTime();
  const known = caches.uploads.get(fileId);
  if (known && known.packageId === packageId && at - known.at < cacheMilliseconds) return known;
  const row = await db
    .selectFrom('files')
    .innerJoin('packages', 'packages.id', 'files.package_id')
    .select(['files.kind', 'files.state', 'files.size', 'files.chunk_size', 'packages.state as package_state'])
    .where('files.id', '=', fileId)
    .where('files.package_id', '=', packageId)
    .executeTakeFirst();
  if (!row) throw new ApiError('not_found', { resource: 'file' });
  requireOpenState(row.package_state);
  if (row.kind === 'directory') throw new ApiError('state_conflict', { detail: 'A folder has nothing to upload.' });
  if (row.state === 'finalized')
    throw new ApiError('state_conflict', { detail: 'This file is finalized, so nothing more can be uploaded to it.' });
  const facts = { packageId, size: row.size === null ? null : Number(row.size), chunkSize: Number(row.chunk_size), at };
  caches.uploads.set(fileId, facts);
  return facts;
}

/** Bytes that the Portal of a package takes in one file; null: any. For files without a size, which nothing held to it when they were created. */
async function mostOfFile(context: Pick<Context, 'db' | 'caches' | 'now'>, packageId: string): Promise<number | null> {
  const { portalId } = await packageFacts(context, packageId);
  return portalId === null ? null : largestFile(await restrictionsAt(context, portalId));
}

const minute = 60_000;

/**
 * Rounded to the minute, so that the calls for one file share a signing key; rounded down, since nothing may be
 * received later.
 */
const endOfBlueprints = (now: Date): Date => new Date(Math.floor((now.getTime() + limits.blueprintSeconds * 1000) / minute) * minute);

/** Serialised here: for two forms of one answer the usual serialisation would first try which of them it is. */
const textOf = (answer: readonly Blueprint[] | BlueprintTemplate): JsonText => new JsonText(Buffer.from(JSON.stringify(answer)));

export const uploadHandlers: HandlersOf<'createChunkBlueprints' | 'listUploadedChunks' | 'packageSpec'> = {
  async createChunkBlueprints({ params, query, body }, context) {
    const { storage, now } = context;
    const { size, chunkSize } = await uploadFacts(context, params.package_id, params.file_id);
    const chunks = chunkRange(query, size, chunkSize, Math.min(limits.maxChunkCount, storage.limits.maxChunkCount));
    if (chunks.length === 0)
      throw new ApiError('invalid_request', { detail: `start: ${query.start} lies beyond the last chunk of this file.` });
    const most = size === null ? await mostOfFile(context, params.package_id) : null;
    if (most !== null && chunks.at(-1)!.index * chunkSize >= most) throw tooLargeFile(most);
    const expiresAt = endOfBlueprints(now());
    // A template has one largest size for all chunks.
    if (query.template && most === null && storage.presignPartRange) {
      const range = { first: chunks[0]!.index + 1, last: chunks.at(-1)!.index + 1, partSize: chunkSize, size };
      return textOf(await storage.presignPartRange(params.file_id, body.upload_id, range, expiresAt));
    }
    const parts = chunks.map(({ index, bytes }) => ({
      partNumber: index + 1,
      size: bytes,
      maxSize: most === null ? chunkSize : Math.min(chunkSize, most - index * chunkSize),
    }));
    const asked = [params.file_id, body.upload_id, parts, expiresAt] as const;
    return storage.presignPartsAsJson
      ? new JsonText(await storage.presignPartsAsJson(...asked))
      : textOf(await storage.presignParts(...asked));
  },

  async listUploadedChunks({ params, query }, context) {
    await uploadFacts(context, params.package_id, params.file_id);
    const parts = await context.storage.listParts(params.file_id, query.upload_id);
    return parts.map(({ partNumber, etag, size }) => ({ part_number: String(partNumber), etag, size }));
  },

  async packageSpec(_, { storage }) {
    return {
      max_chunk_count: Math.min(limits.maxChunkCount, storage.limits.maxChunkCount),
      max_chunk_size: Math.min(limits.maxChunkSize, storage.limits.maxChunkSize),
      min_chunk_size: Math.max(limits.minChunkSize, storage.limits.minChunkSize),
      ...(storage.limits.largestBody === undefined ? {} : { storage_max_body: storage.limits.largestBody }),
      max_batch_files: limits.filesPerBatch,
      ...(storage.presignBatch === undefined ? {} : { max_batch_records: limits.filesPerBatch }),
      ...(storage.batchPutUrl === undefined ? {} : { many_parts_url: storage.batchPutUrl }),
      max_batch_downloads: limits.filesPerBatch,
      ...(storage.batchGetUrl === undefined ? {} : { many_objects_url: storage.batchGetUrl }),
    };
  },
};
