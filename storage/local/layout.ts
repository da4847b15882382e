import { hash } from 'node:crypto';
import { join, sep } from 'node:path';
import { partEtag } from '#protocol/storage/requests.ts';
import { objectDigest, objectEtag } from '../digests.ts';
import type { StoredObject, StoredPart } from '../ports.ts';

/**
 * Folder layout of local storage. The directory is the manifest: there is no index that could be lost.
 *
 *     uploads/<shard>/<key>@<upload id>/   one folder per unfinished upload, one file per part
 *     completing/<key>@<upload id>/        an upload while it is being completed; it receives no parts
 *     objects/<shard>/<key>/               a complete object: the same files
 *     segments/open/<shard>/<segment>      parts of many small uploads, none of which is completed (segments/format.ts)
 *     segments/stored/<shard>/<segment>    the same file, flushed, once one of them is completed: an object is a part of it
 *     trash/<random>/                      removed by a rename, about to be deleted
 *
 * A part is named `<number>.<size>.<blake3>`; it gets that name only once it is complete. The name of a part that is
 * being received begins with a dot. A file `damaged` in an object's folder has it refused (service/integrity/). Of two files with the same part number the newer one counts.
 */
export const folders = { uploads: 'uploads', completing: 'completing', objects: 'objects', segments: 'segments', trash: 'trash' } as const;
/** In the folder of an object whose bytes are not those of its parts' names: nobody gets them any more. */
export const damagedMark = 'damaged';
export const segmentFolders = { open: 'open', stored: 'stored' } as const;

/** Two hex digits spread keys evenly, so that no folder has too many entries. */
export const shards: readonly string[] = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

const shardOf = (key: string): string => hash('sha1', key).slice(0, 2);

/** A key as one file name. No key contains `~`. */
const flat = (key: string): string => key.replaceAll('/', '~');

const uploadName = (key: string, uploadId: string): string => `${flat(key)}@${uploadId}`;

export interface Layout {
  readonly root: string;
  upload(key: string, uploadId: string): string;
  completing(key: string, uploadId: string): string;
  object(key: string): string;
  /** The same below the folder of all objects, with slashes. */
  objectPath(key: string): string;
  /** The parent folder of a key's object. */
  objectsWith(key: string): string;
  trash(name: string): string;
  /** The parent folders of a segment, or of all segments of a group, by its id. */
  openSegments(segment: string): string;
  storedSegments(segment: string): string;
  /** The parent folder of a key's uploads, and the prefix of their names. */
  uploadsOf(key: string): { readonly folder: string; readonly prefix: string };
}

/** Paths are built for every received file, so by plain concatenation, which is faster than `join`. */
export function layoutOf(root: string): Layout {
  const under = (name: string): string => join(root, name) + sep;
  const uploads = under(folders.uploads);
  const completing = under(folders.completing);
  const objects = under(folders.objects);
  const trash = under(folders.trash);
  const openSegments = under(join(folders.segments, segmentFolders.open));
  const storedSegments = under(join(folders.segments, segmentFolders.stored));
  return {
    root,
    upload: (key, uploadId) => uploads + shardOf(key) + sep + uploadName(key, uploadId),
    completing: (key, uploadId) => completing + uploadName(key, uploadId),
    object: (key) => objects + shardOf(key) + sep + flat(key),
    objectPath: (key) => `${shardOf(key)}/${flat(key)}`,
    objectsWith: (key) => objects + shardOf(key),
    trash: (name) => trash + name,
    openSegments: (segment) => openSegments + segment.slice(0, 2),
    storedSegments: (segment) => storedSegments + segment.slice(0, 2),
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
  return { partNumber, size, hex, etag: partEtag(hex), file: `${String(partNumber).padStart(5, '0')}.${size}.${hex}` };
}

/** `null` for a file that is not a complete part. */
export function parsePartFile(name: string): PartFile | null {
  const match = partPattern.exec(name);
  return match ? { partNumber: Number(match[1]), size: Number(match[2]), hex: match[3]!, etag: partEtag(match[3]!), file: name } : null;
}

/** Ascending by part number; other files are left out. */
export function partFiles(names: readonly string[]): PartFile[] {
  const parts: PartFile[] = [];
  for (const name of names) {
    const part = parsePartFile(name);
    if (part) parts.push(part);
  }
  return parts.sort((a, b) => a.partNumber - b.partNumber || (a.file < b.file ? -1 : 1));
}

/** The object that consists of these parts. */
export const objectOf = (parts: readonly PartFile[]): StoredObject => {
  const digest = objectDigest(parts.map((part) => part.hex));
  return { size: parts.reduce((sum, part) => sum + part.size, 0), etag: objectEtag(digest, parts.length), digest };
};
