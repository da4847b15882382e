import { ApiError } from '#protocol/errors.ts';
import type { BatchCreated } from '#protocol/hosted/file-batches.ts';
import type { ChunkChecksum } from '#protocol/hosted/files.ts';
import { limits } from '#protocol/limits.ts';
import type { WholeUpload } from '#storage/ports.ts';
import type { Context, HandlersOf } from '../handler.ts';
import { toFailure } from '../http/failures.ts';
import { packageFacts, requireOpenForFiles } from '../packages/package-facts.ts';
import { addFiles } from './add.ts';
import { toFile } from './file-record.ts';
import { cleanUpObjects } from './object-cleanup.ts';
import { pathTaken, planFile } from './plan.ts';
import { noteForTask } from './task-access.ts';
import type { NewFile } from './writes.ts';

/**
 * Creates a batch of files with one statement (docs/decisions/0010). Each result is the same as from its own call:
 * one refused file does not affect the others. Only the package's own state, which concerns all files, refuses the
 * whole call.
 */
export const createFiles: HandlersOf<'createFiles'>['createFiles'] = async ({ params, body }, context) => {
  const facts = await packageFacts(context, params.package_id);
  const answers: BatchCreated[] = [];
  const pathHashes = new Map<string, number>();
  const possible: { readonly index: number; readonly file: NewFile }[] = [];
  for (const [index, asked] of body.files.entries()) {
    try {
      const file = planFile(asked, params.package_id, facts, context);
      refuseDuplicate(file, index, pathHashes);
      possible.push({ index, file });
    } catch (error) {
      answers[index] = { error: toFailure(error, context.log).body };
    }
  }
  await noteForTask(
    context,
    possible.map(({ file }) => file.id),
  );
  const added = await addFiles(
    context,
    facts,
    possible.map(({ file }) => file),
  );
  const planned = possible.flatMap(({ index, file }, at) => {
    const one = added[at]!;
    if (!one.refusal) return [{ index, file, made: one.made }];
    answers[index] = { error: one.refusal.body };
    return [];
  });
  if (planned.some(({ made }) => made === null)) await requireOpenForFiles(context, params.package_id);
  const replaced = planned.flatMap(({ made }) => made?.replacedId ?? []);
  for (const id of replaced) context.caches.uploads.delete(id);
  if (replaced.length > 0) await cleanUpObjects(context, replaced);

  const taken = planned.filter(({ made }) => made);
  const nexts = await nextRequests(
    context,
    taken.map(({ file }) => file),
  );
  for (const { index, file, made } of planned) {
    if (!made) answers[index] = { error: pathTaken(file).body };
    else {
      const { chunkChecksum, ...next } = nexts.get(file) ?? { chunkChecksum: context.storage.chunkChecksum };
      answers[index] = { file: toFile({ ...file, id: made.id, etag: null, digest: null, virus_detected: false }, chunkChecksum), ...next };
    }
  }
  return { files: answers };
};

/**
 * If two entries have the same path and name, the first one counts: one statement cannot create both, and the second
 * would undo the first.
 */
export function refuseDuplicate({ place }: Pick<NewFile, 'place'>, index: number, pathHashes: Map<string, number>): void {
  const before = pathHashes.get(place);
  if (before !== undefined) {
    throw new ApiError('invalid_request', { detail: `name: files[${before}] of this batch has this path and name already.` });
  }
  pathHashes.set(place, index);
}

interface Next extends Pick<BatchCreated, 'create_blueprint' | 'upload_id' | 'put_blueprint'> {
  readonly chunkChecksum: ChunkChecksum;
}

/**
 * What each file needs next: one PUT where it fits one chunk and the storage supports this, otherwise the start of a
 * multipart upload.
 */
async function nextRequests({ storage, caches, now }: Context, files: readonly NewFile[]): Promise<Map<NewFile, Next>> {
  const expiresAt = new Date(now().getTime() + limits.blueprintSeconds * 1000);
  const toSend = files.filter((file) => file.kind === 'file');
  const at = now().getTime();
  for (const { id, package_id, size, chunk_size } of toSend) {
    caches.uploads.set(id, { packageId: package_id, size, chunkSize: chunk_size, at });
  }
  const whole = storage.beginWhole ? toSend.filter((file) => file.size !== null && file.size <= file.chunk_size) : [];
  const begun = await storage.beginWhole?.(
    whole.map((file) => ({ key: file.id, size: Number(file.size) })),
    expiresAt,
  );
  const puts = new Map<NewFile, WholeUpload | null>(whole.map((file, at) => [file, begun?.[at] ?? null]));
  const nexts = new Map<NewFile, Next>();
  for (const file of toSend) {
    const put = puts.get(file);
    nexts.set(
      file,
      put
        ? { upload_id: put.uploadId, put_blueprint: put.put, chunkChecksum: put.chunkChecksum ?? storage.chunkChecksum }
        : { create_blueprint: await storage.presignCreate(file.id, expiresAt), chunkChecksum: storage.chunkChecksum },
    );
  }
  return nexts;
}
