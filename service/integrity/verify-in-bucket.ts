import { addAbortSignal, Readable } from 'node:stream';
import { objectDigest } from '#storage/digests.ts';
import { StorageError } from '#storage/errors.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import { faultsOfSegment } from '../backup/object-copy.ts';
import type { ListedItem, ListedObject } from '../backup/object-list.ts';
import { type Fault, judgeRow, type StoredFacts } from '../backup/row-facts.ts';
import { wholeOf } from '../backup/streams.ts';
import { multipartMd5 } from '../files/chunk-check.ts';
import { type ChunkSums, openChunkSums } from './chunk-sums.ts';
import type { Inside } from './inside.ts';
import { segmentKey } from './item-key.ts';
import type { Pace } from './pace.ts';

/** Times that an object is read: bytes can change on their way, and connections end. What differs each time is the storage's. */
const mostReads = 3;

export interface BucketReading {
  readonly storage: ObjectStorage;
  readonly pace: Pace;
  /** Aborted: what is read now is given up. */
  readonly signal: AbortSignal;
  /** `worked`: not by an earlier run. */
  readonly moved: (bytes: number, worked?: boolean) => void;
  /** To go on after the last chunk that was read. */
  readonly inside?: Inside | undefined;
}

/** Reads an item and compares its bytes. Rejects with a `StorageError` where the storage does not answer, or the signal's reason. */
export const verifyBytes = (item: ListedItem, reading: BucketReading): Promise<readonly Fault[]> =>
  item.kind === 'object' ? verifyObject(item.object, reading) : verifySegment(item, reading);

async function verifyObject(object: ListedObject, reading: BucketReading): Promise<readonly Fault[]> {
  const sums = openChunkSums(object.facts?.chunkSize ?? 0, reading.inside?.kept);
  if (sums.reads === 1) reading.moved(sums.size(), false);
  let breaks = 0;
  for (;;) {
    const before = sums.count();
    let read: StoredFacts | null;
    try {
      read = await readObject(object, sums, reading);
    } catch (error) {
      // What the storage refuses was tried again by its wrapper. A connection that ends amid an object is tried again at once.
      if (reading.signal.aborted || error instanceof StorageError) throw error;
      breaks = sums.count() > before ? 1 : breaks + 1;
      if (breaks === mostReads) throw error;
      continue;
    }
    if (read === null) return [{ object, why: 'absent' }];
    const fault = await judge(object, read, reading.storage);
    if (fault?.why !== 'damaged' || sums.reads === mostReads) return fault ? [fault] : [];
    sums.again();
    await reading.inside?.keep(sums.kept);
  }
}

/** Where an etag is no digest, the sender's is what there is. */
async function judge(object: ListedObject, read: StoredFacts, storage: ObjectStorage): Promise<Fault | null> {
  const fault = judgeRow(object, read);
  if (fault?.why !== 'damaged' || !(await storage.head(object.key))?.isOpaque) return fault;
  return judgeRow(object, { size: read.size, digest: read.digest });
}

/** From where the sums are on. `null` where it is not there. */
async function readObject(
  { key, etag, size: expected, facts }: ListedObject,
  sums: ChunkSums,
  { storage, signal, pace, moved, inside }: BucketReading,
): Promise<StoredFacts | null> {
  const bytes = await unlessAborted(signal, openFrom(storage, key, sums, expected), (late) => {
    if (late instanceof Readable) late.destroy();
  });
  if (bytes === null) return null;
  if (bytes instanceof Readable) addAbortSignal(signal, bytes);
  for await (const piece of bytes) {
    signal.throwIfAborted();
    await pace(piece.length);
    const chunks = sums.count();
    sums.add(piece);
    if (sums.reads === 1) moved(piece.length);
    if (sums.count() > chunks && sums.size() < expected) await inside?.keep(sums.kept);
  }
  const size = sums.size();
  // A connection that ended early is no object cut short: that one's head says so.
  if (size < expected && (await storage.head(key))?.size !== size)
    throw new Error('The object storage broke off in the middle of an object.');
  const { md5s, blake3s } = sums.end();
  const count = Number(/-(\d+)$/.exec(etag)?.[1] ?? 0);
  return {
    size,
    etag: count === 0 ? (md5s.length === 1 ? md5s[0]! : '') : multipartMd5(md5s.map((one) => ({ etag: one }))),
    digest: facts && facts.digest !== '' ? objectDigest(blake3s) : undefined,
    chunks: md5s,
  };
}

/** A bucket that does not answer holds up no stop. `leave` gets what comes after all. */
async function unlessAborted<T>(signal: AbortSignal, coming: Promise<T>, leave: (late: T) => void): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => {
    coming.then(leave, () => undefined);
    reject(signal.reason);
  };
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([coming, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function openFrom(storage: ObjectStorage, key: string, sums: ChunkSums, expected: number) {
  let start = sums.rewind();
  if (start > 0 && (await storage.head(key))?.size !== expected) {
    // It is another one by now.
    sums.forget();
    start = 0;
  }
  if (start > 0 && start === expected) return [];
  return await openOr(storage, key, null, start === 0 ? undefined : { start, end: expected - 1 });
}

async function verifySegment(
  { segment, objects }: Extract<ListedItem, { kind: 'segment' }>,
  { storage, signal, pace, moved }: BucketReading,
): Promise<readonly Fault[]> {
  let faults: readonly Fault[] = [];
  for (let reads = 1; reads <= mostReads; reads += 1) {
    const bytes = await unlessAborted(signal, readSegment(storage, segment), () => undefined).catch(unlessLast(reads, signal));
    if (bytes === 'again') continue;
    if (bytes === null) return objects.map((object) => ({ object, why: 'absent' }));
    await pace(bytes.length);
    faults = faultsOfSegment(bytes, segment, objects);
    if (faults.every(({ why }) => why !== 'damaged')) break;
  }
  moved(objects.reduce((sum, { size }) => sum + size, 0));
  return faults;
}

const unlessLast =
  (reads: number, signal: AbortSignal) =>
  (error: unknown): 'again' => {
    if (reads === mostReads || signal.aborted || error instanceof StorageError) throw error;
    return 'again';
  };

async function readSegment(storage: ObjectStorage, segment: string): Promise<Buffer | null> {
  const bytes = await openOr(storage, segmentKey(segment), null);
  return bytes && (await wholeOf(bytes));
}

async function openOr<T>(
  storage: ObjectStorage,
  key: string,
  other: T,
  range?: { readonly start: number; readonly end: number },
): Promise<AsyncIterable<Uint8Array> | T> {
  try {
    return await storage.read(key, range);
  } catch (error) {
    if (error instanceof StorageError && error.code === 'no_such_object') return other;
    throw error;
  }
}
