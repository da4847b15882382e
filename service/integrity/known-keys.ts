import type pg from 'pg';
import { limits } from '#protocol/limits.ts';
import { isSegment } from '#storage/keys.ts';
import { imagePrefix } from '../backup/missing.ts';

/** Which of the keys that a storage has some row needs. */

/** Whoever has an address may still send: a row can come after its object by as much, and the nightly sweeps have had their turn. */
export const youngSeconds = limits.blueprintSeconds + 2 * 24 * 3600;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isFileKey = (key: string): boolean => uuid.test(key);
const isImageKey = (key: string): boolean => key.startsWith(imagePrefix) && uuid.test(key.slice(imagePrefix.length));

/** Whether Longshore makes such keys. */
export const isObjectKey = (key: string): boolean => isFileKey(key) || isImageKey(key);

/** A file that is packed has no object of its own. */
const ofFiles = 'select id::text as key from files where id = any($1::uuid[]) and object_key is null';
const ofKeptImages = 'select $2 || id as key from images where id = any($1::uuid[])';
const ofFreed = 'select key from freed_objects where key = any($1::text[])';

export async function knownObjects(client: pg.Client, keys: readonly string[]): Promise<Set<string>> {
  const images = keys.filter(isImageKey).map((key) => key.slice(imagePrefix.length));
  return new Set([
    ...(await selected(client, ofFiles, keys.filter(isFileKey))),
    ...(await selected(client, ofKeptImages, images, [imagePrefix])),
    ...(await selected(client, ofFreed, keys)),
  ]);
}

export const knownSegments = async (client: pg.Client, ids: readonly string[]): Promise<Set<string>> =>
  new Set(await selected(client, 'select id as key from segments where id = any($1::text[])', ids.filter(isSegment)));

/** Keys of files to which somebody may still send parts: created, and not finalized. */
export const keysUnderWay = async (client: pg.Client, keys: readonly string[]): Promise<Set<string>> =>
  new Set(await selected(client, `select id::text as key from files where id = any($1::uuid[]) and state = 'new'`, keys.filter(isFileKey)));

async function selected(client: pg.Client, query: string, keys: readonly string[], more: readonly string[] = []): Promise<string[]> {
  if (keys.length === 0) return [];
  const { rows } = await client.query<{ key: string }>(query, [keys, ...more]);
  return rows.map(({ key }) => key);
}
