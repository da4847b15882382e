import type { Readable } from 'node:stream';
import { objectDamaged } from '#storage/errors.ts';
import type { ObjectStorage } from '#storage/ports.ts';
import type { Checksums } from './checksums.ts';
import type { ZipEntry } from './entry.ts';
import { indexAt, type ZipLayout } from './layout.ts';
import type { ZipFlavour } from './names.ts';
import { centralHeader, descriptor, descriptorSize, end, localHeader, localHeaderSize } from './records.ts';

export interface Zip {
  readonly flavour: ZipFlavour;
  readonly layout: ZipLayout;
  readonly checksums: Checksums;
}

/** Files up to this size are read completely ahead of their turn, so that many small files do not cost a round trip each. */
const smallSize = 64 * 1024;
const readAhead = 16;
/** Small chunks are sent together in batches of about this many bytes. */
const batchSize = 256 * 1024;

/**
 * The bytes `start` to `last` (inclusive) of a zip, in pieces. Files before `start` are not read, unless a checksum is
 * needed that is not known yet. Errors: `StorageError`, also if the size of a stored file has changed.
 */
export async function* zipBytes(zip: Zip, storage: Pick<ObjectStorage, 'read'>, start: number, last: number): AsyncGenerator<Buffer> {
  let batch: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces(zip, storage, start, last + 1)) {
    batch.push(piece);
    size += piece.length;
    if (size < batchSize) continue;
    yield batch.length === 1 ? piece : Buffer.concat(batch, size);
    batch = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(batch, size);
}

/** `until` is exclusive. */
async function* pieces(zip: Zip, storage: Pick<ObjectStorage, 'read'>, start: number, until: number): AsyncGenerator<Buffer> {
  const { layout, checksums, flavour } = zip;
  const { entries, offsets, centralOffsets } = layout;
  const ahead = createReadAhead(zip, storage);
  try {
    let at = start;
    /** The requested part of a record that begins at `offset`. */
    const cut = (record: Buffer, offset: number): Buffer => {
      const piece = record.subarray(Math.max(0, at - offset), Math.max(0, until - offset));
      at = Math.max(at, Math.min(until, offset + record.length));
      return piece;
    };

    for (let index = indexAt(offsets, start); index < entries.length && at < until; index += 1) {
      const entry = entries[index]!;
      const data = offsets[index]! + localHeaderSize(entry);
      if (at < data) yield cut(localHeader(entry), offsets[index]!);
      const dataEnd = data + entry.size;
      if (at < Math.min(until, dataEnd)) {
        const to = Math.min(until, dataEnd) - data;
        for await (const bytes of at === data && to === entry.size ? ahead.whole(index) : read(storage, entry, at - data, to)) {
          checksums.add(index, at - data, bytes);
          at += bytes.length;
          yield bytes;
        }
      }
      if (at < until && at < dataEnd + descriptorSize(entry)) yield cut(descriptor(entry, await ahead.checksum(index)), dataEnd);
    }
    for (let index = indexAt(centralOffsets, Math.max(at, centralOffsets[0]!)); index < entries.length && at < until; index += 1) {
      const record = centralHeader(flavour, entries[index]!, offsets[index]!, await ahead.checksum(index));
      yield cut(record, centralOffsets[index]!);
    }
    if (at < until) {
      const central = offsets[entries.length]!;
      const directoryEnd = centralOffsets[entries.length]!;
      yield cut(end(entries.length, central, directoryEnd - central), directoryEnd);
    }
  } finally {
    ahead.stop();
  }
}

/** The bytes `from` to `to` (exclusive) of a file. */
async function* read(storage: Pick<ObjectStorage, 'read'>, entry: ZipEntry, from: number, to: number): AsyncGenerator<Buffer> {
  const stream: Readable = await storage.read(entry.key, { start: from, end: to - 1 });
  let got = 0;
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    got += bytes.length;
    if (got > to - from) break;
    yield bytes;
  }
  if (got !== to - from) throw objectDamaged('A stored file is not as long as it was when it was received.');
}

interface ReadAhead {
  /** An entry's bytes; for a small entry they may be read already. Starts reading the next small entries. */
  whole(index: number): AsyncIterable<Buffer>;
  /** An entry's checksum; reads the bytes that are not included yet. */
  checksum(index: number): Promise<number>;
  stop(): void;
}

function createReadAhead({ layout: { entries }, checksums }: Zip, storage: Pick<ObjectStorage, 'read'>): ReadAhead {
  const begun = new Map<number, Promise<Buffer>>();
  let stopped = false;
  const readable = (index: number): boolean => {
    const entry = entries[index];
    return entry !== undefined && entry.size > 0 && entry.size <= smallSize;
  };
  const readSmall = async (index: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for await (const bytes of read(storage, entries[index]!, 0, entries[index]!.size)) parts.push(bytes);
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  };
  const begin = (index: number): Promise<Buffer> => {
    const known = begun.get(index);
    if (known) return known;
    const reading = readSmall(index);
    // The consumer handles a failure; without a consumer it must not become an unhandled rejection.
    reading.catch(() => undefined);
    begun.set(index, reading);
    return reading;
  };
  const beginFollowers = (index: number, wanted: (index: number) => boolean): void => {
    for (let next = index + 1; next <= index + readAhead && begun.size < readAhead; next += 1) {
      if (!stopped && readable(next) && wanted(next)) begin(next);
    }
  };
  return {
    async *whole(index) {
      if (!readable(index)) {
        yield* read(storage, entries[index]!, 0, entries[index]!.size);
        return;
      }
      const reading = begin(index);
      beginFollowers(index, () => true);
      const bytes = await reading;
      begun.delete(index);
      yield bytes;
    },
    async checksum(index) {
      if (checksums.of(index) === null && readable(index)) {
        const reading = begin(index);
        beginFollowers(index, (next) => checksums.of(next) === null);
        checksums.add(index, 0, await reading);
        begun.delete(index);
      }
      for (let upTo = checksums.upTo(index); checksums.of(index) === null; upTo = checksums.upTo(index)) {
        let at = upTo;
        for await (const bytes of read(storage, entries[index]!, upTo, entries[index]!.size)) {
          checksums.add(index, at, bytes);
          at += bytes.length;
        }
      }
      return checksums.of(index)!;
    },
    stop() {
      stopped = true;
      begun.clear();
    },
  };
}
