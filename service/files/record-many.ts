import { ApiError } from '#protocol/errors.ts';
import type { BatchRecord, BatchRecorded } from '#protocol/hosted/file-batches.ts';
import { noSuchUpload, StorageError } from '#storage/errors.ts';
import type { StoredObject } from '#storage/ports.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { toFailure } from '../http/failures.ts';
import { packageFacts, requireOpenForFiles } from '../packages/package-facts.ts';
import { addFiles } from './add.ts';
import { type Claim, checkClaim, claimOf } from './chunk-check.ts';
import { refuseDuplicate } from './create-many.ts';
import { finalization, finalizeAttempts } from './finalize.ts';
import { cleanUpObjects } from './object-cleanup.ts';
import { pathTaken, planFile } from './plan.ts';
import { metFreedSegment } from './segment-cleanup.ts';
import { noteForTask } from './task-access.ts';
import type { NewFile } from './writes.ts';

/** A folder, or a file of one chunk with what its sender says of it. */
interface Planned {
  readonly index: number;
  readonly file: NewFile;
  readonly sent: { readonly uploadId: string; readonly claim: Claim } | null;
}

/** One that has all that its row needs. */
interface Recordable extends Planned {
  readonly end: NewFile['end'];
}

type Recording = Parameters<HandlersOf<'recordFiles'>['recordFiles']>[1];
type Refuse = (index: number, error: unknown) => void;

/**
 * Creates and finalizes small files whose bytes came by blueprints of `createBatchBlueprints`: each row is written once and
 * never changed. Each file has its own result. Asking again with the same content comes out the same, also once the package
 * is finalized. A file that the storage does not have, or has with other bytes, is `no_such_upload`: it has to be sent again.
 */
export const recordFiles: HandlersOf<'recordFiles'>['recordFiles'] = async ({ params, body }, context) => {
  const packageId = params.package_id;
  const answers: BatchRecorded[] = [];
  const refuse: Refuse = (index, error) => {
    answers[index] = { error: toFailure(error, context.log).body };
  };
  const planned = await planAll(context, packageId, body.files, refuse);
  const { recordable, made } = await completeAndInsert(context, packageId, planned, refuse);
  const unmade: Recordable[] = [];
  const replaced: string[] = [];
  for (const [at, one] of recordable.entries()) {
    const result = made[at]!;
    if (result.refusal) answers[one.index] = { error: result.refusal.body };
    else if (!result.made) unmade.push(one);
    else {
      answers[one.index] = { file_id: result.made.id };
      if (result.made.replacedId) replaced.push(result.made.replacedId);
    }
  }
  for (const id of replaced) context.caches.uploads.delete(id);
  if (replaced.length > 0) await cleanUpObjects(context, replaced);
  if (unmade.length > 0) await resolveUnmade(context, packageId, unmade, answers);
  return { files: answers };
};

async function planAll(context: Context, packageId: string, files: readonly BatchRecord[], refuse: Refuse): Promise<readonly Planned[]> {
  const facts = await packageFacts(context, packageId);
  const pathHashes = new Map<string, number>();
  const planned: Planned[] = [];
  for (const [index, asked] of files.entries()) {
    try {
      const file = planFile(asked, packageId, facts, context);
      refuseDuplicate(file, index, pathHashes);
      planned.push({ index, file, sent: file.kind === 'directory' ? nothingSent(asked) : sentOf(asked, file) });
    } catch (error) {
      refuse(index, error);
    }
  }
  return planned;
}

const missing = (field: string): ApiError => new ApiError('invalid_request', { detail: `The field ${field} is missing.` });

function nothingSent({ upload_id, etag }: BatchRecord): null {
  const field = upload_id !== undefined ? 'upload_id' : etag !== undefined ? 'etag' : null;
  if (field !== null) throw new ApiError('invalid_request', { detail: `${field}: a folder has none.` });
  return null;
}

