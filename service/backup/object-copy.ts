import { Blake3Hasher } from '@napi-rs/blake-hash';
import { partEtag } from '#protocol/storage/requests.ts';
import { objectDigest, objectEtag } from '#storage/digests.ts';
import { folders, layoutOf, objectOf, type PartFile, partFiles, segmentFolders } from '#storage/local/layout.ts';
import { parsePackedKey } from '#storage/packed-key.ts';
import { type PackedPart, partAt, wholeParts } from '#storage/segments/format.ts';
import type { Inside } from '../integrity/inside.ts';
import { DamagedError, isAbsent } from './backup-error.ts';
import type { ListedItem, ListedObject } from './object-list.ts';
import type { FileStore } from './ports.ts';
import { type Fault, judgeRow } from './row-facts.ts';
import { once, wholeOf } from './streams.ts';

/**
 * Objects of local storage in a place, by the same paths as in the storage's own folder (storage/local/layout.ts). What is
 * copied is compared with its digest on the way: parts have it in their names, segments in their index.
 */

const layout = layoutOf('/');
const folderOf = (key: string): string => `${folders.objects}/${layout.objectPath(key)}`;
const pathOfSegment = (segment: string): string => `${folders.segments}/${segmentFolders.stored}/${segment.slice(0, 2)}/${segment}`;

/** Where an object's bytes are in a place. */
export function pathOf(key: string): string {
  const packed = parsePackedKey(key);
  return packed ? pathOfSegment(packed.segment) : folderOf(key);
}

export interface CopyStores {
  readonly from: FileStore;
  readonly to: FileStore;
  /** What follows the name of a segment that is damaged in parts, so that the next backup looks at it again. */
  readonly damagedMark: string;
  /** Bytes of the item that are in place now. `copied`: they were not before. */
  readonly moved: (bytes: number, copied: boolean) => void;
}

/** Copies what is not there yet. Returns what cannot be copied; rejects with a place's failure. */
export const copyItem = (item: ListedItem, stores: CopyStores): Promise<readonly Fault[]> =>
  item.kind === 'object' ? copyObject(item.object, stores) : copySegment(item, stores);

async function copyObject(object: ListedObject, { from, to, moved }: CopyStores): Promise<readonly Fault[]> {
  const folder = folderOf(object.key);
  const parts = await partsAt(from, folder);
  if (parts.length === 0) return [{ object, why: 'absent' }];
  if (!isAsListed(object, parts)) return [{ object, why: 'damaged' }];
  const there = new Map((await to.list(folder)).map(({ name, size }) => [name, size]));
  for (const part of parts) {
    const isThere = there.get(part.file) === part.size;
    try {
      if (!isThere) await to.write(`${folder}/${part.file}`, comparing(from.read(`${folder}/${part.file}`, part.size), part, moved));
    } catch (error) {
      if (error instanceof DamagedError) return [{ object, why: 'damaged' }];
      if (isAbsent(error) && (await partsAt(from, folder)).length === 0) return [{ object, why: 'absent' }];
      throw error;
    }
    if (isThere) moved(part.size, false);
  }
  return [];
}

const partsAt = async (store: FileStore, folder: string): Promise<PartFile[]> =>
  partFiles((await store.list(folder)).map(({ name }) => name));

const isAsListed = (object: ListedObject, parts: readonly PartFile[]): boolean => {
  const found = objectOf(parts);
  return found.size === object.size && (object.etag === '' || found.etag === object.etag);
};

/** Passes a part's bytes on; throws where they are not those that its name says. */
async function* comparing(bytes: AsyncIterable<Buffer>, part: PartFile, moved: CopyStores['moved']): AsyncGenerator<Buffer> {
  const hasher = new Blake3Hasher();
  let size = 0;
  for await (const piece of bytes) {
    hasher.update(piece);
    size += piece.length;
    moved(piece.length, true);
    yield piece;
  }
  if (size !== part.size || hasher.digest('hex') !== part.hex) throw new DamagedError(`${part.file} is damaged`);
}

