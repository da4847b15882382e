import type { Selectable } from 'kysely';
import type { Static } from 'typebox';
import { ApiError } from '#protocol/errors.ts';
import type { FinalizeFile } from '#protocol/hosted/files.ts';
import { StorageError } from '#storage/errors.ts';
import type { ObjectStorage, StoredObject } from '#storage/ports.ts';
import type { UploadFacts } from '../caches.ts';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { packageFacts } from '../packages/package-facts.ts';
import { addBytes, lockPackage } from '../portals/package-totals.ts';
import { type Claim, checkChunks, checkClaim, claimOf, digestOfParts, fingerprint, objectAgrees, type Verdict } from './chunk-check.ts';
import { metFreedSegment } from './segment-cleanup.ts';
import { type Finalization, finalizeFiles } from './writes.ts';

const isCode = (error: unknown, code: StorageError['code']): boolean => error instanceof StorageError && error.code === code;

/** The parts of a verdict, or `chunk_wrong` (409) that names the first wrong chunk. */
function partsOf(verdict: Verdict) {
  if (!verdict.ok) throw new ApiError('chunk_wrong', { chunk: verdict.chunk, detail: verdict.detail });
  return verdict.parts;
}

/** The stated checksum of the whole file must match its chunks, where the storage can compute it. */
export function checkDigest(stated: string | undefined, known: string | null | undefined): void {
  if (stated && known && stated !== known) throw new ApiError('digest_wrong', { stated, known });
}

/**
 * Lets the storage assemble a file, once the claim matches every stored chunk. When the storage knows no such upload,
 * an earlier call may have completed it and crashed before recording that: then the object itself must match the
 * claim.
 */
async function assemble(
  storage: ObjectStorage,
  key: string,
  uploadId: string,
  claim: Claim,
  stated: string | undefined,
): Promise<StoredObject> {
  try {
    const parts = partsOf(checkChunks(claim, await storage.listParts(key, uploadId)));
    checkDigest(stated, digestOfParts(parts));
    return await storage.complete(key, uploadId, parts);
  } catch (error) {
    // `part_missing`: another call has completed the upload since the parts were listed, or a part has disappeared.
    if (!isCode(error, 'no_such_upload') && !isCode(error, 'part_missing')) throw error;
    const object = await storage.head(key);
    if (!object) throw error;
    const parts = partsOf(checkClaim(claim));
    if (!objectAgrees(object, parts, storage.chunkChecksum)) {
      throw new ApiError(
        'state_conflict',
        { detail: 'This file was put together from other chunks. Delete it and upload it again.' },
        { cause: error },
      );
    }
    checkDigest(stated, object.digest);
    return object;
  }
}

type FileState = Pick<Selectable<Database['files']>, 'kind' | 'state' | 'size' | 'chunk_size' | 'fingerprint' | 'object_key'>;

async function readFile({ db }: Pick<Context, 'db'>, packageId: string, fileId: string): Promise<FileState | undefined> {
  return await db
    .selectFrom('files')
    .select(['kind', 'state', 'size', 'chunk_size', 'fingerprint', 'object_key'])
    .where('id', '=', fileId)
    .where('package_id', '=', packageId)
    .executeTakeFirst();
}

/** Finalizing again: the same content succeeds, other content is `state_conflict`. */
function checkSame(file: FileState, claim: Claim): void {
  if (!file.fingerprint || fingerprint(claim) !== file.fingerprint.toString('hex')) {
    throw new ApiError('state_conflict', { detail: 'This file is finalized already, with other content.' });
  }
}

export type ChunkFacts = Pick<UploadFacts, 'size' | 'chunkSize'>;

/** Whether the stated chunk size contradicts the file's. For a file without a size it may be smaller. */
export const contradicts = ({ size, chunkSize }: ChunkFacts, stated: number | undefined): boolean =>
  stated !== undefined && (size === null ? stated > chunkSize : stated !== chunkSize);

/**
 * Without a size at creation, the sender also states the chunk size, within what its blueprints allow. Errors:
 * `state_conflict` for one that contradicts the file's, since its chunks were cut at other positions then.
 */
function chunkSizeOf(facts: ChunkFacts, stated: number | undefined): number {
  if (contradicts(facts, stated)) {
    throw new ApiError('state_conflict', {
      detail: `chunk_size: this file's chunks have ${facts.chunkSize} bytes, not ${stated}. State that, or leave it out.`,
    });
  }
  return stated ?? facts.chunkSize;
}

/**
 * Checks every chunk and lets the storage assemble the file (contract/files-and-blueprints.md §6). Idempotent, also
 * when called concurrently or after a crash at any point: the storage completes the same upload once, and the row
 * says `finalized` only when the object exists.
 */
