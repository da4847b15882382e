import { LRUCache } from 'lru-cache';
import type { FileSystem } from '#filesystem/port.ts';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { KeyedLock } from '#net/keyed-lock.ts';
import { maxEntries } from '#net/lru-size.ts';
import { partEtag } from '#protocol/storage/requests.ts';
import type { StorageError } from '../../errors.ts';
import { uploadGroupOf } from '../../keys.ts';
import { packedKey } from '../../packed-key.ts';
import type { StoredObject, StoredPart, UploadToComplete } from '../../ports.ts';
import { packedObject } from '../../segments/packed-object.ts';
import type { Disk } from '../disk.ts';
import { diskError, isAbsent } from '../disk-errors.ts';
import { forEachConcurrent } from '../flush-concurrency.ts';
import type { Layout } from '../layout.ts';
import type { FoundPart, ReceivedSegments } from './received-segments.ts';
import { segmentPath } from './segment-file.ts';

interface PackedUploadsPorts {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly disk: Disk;
  readonly received: ReceivedSegments;
  readonly syncWhenFast: SyncWhenFast;
}

/** Limit of remembered segments that are certainly safe. */
const rememberedStored = 10_000;

/**
 * Completes uploads whose part lies in a segment. The first completion of a segment flushes it and moves it from `open`
 * to `stored`, by one rename; then the folder is flushed. So one flush of a file and one of a folder make all objects of a
 * request safe. Every step is idempotent, so it can be repeated after a crash.
 */
export class PackedUploads {
  readonly #files: FileSystem;
  readonly #layout: Layout;
  readonly #disk: Disk;
  readonly #received: ReceivedSegments;
  readonly #syncWhenFast: SyncWhenFast;
  readonly #lock = new KeyedLock();
  readonly #stored = new LRUCache<string, true>(maxEntries(rememberedStored));

  constructor({ files, layout, disk, received, syncWhenFast }: PackedUploadsPorts) {
    this.#files = files;
    this.#layout = layout;
    this.#disk = disk;
    this.#received = received;
    this.#syncWhenFast = syncWhenFast;
  }

  /** The part of an upload, if it lies in a segment. */
  part(key: string, uploadId: string): StoredPart | null {
    const found = this.#find([{ key, uploadId }], () => true)[0];
    return found ? { partNumber: 1, etag: partEtag(found.part.hex), size: found.part.length } : null;
  }

  /** The objects in the order of the request; `null` where no segment holds the part that is named. */
  async completeAll(uploads: readonly UploadToComplete[]): Promise<(StoredObject | StorageError | null)[]> {
    const results: (StoredObject | StorageError | null)[] = uploads.map(() => null);
    const touched = new Map<string, number[]>();
    let found: readonly (FoundPart | undefined)[];
    try {
      found = this.#find(uploads, ({ part }, { parts }) => isNamed(part.hex, parts));
    } catch (error) {
      return uploads.map(({ uploadId }) => (uploadGroupOf(uploadId) === null ? null : diskError(error)));
    }
    for (const [index, one] of found.entries()) {
      if (!one) continue;
      const { segment, part } = one;
      results[index] = { ...packedObject(part), key: packedKey({ segment, offset: part.offset, length: part.length }) };
      const indexes = touched.get(segment);
      if (indexes) indexes.push(index);
      else touched.set(segment, [index]);
    }
    const failed = (segment: string, result: StorageError | null): void => {
      for (const index of touched.get(segment)!) results[index] = result;
    };
    const folders = new Map<string, string[]>();
    await forEachConcurrent([...touched.keys()], async (segment) => {
      if (this.#stored.has(segment) && this.#isStored(segment)) return;
      try {
        if (!(await this.#store(segment))) return failed(segment, null);
        const folder = this.#layout.storedSegments(segment);
        const others = folders.get(folder);
        if (others) others.push(segment);
        else folders.set(folder, [segment]);
      } catch (error) {
        failed(segment, diskError(error));
      }
    });
    await forEachConcurrent([...folders], async ([folder, segments]) => {
      try {
        if (!this.#syncWhenFast(() => flushed(() => this.#disk.syncFolderNow(folder)))) await this.#disk.syncFolder(folder);
        for (const segment of segments) this.#stored.set(segment, true);
      } catch (error) {
        // The segments are in place; a retry flushes again.
        for (const segment of segments) failed(segment, diskError(error));
      }
    });
    return results;
  }

  /** Looks in memory first, then at the open segments, then at those with completed objects. */
  #find<Upload extends Pick<UploadToComplete, 'key' | 'uploadId'>>(
    uploads: readonly Upload[],
    wanted: (found: FoundPart, upload: Upload) => boolean,
  ): readonly (FoundPart | undefined)[] {
    const found: (FoundPart | undefined)[] = [];
    let missing = [...uploads.entries()].filter(([, { uploadId }]) => uploadGroupOf(uploadId) !== null);
    const look = (): void => {
      missing = missing.filter(([index, upload]) => {
        const one = this.#received.remembered(upload.key, upload.uploadId).findLast((candidate) => wanted(candidate, upload));
        found[index] = one;
        return one === undefined;
      });
    };
    look();
    for (const which of ['open', 'stored'] as const) {
      if (missing.length === 0) break;
      this.#received.learn(new Set(missing.map(([, { uploadId }]) => uploadGroupOf(uploadId)!)), which);
      look();
    }
    return found;
  }

  /** Whether the segment is there. A segment whose flush failed is deleted: the system reports that only once. */
  #store(segment: string): Promise<boolean> {
    const open = segmentPath(this.#layout.openSegments(segment), segment);
    return this.#lock.run(segment, async () => {
      try {
        if (!this.#syncWhenFast(() => flushed(() => this.#disk.syncFileNow(open)))) await this.#disk.syncFile(open);
      } catch (error) {
        if (isAbsent(error)) return this.#isStored(segment);
        this.#received.forget(segment);
        this.#disk.remove(open);
        throw error;
      }
      try {
        this.#disk.rename(open, segmentPath(this.#layout.storedSegments(segment), segment));
        return true;
      } catch (error) {
        if (isAbsent(error)) return this.#isStored(segment);
        throw error;
      }
    });
  }

  #isStored(segment: string): boolean {
    const isThere = this.#files.stat(segmentPath(this.#layout.storedSegments(segment), segment)) !== null;
    if (!isThere) this.#received.forget(segment);
    return isThere;
  }
}

function flushed(flush: () => void): true {
  flush();
  return true;
}

const isNamed = (hex: string, parts: readonly StoredPart[]): boolean =>
  parts.length === 1 && parts[0]!.partNumber === 1 && parts[0]!.etag === partEtag(hex);
