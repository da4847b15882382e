import { createHash } from 'node:crypto';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import { objectDigest } from '#storage/digests.ts';
import { StorageError } from '#storage/errors.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { faultsOfSegment } from '../backup/object-copy.ts';
import type { ListedItem, ListedObject } from '../backup/object-list.ts';
import { type Fault, judgeRow } from '../backup/row-facts.ts';
import { wholeOf } from '../backup/streams.ts';
import { multipartMd5 } from '../files/chunk-check.ts';
import { segmentKey } from './item-key.ts';
import type { Pace } from './pace.ts';

/** Times that an object is read: bytes can change on their way, and connections end. What differs each time is the storage's. */
const mostReads = 3;

export interface BucketReading {
  readonly storage: ObjectStorage;
  readonly pace: Pace;
  readonly moved: (bytes: number) => void;
}

/** Reads an item and compares its bytes. Rejects with a `StorageError` where the storage does not answer, or the signal's reason. */
export const verifyBytes = (item: ListedItem, reading: BucketReading): Promise<readonly Fault[]> =>
  item.kind === 'object' ? verifyObject(item.object, reading) : verifySegment(item, reading);

async function verifyObject(object: ListedObject, reading: BucketReading): Promise<readonly Fault[]> {
  let fault: Fault | null = null;
  for (let reads = 1; reads <= mostReads; reads += 1) {
    const read = await readObject(object, { ...reading, moved: reads === 1 ? reading.moved : () => undefined }).catch(unlessLast(reads));
    if (read === 'again') continue;
    if (read === null) return [{ object, why: 'absent' }];
    fault = judgeRow(object, read);
    if (fault?.why !== 'damaged') return fault ? [fault] : [];
  }
  if (fault && (await reading.storage.head(object.key))?.isOpaque) return judgeOpaque(object, reading);
  return fault ? [fault] : [];
}

/** A connection that ends amid an object is tried again at once; what the storage refuses was tried again by its wrapper. */
const unlessLast =
  (reads: number) =>
  (error: unknown): 'again' => {
    if (reads === mostReads || error instanceof StorageError || (error as Error).name === 'AbortError') throw error;
    return 'again';
  };

/** Where an etag is no digest, the sender's is what there is. */
async function judgeOpaque(object: ListedObject, reading: BucketReading): Promise<readonly Fault[]> {
  const read = await readObject(object, { ...reading, moved: () => undefined });
  if (read === null) return [{ object, why: 'absent' }];
  const fault = judgeRow(object, { size: read.size, digest: read.digest });
  return fault ? [fault] : [];
}

/** `null` where it is not there. */
async function readObject({ key, etag, size: expected, facts }: ListedObject, { storage, pace, moved }: BucketReading) {
  const bytes = await openOr(storage, key, null);
  if (bytes === null) return null;
  const chunkSize = facts?.chunkSize ?? 0;
  const chunks: string[] = [];
  const digests: string[] = [];
  let size = 0;
  let chunk = newChunk();
  const end = () => {
    chunks.push(chunk.md5.digest('hex'));
    digests.push(chunk.blake3.digest('hex'));
    chunk = newChunk();
  };
  for await (const piece of bytes as AsyncIterable<Buffer>) {
    await pace(piece.length);
    for (let from = 0; from < piece.length; ) {
      const some = piece.subarray(from, chunkSize > 0 ? from + chunkSize - chunk.size : undefined);
      chunk.md5.update(some);
      chunk.blake3.update(some);
      chunk.size += some.length;
      from += some.length;
      if (chunk.size === chunkSize) end();
    }
    size += piece.length;
    moved(piece.length);
  }
  if (chunk.size > 0 || chunks.length === 0) end();
  // A connection that ended early is no object cut short: that one's head says so.
  if (size < expected && (await storage.head(key))?.size !== size)
    throw new Error('The object storage broke off in the middle of an object.');
  const count = Number(/-(\d+)$/.exec(etag)?.[1] ?? 0);
  return {
    size,
    etag: count === 0 ? (chunks.length === 1 ? chunks[0]! : '') : multipartMd5(chunks.map((one) => ({ etag: one }))),
    digest: facts && facts.digest !== '' ? objectDigest(digests) : undefined,
    chunks,
  };
}

const newChunk = () => ({ size: 0, md5: createHash('md5'), blake3: new Blake3Hasher() });

async function verifySegment(
  { segment, objects }: Extract<ListedItem, { kind: 'segment' }>,
  { storage, pace, moved }: BucketReading,
): Promise<readonly Fault[]> {
  let faults: readonly Fault[] = [];
  for (let reads = 1; reads <= mostReads; reads += 1) {
    const bytes = await readSegment(storage, segment).catch(unlessLast(reads));
    if (bytes === 'again') continue;
    if (bytes === null) return objects.map((object) => ({ object, why: 'absent' }));
    await pace(bytes.length);
    faults = faultsOfSegment(bytes, segment, objects);
    if (faults.every(({ why }) => why !== 'damaged')) break;
  }
  moved(objects.reduce((sum, { size }) => sum + size, 0));
  return faults;
}

async function readSegment(storage: ObjectStorage, segment: string): Promise<Buffer | null> {
  const bytes = await openOr(storage, segmentKey(segment), null);
  return bytes && (await wholeOf(bytes));
}

async function openOr<T>(storage: ObjectStorage, key: string, other: T): Promise<AsyncIterable<Uint8Array> | T> {
  try {
    return await storage.read(key);
  } catch (error) {
    if (error instanceof StorageError && error.code === 'no_such_object') return other;
    throw error;
  }
}