export const finalizeFile: HandlersOf<'finalizeFile'>['finalizeFile'] = async ({ params, body }, context) => {
  await finalizeOne(context, params.package_id, params.file_id, body);
  return undefined;
};

type Finalizing = Pick<Context, 'db' | 'storage' | 'caches' | 'fileWrites' | 'now'>;

/** How often a file is finalized of which a segment was freed meanwhile (segment-cleanup.ts). */
export const finalizeAttempts = 3;

/** Finalizes one file, for a single call, as part of a batch, or for a transfer. */
export async function finalizeOne(
  context: Finalizing,
  packageId: string,
  fileId: string,
  body: Static<typeof FinalizeFile>,
  attempt = 1,
): Promise<void> {
  const { storage, caches, fileWrites } = context;
  const cached = caches.uploads.get(fileId);
  let facts: ChunkFacts | null = cached?.packageId === packageId ? cached : null;
  if (!facts) {
    const file = await readFile(context, packageId, fileId);
    if (!file) throw new ApiError('not_found', { resource: 'file' });
    if (file.kind === 'directory') throw new ApiError('state_conflict', { detail: 'A folder is final as soon as it is made.' });
    facts = { size: file.size === null ? null : Number(file.size), chunkSize: Number(file.chunk_size) };
    if (file.state === 'finalized') {
      checkSame(file, claimOf(body, facts.size, chunkSizeOf(facts, body.chunk_size)));
      return;
    }
  }
  const claim = claimOf(body, facts.size, chunkSizeOf(facts, body.chunk_size));

  let object: StoredObject;
  try {
    object = await assemble(storage, fileId, body.file_extras.upload_id, claim, body.file_extras.digest);
  } catch (error) {
    // The cached facts may be stale: the file was finalized, replaced or deleted meanwhile.
    if (!cached || !(isCode(error, 'no_such_upload') || (error instanceof ApiError && error.error === 'chunk_wrong'))) throw error;
    caches.uploads.delete(fileId);
    return await finalizeOne(context, packageId, fileId, body, attempt);
  }
  caches.uploads.delete(fileId);
  const end = finalization(packageId, fileId, claim, object, body.file_extras.digest);
  let recorded: boolean;
  try {
    recorded = facts.size === null ? await recordWithSize(context, end) : await fileWrites.finalize(end);
  } catch (error) {
    if (attempt === finalizeAttempts || !(await metFreedSegment(context, error, [object.key]))) throw error;
    return await finalizeOne(context, packageId, fileId, body, attempt + 1);
  }
  if (!recorded) await resolveUnrecorded(context, packageId, fileId, claim);
}

/**
 * Records as finalized a file that was created without a size: from now on it counts toward its Portal's limits
 * (portals/package-totals.ts).
 */
async function recordWithSize(context: Finalizing, end: Finalization): Promise<boolean> {
  if ((await packageFacts(context, end.package_id)).portalId === null) return await context.fileWrites.finalize(end);
  return await inTransaction(context.db, async (trx) => {
    // The package lock is taken first, as in all code that counts. A package that accepts no more files is not
    // counted.
    const counted = await lockPackage(trx, end.package_id);
    const [recorded] = await finalizeFiles(trx, [end], context.now());
    if (recorded && counted) await addBytes(trx, end.package_id, end.size);
    return recorded!;
  });
}

/** The new column values of a file's row, once its object exists. */
export function finalization(
  packageId: string,
  fileId: string,
  claim: Claim,
  object: StoredObject,
  stated: string | undefined,
): Finalization {
  return {
    id: fileId,
    package_id: packageId,
    size: claim.size,
    chunk_size: claim.chunkSize,
    etag: object.etag,
    digest: object.digest ?? stated ?? null,
    fingerprint: fingerprint(claim),
    object_key: object.key ?? null,
  };
}

/** Handles a file whose row could not be updated: it is already finalized with the same content, or it is gone. */
export async function resolveUnrecorded(
  context: Pick<Context, 'db' | 'storage'>,
  packageId: string,
  fileId: string,
  claim: Claim,
): Promise<void> {
  const file = await readFile(context, packageId, fileId);
  // Another call has finalized it with an object of another key: what this one has made belongs to nobody.
  if (file?.object_key) await context.storage.delete(fileId);
  if (file) {
    checkSame(file, claim);
    return;
  }
  // The file was deleted or replaced while its chunks were assembled: the object has no owner.
  await context.storage.delete(fileId);
  throw new ApiError('not_found', { resource: 'file' });
}
