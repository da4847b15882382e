import { createHash } from 'node:crypto';
import { sql } from 'kysely';
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

/** What may be in a package once. Names hold no `/`, so the joined text is unambiguous. */
const placeOf = (path: string, name: string): Buffer => createHash('sha256').update(`${path}/${name}`).digest();

interface Made {
  /** Null when nothing was made: the package takes no files, or a finalized file has the place. */
  readonly id: string | null;
  readonly replaced_id: string | null;
}

export const createFile: HandlersOf<'createFile'>['createFile'] = async ({ params, body }, context) => {
  const { db, storage, memory, now } = context;
  const fault = entryFault(body.path, body.name);
  if (fault) throw new ApiError('invalid_request', { detail: fault });
  const lastModified = momentFrom(body.last_modified, 'last_modified');
  const directory = body.kind === 'directory';
  const size = directory ? 0 : (body.size ?? null);
  const { chunkSize: packageChunkSize } = await packageFacts(context, params.package_id);
  const chosen = directory ? { chunkSize: 0 } : chooseChunkSize({ file: body.chunk_size, package: packageChunkSize }, size, storage.limits);
  if ('fault' in chosen) throw new ApiError('over_limit', { detail: chosen.fault });
  const file = {
    id: newId(),
    kind: body.kind,
    path: body.path,
    name: body.name,
    last_modified: lastModified,
    state: directory ? ('finalized' as const) : ('new' as const),
    size,
    chunk_size: chosen.chunkSize,
    etag: null,
    digest: null,
    virus_detected: false,
  };

  // One statement does all of it, or nothing: the share lock keeps the package from being finalized in between,
  // an unfinalized file of the same place is taken over, and its upload is noted to be freed. A folder that is
  // there already stays the one it was, so that asking again is harmless.
  const result = await sql<Made>`
    with package as (
      select id from packages where id = ${params.package_id} and state = 'new' for share
    ), made as (
      insert into files as f (id, package_id, place, kind, path, name, last_modified, state, size, chunk_size, created_at)
      select ${file.id}::uuid, id, ${placeOf(body.path, body.name)}::bytea, ${file.kind}::text, ${file.path}::text, ${file.name}::text,
             ${file.last_modified}::timestamptz, ${file.state}::text, ${file.size}::bigint, ${file.chunk_size}::bigint, ${now()}::timestamptz
      from package
      on conflict (package_id, place) do update
      set id = case when f.kind = 'directory' then f.id else excluded.id end,
          kind = excluded.kind, last_modified = excluded.last_modified, state = excluded.state, size = excluded.size,
          chunk_size = excluded.chunk_size, created_at = excluded.created_at,
          replaced_id = case when f.kind = 'directory' then null else f.id end
      where f.state = 'new' or (f.kind = 'directory' and excluded.kind = 'directory')
      returning id, replaced_id
    ), freed as (
      insert into freed_objects (key, noted_at) select replaced_id::text, ${now()}::timestamptz from made where replaced_id is not null
    )
    select id, replaced_id from made`.execute(db);
  const made = result.rows[0];
  if (!made?.id) {
    await refuseAddition(context, params.package_id);
    const where = body.path === '' ? body.name : `${body.path}/${body.name}`;
    throw new ApiError('already_exists', {
      detail: `This package has a finalized file ${where} already. Delete it first, or choose another name.`,
    });
  }
  if (made.replaced_id) {
    memory.uploads.delete(made.replaced_id);
    await freeObjects(context, [made.replaced_id]);
  }
  if (directory) return { create_blueprint: null, file: toFile({ ...file, id: made.id }, storage.chunkChecksum) };
  memory.uploads.set(file.id, { packageId: params.package_id, size, chunkSize: file.chunk_size });
  const expiresAt = new Date(now().getTime() + limits.blueprintSeconds * 1000);
  return { create_blueprint: await storage.presignCreate(file.id, expiresAt), file: toFile(file, storage.chunkChecksum) };
};
