import { createHash } from 'node:crypto';
import { ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { entryFault } from '#protocol/names.ts';
import type { HandlersOf } from '../handler.ts';
import { newId } from '../ids.ts';
import { momentFrom } from '../moments.ts';
import { packageFacts, refuseAddition } from '../packages/open.ts';
import { chooseChunkSize } from './chunk-plan.ts';
import { freeObjects } from './freed.ts';
import { toFile } from './wire.ts';
import { insertFiles, type NewFile } from './writes.ts';

/** What may be in a package once. Names hold no `/`, so the joined text is unambiguous. */
const placeOf = (path: string, name: string): Buffer => createHash('sha256').update(`${path}/${name}`).digest();

export const createFile: HandlersOf<'createFile'>['createFile'] = async ({ params, body }, context) => {
  const { db, storage, memory, fileWrites, now } = context;
  const fault = entryFault(body.path, body.name);
  if (fault) throw new ApiError('invalid_request', { detail: fault });
  const directory = body.kind === 'directory';
  const size = directory ? 0 : (body.size ?? null);
  const { chunkSize: packageChunkSize } = await packageFacts(context, params.package_id);
  const chosen = directory ? { chunkSize: 0 } : chooseChunkSize({ file: body.chunk_size, package: packageChunkSize }, size, storage.limits);
  if ('fault' in chosen) throw new ApiError('over_limit', { detail: chosen.fault });
  const file: NewFile = {
    id: newId(),
    package_id: params.package_id,
    place: placeOf(body.path, body.name),
    kind: body.kind,
    path: body.path,
    name: body.name,
    last_modified: momentFrom(body.last_modified, 'last_modified'),
    state: directory ? 'finalized' : 'new',
    size,
    chunk_size: chosen.chunkSize,
    created_at: now(),
  };
  // Within a transaction of its own (under an Idempotency-Key) it does not run together with others.
  const made = db.isTransaction ? (await insertFiles(db, [file]))[0] : await fileWrites.insert(file);
  if (!made) {
    await refuseAddition(context, params.package_id);
    const where = body.path === '' ? body.name : `${body.path}/${body.name}`;
    throw new ApiError('already_exists', {
      detail: `This package has a finalized file ${where} already. Delete it first, or choose another name.`,
    });
  }
  if (made.replacedId) {
    memory.uploads.delete(made.replacedId);
    await freeObjects(context, [made.replacedId]);
  }
  const record = toFile({ ...file, id: made.id, etag: null, digest: null, virus_detected: false }, storage.chunkChecksum);
  if (directory) return { create_blueprint: null, file: record };
  memory.uploads.set(file.id, { packageId: file.package_id, size, chunkSize: file.chunk_size });
  const expiresAt = new Date(now().getTime() + limits.blueprintSeconds * 1000);
  return { create_blueprint: await storage.presignCreate(file.id, expiresAt), file: record };
};