async function copySegment(
  { segment, objects }: Extract<ListedItem, { kind: 'segment' }>,
  { from, to, damagedMark, moved }: CopyStores,
): Promise<readonly Fault[]> {
  const path = pathOfSegment(segment);
  const { source, size } = await segmentAt(from, path);
  if (size === null) return objects.map((object) => ({ object, why: 'absent' }));
  const bytes = objects.reduce((sum, object) => sum + object.size, 0);
  if ((await to.sizeOf(path)) === size) {
    moved(bytes, false);
    return [];
  }
  const found = await wholeOf(from.read(source)).catch((error: unknown) => {
    if (isAbsent(error)) return null;
    throw error;
  });
  if (!found) return objects.map((object) => ({ object, why: 'absent' }));
  // Also a damaged one is copied: most of its objects can be whole.
  const faults = faultsOfSegment(found, segment, objects);
  if (faults.length < objects.length) await to.write(faults.length > 0 ? path + damagedMark : path, once(found));
  moved(bytes, true);
  return faults;
}

/** Where a segment is: in a backup maybe as one that was damaged. */
async function segmentAt(store: FileStore, path: string): Promise<{ readonly source: string; readonly size: number | null }> {
  const size = await store.sizeOf(path);
  if (size !== null) return { source: path, size };
  return { source: path + inBackup, size: await store.sizeOf(path + inBackup) };
}

/** `damagedMark` of backups. */
export const inBackup = '.damaged';

/** What of these objects is not whole in the bytes of their segment. */
export function faultsOfSegment(bytes: Buffer, segment: string, objects: readonly ListedObject[]): Fault[] {
  const parts = wholeParts(bytes, segment);
  return objects.flatMap((object) => {
    const { offset, length } = parsePackedKey(object.key)!;
    const part = partAt(parts, offset, length);
    return part ? (judgeRow(object, storedPart(part)) ?? []) : { object, why: 'damaged' as const };
  });
}

function storedPart({ length, hex }: PackedPart) {
  const digest = objectDigest([hex]);
  return { size: length, etag: objectEtag(digest, 1), digest, chunks: [partEtag(hex)] };
}

export interface VerifyStore {
  readonly at: FileStore;
  /** Only names and sizes are compared, no bytes are read. */
  readonly quick: boolean;
  /** `worked`: not by an earlier run. */
  readonly moved: (bytes: number, worked?: boolean) => void;
  /** To go on after the last part that was compared. */
  readonly inside?: Inside | undefined;
}

/** Compares what is in a place with the list. */
export const verifyItem = (item: ListedItem, verify: VerifyStore): Promise<readonly Fault[]> =>
  item.kind === 'object' ? verifyObject(item.object, verify) : verifySegment(item, verify);

/** Kept of an object of many parts. */
interface PartsDone {
  readonly last_part: string;
}

async function verifyObject(object: ListedObject, { at, quick, moved, inside }: VerifyStore): Promise<readonly Fault[]> {
  const folder = folderOf(object.key);
  const entries = new Map((await at.list(folder)).map(({ name, size }) => [name, size]));
  const parts = partFiles([...entries.keys()]);
  if (parts.length === 0) return [{ object, why: 'absent' }];
  const fault = judgeRow(object, { ...objectOf(parts), chunks: parts.map(({ etag }) => etag) });
  if (fault?.why === 'damaged' || parts.some((part) => entries.get(part.file) !== part.size)) return [{ object, why: 'damaged' }];
  const altered = fault ? [fault] : [];
  if (quick) {
    moved(object.size);
    return altered;
  }
  try {
    // A part's name has its digest, so what was compared under it is still that.
    const done = parts.findIndex(({ file }) => file === (inside?.kept as PartsDone | null)?.last_part) + 1;
    for (const { size } of parts.slice(0, done)) moved(size, false);
    for (const part of parts.slice(done)) {
      for await (const _ of comparing(at.read(`${folder}/${part.file}`, part.size), part, (bytes) => moved(bytes)));
      await inside?.keep((): PartsDone => ({ last_part: part.file }));
    }
    return altered;
  } catch (error) {
    if (error instanceof DamagedError) return [{ object, why: 'damaged' }];
    throw error;
  }
}

async function verifySegment(
  { segment, objects }: Extract<ListedItem, { kind: 'segment' }>,
  { at, quick, moved }: VerifyStore,
): Promise<readonly Fault[]> {
  const { source, size } = await segmentAt(at, pathOfSegment(segment));
  if (size === null) return objects.map((object) => ({ object, why: 'absent' }));
  const last = Math.max(...objects.map(({ key }) => parsePackedKey(key)!).map(({ offset, length }) => offset + length));
  const faults = quick
    ? objects.filter(() => size <= last).map((object) => ({ object, why: 'damaged' as const }))
    : faultsOfSegment(await wholeOf(at.read(source)), segment, objects);
  moved(objects.reduce((sum, object) => sum + object.size, 0));
  return faults;
}
