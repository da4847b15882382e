import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import { ApiError } from '#protocol/errors.ts';
import type { BatchFile } from '#protocol/hosted/file-batches.ts';
import { limits } from '#protocol/limits.ts';
import { entryFault } from '#protocol/names.ts';
import type { PackageFacts } from '../caches.ts';
import type { Context } from '../handler.ts';
import { newId } from '../ids.ts';
import { parseDateTime } from '../wire-times.ts';
import { chooseChunkSize } from './chunk-plan.ts';
import type { NewFile } from './writes.ts';

/**
 * The key that is unique within a package, in hex: buffers cost three times as much, and rows are sent as text. Names contain no `/`,
 * so the joined text is unambiguous.
 */
export const pathHash = (path: string, name: string): string => hash('sha256', `${path}/${name}`, 'hex');

/**
 * The row of a new file, for a single call or as part of a batch. Errors: `invalid_request` for names and timestamps,
 * `over_limit` for sizes.
 */
export function planFile(
  body: Static<typeof BatchFile>,
  packageId: string,
  { chunkSize: packageChunkSize }: PackageFacts,
  { storage, now }: Pick<Context, 'storage' | 'now'>,
): NewFile {
  const fault =
    entryFault(body.path, body.name) ??
    (body.path.length > limits.pathLength ? `path: it is longer than ${limits.pathLength} characters.` : null);
  if (fault) throw new ApiError('invalid_request', { detail: fault });
  const directory = body.kind === 'directory';
  const size = directory ? 0 : (body.size ?? null);
  const chosen = directory ? { chunkSize: 0 } : chooseChunkSize({ file: body.chunk_size, package: packageChunkSize }, size, storage.limits);
  if ('fault' in chosen) throw new ApiError('over_limit', { detail: chosen.fault });
  return {
    id: newId(),
    package_id: packageId,
    place: pathHash(body.path, body.name),
    kind: body.kind,
    path: body.path,
    name: body.name,
    last_modified: parseDateTime(body.last_modified, 'last_modified'),
    state: directory ? 'finalized' : 'new',
    size,
    chunk_size: chosen.chunkSize,
    created_at: now(),
  };
}

/** The error if another file with this path and name is finalized. */
export function pathTaken({ path, name }: Pick<NewFile, 'path' | 'name'>): ApiError {
  const where = path === '' ? name : `${path}/${name}`;
  return new ApiError('already_exists', {
    detail: `This package has a finalized file ${where} already. Delete it first, or choose another name.`,
  });
}
