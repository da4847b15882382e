import type { Selectable } from 'kysely';
import type { Static } from 'typebox';
import { ApiError } from '#protocol/errors.ts';
import type { FinalizeFile } from '#protocol/hosted/files.ts';
import { StorageError } from '#storage/errors.ts';
import type { ObjectStorage, StoredObject } from '#storage/ports.ts';
import type { Database } from '../database/schema/database.ts';
import type { Context, HandlersOf } from '../handler.ts';
import type { UploadFacts } from '../memory.ts';
import { type Claim, checkChunks, checkClaim, claimOf, digestOfParts, fingerprint, objectAgrees, type Verdict } from './chunk-check.ts';
import type { Finalization } from './writes.ts';

const isCode = (error: unknown, code: StorageError['code']): boolean => error instanceof StorageError && error.code === code;

/** The parts of a verdict, or `chunk_wrong` (409) naming the first chunk that is not right. */
function partsOf(verdict: Verdict) {
  if (!verdict.ok) throw new ApiError('chunk_wrong', { chunk: verdict.chunk, detail: verdict.detail });
  return verdict.parts;
}

/** What a sender states about the whole file must be what its chunks amount to, where the storage can tell. */
export function checkDigest(stated: string | undefined, known: string | null | undefined): void {
  if (stated && known && stated !== known) throw new ApiError('digest_wrong', { stated, known });
}

/**
 * Has the storage put a file together, once the claim agrees with every chunk it holds. When the storage knows
 * of no such upload, an earlier call may have completed it and died before noting so: then the object itself
 * must agree with the claim.
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
    checkDigest(stated, digestOfParts(parts, storage.chunkChecksum));
    return await storage.complete(key, uploadId, parts);
  } catch (error) {
    // `part_missing`: another call has completed the upload since we listed it, or a part has vanished.
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

type FileState = Pick<Selectable<Database['files']>, 'kind' | 'state' | 'size' | 'chunk_size' | 'fingerprint'>;

async function readFile({ db }: Pick<Context, 'db'>, packageId: string, fileId: string): Promise<FileState | undefined> {
  return await db
    .selectFrom('files')
    .select(['kind', 'state', 'size', 'chunk_size', 'fingerprint'])
    .where('id', '=', fileId)
    .where('package_id', '=', packageId)
    .executeTakeFirst();
}

/** Asked again of a finalized file: the same content is fine, another is `state_conflict`. */
function checkSame(file: FileState, claim: Claim): void {
  if (!file.fingerprint || !fingerprint(claim).equals(file.fingerprint)) {
    throw new ApiError('state_conflict', { detail: 'This file is finalized already, with other content.' });
  }
}

/** Without a size at creation, the chunks' size too is the sender's to say, within what its blueprints allow. */
const chunkSizeOf = (facts: Pick<UploadFacts, 'size' | 'chunkSize'>, stated: number | undefined): number =>
  facts.size === null && stated !== undefined ? Math.min(stated, facts.chunkSize) : facts.chunkSize;

/**
 * Checks every chunk and has the storage put the file together (interface §4.2; decisions). Safe to ask twice,
 * at once or after a crash at any point: the storage completes the same upload once, and the row says
 * `finalized` only when the object stands.
 */
export const finalizeFile: HandlersOf<'finalizeFile'>['finalizeFile'] = async ({ params, body }, context) => {
  await finalizeOne(context, params.package_id, params.file_id, body);
  return undefined;
};

/** Finalizes a file, asked for alone or among others. */
export async function finalizeOne(context: Context, packageId: string, fileId: string, body: Static<typeof FinalizeFile>): Promise<void> {
  const { storage, memory, fileWrites } = context;
  const remembered = memory.uploads.get(fileId);
  let facts = remembered?.packageId === packageId ? remembered : null;
  if (!facts) {
    const file = await readFile(context, packageId, fileId);
    if (!file) throw new ApiError('not_found', { resource: 'file' });
    if (file.kind === 'directory') throw new ApiError('state_conflict', { detail: 'A folder is final as soon as it is made.' });
    facts = { packageId, size: file.size === null ? null : Number(file.size), chunkSize: Number(file.chunk_size) };
    if (file.state === 'finalized') {
      checkSame(file, claimOf(body, facts.size, facts.chunkSize));
      return;
    }
  }
  const claim = claimOf(body, facts.size, chunkSizeOf(facts, body.chunk_size));

  let object: StoredObject;
  try {
    object = await assemble(storage, fileId, body.file_extras.upload_id, claim, body.file_extras.digest);
  } catch (error) {
    // What was remembered may be over: the file was finalized, replaced or deleted meanwhile.
    if (!remembered || !isCode(error, 'no_such_upload')) throw error;
    memory.uploads.delete(fileId);
    return await finalizeOne(context, packageId, fileId, body);
  }
  memory.uploads.delete(fileId);
  const noted = await fileWrites.finalize(finalization(packageId, fileId, claim, object, body.file_extras.digest));
  if (!noted) await settleUnnoted(context, packageId, fileId, claim);
}

/** What a file's row learns of an object that stands. */
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
  };
}

/** Of a file that was not there to be noted as finalized: it is so already, with the same content, or it is gone. */
export async function settleUnnoted(context: Context, packageId: string, fileId: string, claim: Claim): Promise<void> {
  const file = await readFile(context, packageId, fileId);
  if (file) {
    checkSame(file, claim);
    return;
  }
  // Deleted or replaced while its chunks were put together: nobody owns the object.
  await context.storage.delete(fileId);
  throw new ApiError('not_found', { resource: 'file' });
}
