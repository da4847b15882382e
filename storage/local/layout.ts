import { hash } from 'node:crypto';
import { join, sep } from 'node:path';
import { etagOf } from '../digests.ts';
import type { StoredPart } from '../ports.ts';

/**
 * Where things are in local storage's folder. The directory is the manifest: there is no index to lose.
 *
 *     uploads/<shard>/<key>@<upload id>/   one folder per unfinished upload, one file per part
 *     completing/<key>@<upload id>/        an upload while it is being completed; no part can arrive there
 *     objects/<shard>/<key>/               a whole object: the same files
 *     trash/<random>/                      taken out of sight, about to be deleted
 *
 * A part is named `<number>.<size>.<blake3>`; it has that name only once it is whole. What is being
 * received begins with a dot. Of two files with one part number the newer counts.
 */
export const folders = { uploads: 'uploads', completing: 'completing', objects: 'objects', trash: 'trash' } as const;

/** Two hex digits spread keys evenly, so that no folder grows too long. */
export const shards: readonly string[] = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

export const shardOf = (key: string): string => hash('sha1', key).slice(0, 2);

/** A key as one file name. `~` stands in no key. */
const flat = (key: string): string => key.replaceAll('/', '~');

const uploadName = (key: string, uploadId: string): string => `${flat(key)}@${uploadId}`;

export interface Layout {
  readonly root: string;
  upload(key: string, uploadId: string): string;
  completing(key: string, uploadId: string): string;
  object(key: string): string;
  /** The folder that holds the object of a key among others. */
  objectsWith(key: string): string;
  trash(name: string): string;
  /** The folder that holds the uploads of a key among others, and how their names begin. */
  uploadsOf(key: string): { readonly folder: string; readonly prefix: string };
}

/** Each path is needed for every file that comes, so they are put together plainly, which `join` is not. */
export function layoutOf(root: string): Layout {
  const under = (name: string): string => join(root, name) + sep;
  const uploads = under(folders.uploads);
  const completing = under(folders.completing);
  const objects = under(folders.objects);
  const trash = under(folders.trash);
  return {
    root,
    upload: (key, uploadId) => uploads + shardOf(key) + sep + uploadName(key, uploadId),
    completing: (key, uploadId) => completing + uploadName(key, uploadId),
    object: (key) => objects + shardOf(key) + sep + flat(key),
    objectsWith: (key) => objects + shardOf(key),
    trash: (name) => trash + name,
    uploadsOf: (key) => ({ folder: uploads + shardOf(key), prefix: `${flat(key)}@` }),
  };
}

/** The shard of a folder named `<key>@<upload id>`. */
export const shardOfUploadName = (name: string): string => shardOf(name.slice(0, name.lastIndexOf('@')).replaceAll('~', '/'));

const partPattern = /^(\d{5})\.(\d{1,16})\.([0-9a-f]{64})$/;

/** A part and the file that holds it. */
export interface PartFile extends StoredPart {
  readonly file: string;
  /** BLAKE3 of its bytes. */
  readonly hex: string;
}

export function partFile(partNumber: number, size: number, hex: string): PartFile {
  return { partNumber, size, hex, etag: etagOf(hex), file: `${String(partNumber).padStart(5, '0')}.${size}.${hex}` };
}

/** `null` for a file that is no whole part. */
export function parsePartFile(name: string): PartFile | null {
  const match = partPattern.exec(name);
  return match ? { partNumber: Number(match[1]), size: Number(match[2]), hex: match[3]!, etag: etagOf(match[3]!), file: name } : null;
}

/** Ascending by part number; files that are no parts are left out. */
export function partFiles(names: readonly string[]): PartFile[] {
  const parts: PartFile[] = [];
  for (const name of names) {
    const part = parsePartFile(name);
    if (part) parts.push(part);
  }
  return parts.sort((a, b) => a.partNumber - b.partNumber || (a.file < b.file ? -1 : 1));
}
