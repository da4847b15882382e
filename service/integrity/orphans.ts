import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { limits } from '#protocol/limits.ts';
import { isSegment } from '#storage/keys.ts';
import { folders, segmentFolders, shards } from '#storage/local/layout.ts';
import { isAbsent } from '../backup/backup-error.ts';
import { imagePrefix } from '../backup/missing.ts';
import type { Finding } from './finding.ts';

/** Objects in the folder that no row names. */

const namesPerQuery = 1_000;
/** Whoever has an address may still send: a row can come after its object by as much, and the nightly sweeps have had their turn. */
export const youngSeconds = limits.blueprintSeconds + 2 * 24 * 3600;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Folders that are looked through, one after the other. */
export const orphanFolders: readonly string[] = [
  ...shards.map((shard) => `${folders.objects}/${shard}`),
  ...shards.map((shard) => `${folders.segments}/${segmentFolders.stored}/${shard}`),
];

/** What in one of `orphanFolders` no row names, of what is old enough. `at`: now. */
export async function findOrphans(client: pg.Client, objectsDir: string, folder: string, at: Date): Promise<Finding[]> {
  const found: Finding[] = [];
  const names = await readdir(join(objectsDir, folder)).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
  for (let from = 0; from < names.length; from += namesPerQuery) {
    const some = names.slice(from, from + namesPerQuery);
    for (const finding of await unnamed(client, folder, some)) {
      const age = await ageOf(join(objectsDir, finding.path), at);
      if (age !== null && age > youngSeconds) found.push(finding);
    }
  }
  return found;
}

/** Seconds since the last change; `null` for what is gone. */
async function ageOf(path: string, at: Date): Promise<number | null> {
  try {
    return (at.getTime() - (await stat(path)).mtimeMs) / 1000;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

async function unnamed(client: pg.Client, folder: string, names: readonly string[]): Promise<Finding[]> {
  const isOfSegments = folder.startsWith(folders.segments);
  const keys = names.map((name) => name.replaceAll('~', '/'));
  const ofImages = (key: string) => key.startsWith(imagePrefix) && uuid.test(key.slice(imagePrefix.length));
  const isOurs = (key: string) => (isOfSegments ? isSegment(key) : uuid.test(key) || ofImages(key));
  const known = new Set(
    isOfSegments
      ? await selected(client, 'select id as key from segments where id = any($1::text[])', keys.filter(isSegment))
      : [
          ...(await selected(
            client,
            ofFiles,
            keys.filter((key) => uuid.test(key)),
          )),
          ...(await selected(
            client,
            ofKeptImages,
            keys.filter(ofImages).map((key) => key.slice(imagePrefix.length)),
            [imagePrefix],
          )),
          ...(await selected(client, 'select key from freed_objects where key = any($1::text[])', keys)),
        ],
  );
  return names.flatMap((name, index) => {
    const key = keys[index]!;
    if (known.has(key)) return [];
    return [{ kind: isOurs(key) ? ('orphan' as const) : ('foreign' as const), key, path: `${folder}/${name}` }];
  });
}

/** A file that is packed has no object of its own. */
const ofFiles = 'select id::text as key from files where id = any($1::uuid[]) and object_key is null';
const ofKeptImages = 'select $2 || id as key from images where id = any($1::uuid[])';

async function selected(client: pg.Client, query: string, keys: readonly string[], more: readonly string[] = []): Promise<string[]> {
  if (keys.length === 0) return [];
  const { rows } = await client.query<{ key: string }>(query, [keys, ...more]);
  return rows.map(({ key }) => key);
}

/** Gives orphans to the sweeps that free what was deleted, which look once more (files/object-cleanup.ts, segment-cleanup.ts). */
export async function freeOrphans(client: pg.Client, orphans: readonly Finding[], at: Date): Promise<void> {
  const isOfSegments = ({ path }: Finding) => path.startsWith(folders.segments);
  const objects = orphans.filter((one) => !isOfSegments(one)).map(({ key }) => key);
  const segments = orphans.filter(isOfSegments).map(({ key }) => key);
  await client.query(
    `insert into freed_objects (key, noted_at)
     select key, $2 from unnest($1::text[]) as asked (key)
     where not exists (select from files where files.id::text = key and object_key is null) on conflict (key) do nothing`,
    [objects, at],
  );
  await client.query(
    `insert into segments (id, bytes, live_bytes, live_files, package_ids, created_at, freed_at)
     select id, 0, 0, 0, '{}', $2, $2 from unnest($1::text[]) as asked (id) order by id on conflict (id) do nothing`,
    [segments, at],
  );
}
