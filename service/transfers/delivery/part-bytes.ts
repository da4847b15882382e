import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { createDigester } from '#providers/digests.ts';
import { unlessAborted } from '#providers/http/token-cache.ts';
import type { PartRange } from '#providers/parts.ts';
import type { DigestName, Digests, PutPartRequest } from '#providers/ports.ts';
import { StorageError } from '#storage/errors.ts';
import { digestsByThread } from '../digest-thread.ts';
import type { TransferMemory } from '../part-memory.ts';
import { type Content, fill } from './content.ts';
import type { FileHash } from './file-hash.ts';

/** A part's bytes as a provider wants them. Those that pass count for the file's hash too. */
export interface PartBytes extends Pick<PutPartRequest, 'open' | 'pieces'> {
  readonly digests: Digests;
  /** Gives its buffers back, after the provider's call has ended, however it did. What `open` gave cannot be read on then. */
  done(): void;
}

interface Source {
  readonly memory: TransferMemory;
  readonly content: Content;
  readonly hash: FileHash;
}

const noBuffers = (): void => {};

const streamOf = (pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Readable => Readable.from(pieces, { objectMode: false });

/**
 * Copies, since nobody knows how long a stream's bytes are read. V8 counts them and collects them soon, unlike memory that
 * threads share: of that it would let hundreds of MB lie.
 */
function* copies(pieces: readonly Buffer[], offset: number, isOver: () => boolean): Generator<Buffer> {
  let at = 0;
  for (const piece of pieces) {
    if (isOver()) throw new Error('The bytes of a part were read after its buffers had been given back.');
    const skipped = Math.max(0, offset - at);
    if (skipped < piece.length) yield Buffer.from(piece.subarray(skipped));
    at += piece.length;
  }
}

async function digestsHere(names: readonly DigestName[], pieces: readonly Buffer[]): Promise<Digests> {
  const digester = await createDigester(names);
  for (const piece of pieces) digester.update(piece);
  return digester.digests();
}

/** The part in memory: read once. */
export async function bufferedPart(
  { content, hash, memory }: Source,
  { offset, size }: PartRange,
  names: readonly DigestName[],
  signal: AbortSignal,
): Promise<PartBytes> {
  await hash.catchUp(offset, signal);
  const pieces = memory.take(size);
  try {
    await fill(content, pieces, offset, signal);
  } catch (error) {
    // After an abort a stuck disk may fill them one day.
    if (!signal.aborted) memory.give(pieces);
    throw error;
  }
  // A small part is sooner digested than told to another thread.
  const isLarge = names.length > 0 && pieces[0]?.buffer instanceof SharedArrayBuffer;
  const digesting = isLarge ? digestsByThread(names, pieces) : digestsHere(names, pieces);
  let at = offset;
  for (const piece of pieces) {
    // Others wait for this thread.
    if (at > offset) await nextTurn();
    hash.add(at, piece);
    at += piece.length;
  }
  let isOver = false;
  const done = (): void => {
    if (isOver) return;
    isOver = true;
    memory.give(pieces);
  };
  let digests: Digests;
  try {
    digests = isLarge ? await unlessAborted(digesting, signal) : await digesting;
  } catch (error) {
    // The other thread may still read them.
    digesting.then(done, done);
    throw error;
  }
  return { digests, pieces, open: (start) => streamOf(copies(pieces, start, () => isOver)), done };
}

/** For parts that are too large for memory: read once for the digests, and again as it is sent. */
export async function twiceReadPart(
  { content, hash }: Source,
  { offset, size }: PartRange,
  names: readonly DigestName[],
  signal: AbortSignal,
): Promise<PartBytes> {
  await hash.catchUp(offset, signal);
  const digester = await createDigester(names);
  const end = offset + size;
  let at = offset;
  let expected = 0;
  for await (const bytes of content.read(offset, end, signal)) {
    hash.add(at, bytes);
    digester.update(bytes);
    expected = crc32(bytes, expected);
    at += bytes.length;
  }
  async function* again(start: number): AsyncGenerator<Buffer> {
    let found = 0;
    for await (const bytes of content.read(offset + start, end, signal)) {
      found = crc32(bytes, found);
      yield bytes;
    }
    // The provider may not look, where it wants no digest of parts.
    if (start === 0 && found !== expected) {
      throw new StorageError('storage_unavailable', 'The storage gave other bytes of a file when it was read again. Try again soon.');
    }
  }
  return { digests: digester.digests(), open: (start) => streamOf(again(start)), done: noBuffers };
}

/** The part as it is read, where parts go one after the other and no digest is wanted before. */
export function streamedPart({ content, hash }: Source, { offset, size }: PartRange, signal: AbortSignal): PartBytes {
  async function* bytesFrom(start: number): AsyncGenerator<Buffer> {
    let at = offset + start;
    await hash.catchUp(at, signal);
    for await (const bytes of content.read(at, offset + size, signal)) {
      hash.add(at, bytes);
      at += bytes.length;
      yield bytes;
    }
  }
  return { digests: {}, open: (start) => streamOf(bytesFrom(start)), done: noBuffers };
}
