import { LRUCache } from 'lru-cache';
import { openFlags } from '#filesystem/flags.ts';
import { readFully, readFullyNow } from '#filesystem/fully.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { hexOf } from '../../digests.ts';
import { objectDamaged, StorageError } from '../../errors.ts';
import type { PackedPlace } from '../../packed-key.ts';
import type { StoredObject } from '../../ports.ts';
import { type PackedPart, partAt } from '../../segments/format.ts';
import { packedObject } from '../../segments/packed-object.ts';
import type { BufferPool } from '../buffer-pool.ts';
import { diskError, isAbsent } from '../disk-errors.ts';
import type { Layout } from '../layout.ts';
import { readSegmentIndex, segmentPath } from './segment-file.ts';

/** Limit of remembered parts; each takes some 300 bytes. */
const remembered = 20_000;

export const noSuchPackedObject = (): StorageError => new StorageError('no_such_object', 'The storage has no such object.');

/**
 * Reads packed objects one after another; one that lies in the same segment as the last costs no opening, and those that
 * follow each other there, as the files of a folder do, are read many at once.
 */
export interface PackedReader {
  /** Reads a whole object to the beginning of a buffer. Throws a `StorageError`. */
  readInto(place: PackedPlace, buffer: Buffer): void;
  close(): void;
}

/**
 * Completed objects in segments. An object is read whole and compared with its digest before a byte of it goes out:
 * objects are small, and a damaged segment must give an error, never other bytes. A segment never changes, so its index
 * is remembered; whether it is still there is asked each time. Errors are `StorageError`s.
 */
export class PackedObjects {
  readonly #files: FileSystem;
  readonly #layout: Layout;
  readonly #syncWhenFast: SyncWhenFast;
  readonly #indexes = new LRUCache<string, readonly PackedPart[]>({ maxSize: remembered, sizeCalculation: (parts) => 1 + parts.length });

  constructor(files: FileSystem, layout: Layout, syncWhenFast: SyncWhenFast) {
    this.#files = files;
    this.#layout = layout;
    this.#syncWhenFast = syncWhenFast;
  }

  head(place: PackedPlace): StoredObject | null {
    try {
      return packedObject(this.part(place));
    } catch (error) {
      if (error instanceof StorageError && error.code === 'no_such_object') return null;
      throw error;
    }
  }

  /** What the segment's index says of an object. */
  part(place: PackedPlace): PackedPart {
    const file = this.#open(place.segment);
    try {
      return this.#partIn(file, place);
    } catch (error) {
      throw diskError(error);
    } finally {
      file.closeNow();
    }
  }

  /** A whole object, by this thread. */
  readNow(place: PackedPlace): Buffer {
    const reader = this.reader();
    try {
      const bytes = Buffer.allocUnsafe(place.length);
      reader.readInto(place, bytes);
      return bytes;
    } finally {
      reader.close();
    }
  }

  /** A whole object, by another thread where the disk is slow. */
  async read(place: PackedPlace): Promise<Buffer> {
    const now = this.#syncWhenFast(() => this.readNow(place));
    if (now) return now;
    const file = this.#open(place.segment);
    try {
      const bytes = Buffer.allocUnsafe(place.length);
      if ((await readFully(file, bytes, place.length, place.offset)) < place.length) throw objectDamaged();
      return checked(bytes, this.#partIn(file, place));
    } catch (error) {
      throw diskError(error);
    } finally {
      file.closeNow();
    }
  }

  /** @param pool lends a buffer for what is read ahead */
  reader(pool: BufferPool | null = null): PackedReader {
    let opened: { readonly segment: string; readonly file: OpenFile } | null = null;
    /** Where the last object ended, if the next may follow it. */
    let end = -1;
    let ahead: { readonly bytes: Buffer; start: number; length: number } | null = null;
    const close = (): void => {
      opened?.file.closeNow();
      opened = null;
      end = -1;
      if (ahead) pool!.give(ahead.bytes);
      ahead = null;
    };
    const read = (file: OpenFile, { offset, length }: PackedPlace, buffer: Buffer): void => {
      const follows = offset === end;
      end = offset + length;
      if (pool && follows && length < pool.size) {
        ahead ??= { bytes: pool.take(), start: 0, length: 0 };
        if (offset < ahead.start || end > ahead.start + ahead.length) {
          ahead.start = offset;
          ahead.length = readFullyNow(file, ahead.bytes, ahead.bytes.length, offset);
        }
        const at = offset - ahead.start;
        if (ahead.length < at + length) throw objectDamaged();
        ahead.bytes.copy(buffer, 0, at, at + length);
      } else if (readFullyNow(file, buffer, length, offset) < length) throw objectDamaged();
    };
    const fileOf = (segment: string): OpenFile => {
      if (opened?.segment !== segment) {
        close();
        opened = { segment, file: this.#open(segment) };
      }
      return opened!.file;
    };
    return {
      close,
      readInto: (place, buffer) => {
        const file = fileOf(place.segment);
        try {
          const part = this.#partIn(file, place);
          read(file, place, buffer);
          checked(buffer.subarray(0, place.length), part);
        } catch (error) {
          throw diskError(error);
        }
      },
    };
  }

  #open(segment: string): OpenFile {
    try {
      return this.#files.openNow(segmentPath(this.#layout.storedSegments(segment), segment), openFlags.readOwn);
    } catch (error) {
      throw isAbsent(error) ? noSuchPackedObject() : diskError(error);
    }
  }

  #partIn(file: OpenFile, { segment, offset, length }: PackedPlace): PackedPart {
    let parts = this.#indexes.get(segment);
    if (!parts) {
      const read = readSegmentIndex(file, segment);
      if (!read) throw objectDamaged();
      parts = read;
      this.#indexes.set(segment, parts);
    }
    const part = partAt(parts, offset, length);
    if (!part) throw noSuchPackedObject();
    return part;
  }
}

function checked(bytes: Buffer, { hex }: PackedPart): Buffer {
  if (hexOf(bytes) !== hex) throw objectDamaged();
  return bytes;
}