function sentOf({ size, upload_id: uploadId, etag }: BatchRecord, { chunk_size: chunkSize }: NewFile) {
  if (size === undefined) throw missing('size');
  if (!uploadId) throw missing('upload_id');
  if (!etag) throw missing('etag');
  const claim = claimOf({ size, chunk_extras: [{ part_number: '1', etag }] }, size, chunkSize);
  const verdict = checkClaim(claim);
  if (!verdict.ok) throw new ApiError('chunk_wrong', { chunk: verdict.chunk, detail: verdict.detail });
  return { uploadId, claim };
}

/** Has the storage keep the files, and inserts those that it has. Once more where a segment of them was freed meanwhile. */
async function completeAndInsert(context: Recording, packageId: string, planned: readonly Planned[], refuse: Refuse) {
  for (let attempt = 1; ; attempt++) {
    const recordable = await completed(context, packageId, planned, refuse);
    const files = recordable.map(({ file, end }): NewFile => (end ? { ...file, state: 'finalized', end } : file));
    if (attempt === 1) {
      await noteForTask(
        context,
        files.map(({ id }) => id),
      );
    }
    try {
      const facts = await packageFacts(context, packageId);
      return { recordable, made: await addFiles(context, facts, files) };
    } catch (error) {
      const keys = files.map(({ end }) => end?.object_key ?? undefined);
      if (attempt === finalizeAttempts || !(await metFreedSegment(context, error, keys))) throw error;
    }
  }
}

async function completed(
  { storage }: Context,
  packageId: string,
  planned: readonly Planned[],
  refuse: Refuse,
): Promise<readonly Recordable[]> {
  const uploads = planned.flatMap(({ sent }) =>
    sent
      ? [
          {
            key: packageId,
            uploadId: sent.uploadId,
            parts: [{ partNumber: 1, etag: sent.claim.chunks[0]!.etag, size: sent.claim.size }],
          },
        ]
      : [],
  );
  const objects = uploads.length > 0 && storage.presignBatch ? await storage.completeAll!(uploads) : [];
  let at = 0;
  return planned.flatMap((one): readonly Recordable[] => {
    if (!one.sent) return [{ ...one, end: undefined }];
    const object = usable(objects[at++], one.sent.claim);
    if (!(object instanceof StorageError)) {
      return [{ ...one, end: finalization(packageId, one.file.id, one.sent.claim, object, undefined) }];
    }
    refuse(one.index, object);
    return [];
  });
}

/** Only what is packed has a key of its own: nothing else can be of a batch. */
function usable(object: StoredObject | StorageError | undefined, { size }: Claim): StoredObject | StorageError {
  if (object instanceof StorageError) return object.code === 'part_missing' ? noSuchUpload() : object;
  return object?.key === undefined || object.size !== size ? noSuchUpload() : object;
}

/** Those whose path and name a finalized file has: an earlier call may have made it of the same content. */
async function resolveUnmade(context: Context, packageId: string, unmade: readonly Recordable[], answers: BatchRecorded[]): Promise<void> {
  const rows = await context.db
    .selectFrom('files')
    .select(['id', 'place', 'kind', 'fingerprint'])
    .where('package_id', '=', packageId)
    .where(
      'place',
      'in',
      unmade.map(({ file }) => Buffer.from(file.place, 'hex')),
    )
    .where('state', '=', 'finalized')
    .execute();
  const known = new Map(rows.map((row) => [row.place.toString('hex'), row]));
  let isOpen = false;
  for (const { index, file, end } of unmade) {
    const row = known.get(file.place);
    const isSame = end ? row?.fingerprint?.toString('hex') === end.fingerprint : row?.kind === 'directory' && file.kind === 'directory';
    if (row && isSame) {
      answers[index] = { file_id: row.id };
      continue;
    }
    if (!isOpen) await requireOpenForFiles(context, packageId);
    isOpen = true;
    answers[index] = { error: pathTaken(file).body };
  }
}
