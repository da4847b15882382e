import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { isSegment } from '#storage/keys.ts';
import { folders, segmentFolders, shards } from '#storage/local/layout.ts';
import { isAbsent } from '../backup/backup-error.ts';
import type { Finding } from './finding.ts';
import { isObjectKey, knownObjects, knownSegments, youngSeconds } from './known-keys.ts';

/** Objects in the folder that no row names. */

const namesPerQuery = 1_000;

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
  const known = await (isOfSegments ? knownSegments : knownObjects)(client, keys);
  const isOurs = isOfSegments ? isSegment : isObjectKey;
  return names.flatMap((name, index) => {
    const key = keys[index]!;
    if (known.has(key)) return [];
    return [{ kind: isOurs(key) ? ('orphan' as const) : ('foreign' as const), key, path: `${folder}/${name}` }];
  });
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
