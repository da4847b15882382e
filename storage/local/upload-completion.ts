import { join, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import type { KeyedLock } from '#net/keyed-lock.ts';
import { noSuchUpload, StorageError } from '../errors.ts';
import { checkKey, isKey, isUploadId } from '../keys.ts';
import type { StoredObject, StoredPart, UploadToComplete } from '../ports.ts';
import { type Disk, randomName } from './disk.ts';
import { diskError, isAbsent, isThere } from './disk-errors.ts';
import { forEachConcurrent } from './flush-concurrency.ts';
import { partsIn } from './folders.ts';
import { type Layout, objectOf, type PartFile, partFiles } from './layout.ts';

function same(parts: readonly PartFile[], named: readonly StoredPart[]): boolean {
  const wanted = new Map(named.map((part) => [part.partNumber, part.etag]));
  return parts.length === wanted.size && parts.every((part) => wanted.get(part.partNumber) === part.etag);
}

function partMissing(wanted: Iterable<number>, parts: readonly PartFile[]): StorageError {
  const there = new Set(parts.map((part) => part.partNumber));
  const partNumber = Math.min(...[...wanted].filter((one) => !there.has(one)));
  return new StorageError('part_missing', `The storage does not have part ${partNumber}.`, { details: { partNumber } });
}

/** Flushes the object's entry in its folder, so that it survives a power failure. */
type Settle = (shard: string) => Promise<void>;

/** Completing a small upload takes some 60 µs. After this many the event loop gets a turn. */
const completedAtOnce = 32;

/** Largest part in bytes that may be flushed synchronously. */
const smallPart = 1024 * 1024;

interface UploadCompletionPorts {
  readonly layout: Layout;
  readonly disk: Disk;
  readonly syncWhenFast: SyncWhenFast;
  /** Held while the objects or uploads of a key are changed. */
  readonly lock: KeyedLock;
  /** Whether parts may be cut off by a power failure: the folder's recovery is another process's, which may be yet to start. */
  readonly mayBeTorn: boolean;
}

/**
 * Makes objects of uploads. An upload is first in `uploads`, then in `completing`, where senders cannot reach it, then
 * in `objects`; each move is one rename. Every step is idempotent, so it can be repeated after a crash. An object is
 * flushed before its completion is reported.
 */
export class UploadCompletion {
  readonly #layout: Layout;
  readonly #disk: Disk;
  readonly #syncWhenFast: SyncWhenFast;
  readonly #lock: KeyedLock;
  readonly #mayBeTorn: boolean;
  readonly #flush: Settle;

  constructor({ layout, disk, syncWhenFast, lock, mayBeTorn }: UploadCompletionPorts) {
    this.#layout = layout;
    this.#disk = disk;
    this.#syncWhenFast = syncWhenFast;
    this.#lock = lock;
    this.#mayBeTorn = mayBeTorn;
    this.#flush = (shard) => disk.syncFolder(shard);
  }

  complete(upload: UploadToComplete): Promise<StoredObject> {
    return this.#complete(upload, this.#flush);
  }

  /** `complete` for a batch: folders that several objects share are flushed once. */
  async completeAll(uploads: readonly UploadToComplete[]): Promise<(StoredObject | StorageError)[]> {
    const results: (StoredObject | StorageError)[] = [];
    const shards = new Map<string, number[]>();
    const note = (shard: string, index: number): void => {
      const indexes = shards.get(shard);
      if (indexes) indexes.push(index);
      else shards.set(shard, [index]);
    };
    const others: number[] = [];
    for (const [index, upload] of uploads.entries()) {
      if (index % completedAtOnce === completedAtOnce - 1) await nextTurn();
      try {
        const object = this.#completeSmall(upload);
        if (object) {
          results[index] = object;
          note(this.#layout.objectsWith(upload.key), index);
        } else others.push(index);
      } catch (error) {
        results[index] = diskError(error);
      }
    }
    await forEachConcurrent(others, async (index) => {
      try {
        results[index] = await this.#complete(uploads[index]!, async (shard) => note(shard, index));
      } catch (error) {
        results[index] = diskError(error);
      }
    });
    await forEachConcurrent([...shards], async ([shard, indexes]) => {
      try {
        if (!this.#syncWhenFast(() => this.#flushed(shard))) await this.#disk.syncFolder(shard);
      } catch (error) {
        // The objects are in place; a retry flushes again.
        for (const index of indexes) results[index] = diskError(error);
      }
    });
    return results;
  }

  async #complete({ key, uploadId, parts: named }: UploadToComplete, settle: Settle): Promise<StoredObject> {
    checkKey(key);
    if (!isUploadId(uploadId)) throw noSuchUpload();
    return this.#lock.run(key, async () => {
      const from = this.#layout.upload(key, uploadId);
      const frozen = this.#layout.completing(key, uploadId);
      try {
        try {
          this.#disk.rename(from, frozen);
        } catch (error) {
          if (!isAbsent(error)) throw error;
          // Another process is completing it, or has died while it did: this goes on, since each step may be done twice.
          if (!partsIn(frozen, this.#disk)) return (await this.#completedBefore(key, named, settle)) ?? throwNoSuchUpload();
        }
        try {
          return await this.completeFrozen(key, frozen, named, settle);
        } catch (error) {
          const object = isAbsent(error) ? await this.#completedBefore(key, named, settle) : null;
          if (object) return object;
          this.#giveBack(frozen, from);
          throw error;
        }
      } catch (error) {
        throw diskError(error);
      }
    });
  }

  #flushed(folder: string): true {
    this.#disk.syncFolderNow(folder);
    return true;
  }

  /**
   * A synchronous `#complete` for an upload of one small part. `null` where it does not apply or fails: then use
   * `#complete`.
   */
  #completeSmall({ key, uploadId, parts: named }: UploadToComplete): StoredObject | null {
    const small = named.length === 1 && named[0]!.size <= smallPart && isKey(key) && isUploadId(uploadId);
    if (!small || !this.#lock.isFree(key)) return null;
    const from = this.#layout.upload(key, uploadId);
    const frozen = this.#layout.completing(key, uploadId);
    const complete = (): StoredObject | null => {
      try {
        this.#disk.rename(from, frozen);
      } catch (error) {
        if (isAbsent(error)) return null;
        throw error;
      }
      try {
        const parts = this.#keepNamed(frozen, named);
        this.#disk.syncFileNow(frozen + sep + parts[0]!.file);
        this.#disk.syncFolderNow(frozen);
        this.#disk.rename(frozen, this.#layout.object(key));
        return objectOf(parts);
      } catch (error) {
        this.#giveBack(frozen, from);
        if (isThere(error) || isAbsent(error)) return null;
        throw error;
      }
    };
    return this.#syncWhenFast(complete) ?? null;
  }

  async #completedBefore(key: string, named: readonly StoredPart[], settle: Settle): Promise<StoredObject | null> {
    const parts = partsIn(this.#layout.object(key), this.#disk);
    if (!parts || !same(parts, named)) return null;
    // The first call may have failed just before its flush.
    await settle(this.#layout.objectsWith(key));
    return objectOf(parts);
  }

  /** If the folder is gone, it was renamed to its final place before the failure: a retry finds it. */
  #giveBack(frozen: string, from: string): void {
    try {
      this.#disk.rename(frozen, from);
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }

  /** Makes the named parts of a folder an object. Senders do not reach the folder at this point. */
  async completeFrozen(key: string, frozen: string, named: readonly StoredPart[], settle: Settle = this.#flush): Promise<StoredObject> {
    const parts = this.#keepNamed(frozen, named);
    await forEachConcurrent(parts, (part) => this.#disk.syncFile(join(frozen, part.file)));
    await this.#disk.syncFolder(frozen);
    await this.#putInPlace(frozen, key, named);
    await settle(this.#layout.objectsWith(key));
    return objectOf(parts);
  }

  /** Deletes all other parts of a folder and returns the named ones; throws where one is missing. */
  #keepNamed(frozen: string, named: readonly StoredPart[]): PartFile[] {
    const wanted = new Map(named.map((part) => [part.partNumber, part.etag]));
    const names = this.#disk.list(frozen);
    const isWhole = ({ file, size }: PartFile): boolean => !this.#mayBeTorn || this.#disk.sizeOf(frozen + sep + file) === size;
    const parts = partFiles(names).filter((part) => wanted.get(part.partNumber) === part.etag && isWhole(part));
    if (parts.length < wanted.size) throw partMissing(wanted.keys(), parts);
    const wantedFiles = new Set(parts.map((part) => part.file));
    for (const name of names) if (!wantedFiles.has(name)) this.#disk.remove(join(frozen, name));
    return parts;
  }

  async #putInPlace(folder: string, key: string, named: readonly StoredPart[]): Promise<void> {
    const target = this.#layout.object(key);
    try {
      this.#disk.rename(folder, target);
    } catch (error) {
      if (!isThere(error)) throw error;
      const replaced = this.#layout.trash(randomName());
      this.#disk.rename(target, replaced);
      // Another process was first with the same object.
      const isSame = same(partsIn(replaced, this.#disk) ?? [], named);
      this.#disk.rename(isSame ? replaced : folder, target);
      await this.#disk.removeTree(isSame ? folder : replaced);
    }
  }
}

function throwNoSuchUpload(): never {
  throw noSuchUpload();
}
