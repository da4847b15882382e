import { join } from 'node:path';
import type { SyncWhenFast } from '#filesystem/sync-when-fast.ts';
import { KeyedLock } from '#net/keyed-lock.ts';
import { noSuchUpload, StorageError } from '../errors.ts';
import { checkKey, isUploadId, newUploadId } from '../keys.ts';
import type { StoredObject, StoredPart, UploadToComplete } from '../ports.ts';
import { type Disk, randomName } from './disk.ts';
import { diskError, isAbsent } from './disk-errors.ts';
import { discard, objectPartsIn, partsIn } from './folders.ts';
import type { Layout, PartFile } from './layout.ts';
import { UploadCompletion } from './upload-completion.ts';

/** Uploads of one key at the same time. A sender that lost an answer begins another, and the answer to the one before may still come. */
const mostUploads = 3;

/** Never synchronous: other threads do every flush. */
const neverSync: SyncWhenFast = () => undefined;

/** Uploads and objects as folders of part files. Every step is idempotent, so it can be repeated after a crash. */
export class LocalUploads {
  readonly #layout: Layout;
  readonly #disk: Disk;
  readonly #lock = new KeyedLock();
  readonly #completion: UploadCompletion;

  constructor(layout: Layout, disk: Disk, syncWhenFast: SyncWhenFast = neverSync, mayBeTorn = false) {
    this.#layout = layout;
    this.#disk = disk;
    this.#completion = new UploadCompletion({ layout, disk, syncWhenFast, lock: this.#lock, mayBeTorn });
  }

  /** Begins an upload and returns its id. */
  create(key: string): string {
    return this.begin(key).uploadId;
  }

  /** Begins an upload and returns its id and folder. */
  begin(key: string): { readonly uploadId: string; readonly folder: string } {
    const uploadId = newUploadId();
    const folder = this.#layout.upload(checkKey(key), uploadId);
    try {
      this.#disk.makeFolder(folder);
    } catch (error) {
      throw diskError(error);
    }
    return { uploadId, folder };
  }

  /**
   * Ends the uploads of a key that were not changed for longest, but for this one and the last ones: whoever may begin one may do so
   * again and again, and each holds as much as the file may have.
   */
  async endOlder(key: string, uploadId: string): Promise<void> {
    const { folder, prefix } = this.#layout.uploadsOf(checkKey(key));
    const own = `${prefix}${uploadId}`;
    try {
      const others = this.#disk.list(folder).filter((name) => name.startsWith(prefix) && name !== own);
      if (others.length < mostUploads) return;
      const paths = others.map((name) => join(folder, name));
      const changed = new Map(paths.map((path) => [path, this.#changedAt(path)]));
      const newestFirst = paths.toSorted((a, b) => changed.get(b)! - changed.get(a)!);
      for (const path of newestFirst.slice(mostUploads - 1)) await discard(path, this.#layout, this.#disk);
    } catch (error) {
      throw diskError(error);
    }
  }

  async listParts(key: string, uploadId: string): Promise<StoredPart[]> {
    checkKey(key);
    if (!isUploadId(uploadId)) throw noSuchUpload();
    return this.#lock.run(key, async () => {
      // While it is completed, or after a process died in that, its parts are where senders do not reach them.
      for (const folder of [this.#layout.upload(key, uploadId), this.#layout.completing(key, uploadId)]) {
        const parts = partsIn(folder, this.#disk);
        if (parts) return this.#newest(folder, parts).map(({ partNumber, etag, size }) => ({ partNumber, etag, size }));
      }
      throw noSuchUpload();
    });
  }

  /** Those of an upload that is being completed are not counted: it is over soon. */
  async bytesReceived(key: string): Promise<number> {
    const { folder, prefix } = this.#layout.uploadsOf(checkKey(key));
    let most = 0;
    try {
      for (const name of this.#disk.list(folder)) {
        if (!name.startsWith(prefix)) continue;
        // A part that was sent again with other bytes counts once.
        const sizes = new Map(partsIn(join(folder, name), this.#disk)?.map(({ partNumber, size }) => [partNumber, size]));
        most = Math.max(
          most,
          [...sizes.values()].reduce((sum, size) => sum + size, 0),
        );
      }
    } catch (error) {
      throw diskError(error);
    }
    return most;
  }

  async complete(key: string, uploadId: string, named: readonly StoredPart[]): Promise<StoredObject> {
    const object = await this.#completion.complete({ key, uploadId, parts: named });
    // If the answer to an earlier begin was lost, further uploads of this key exist that nobody knows of.
    await this.abort(key);
    return object;
  }

  /** `complete` for a batch: folders that several objects share are flushed once. */
  async completeAll(uploads: readonly UploadToComplete[]): Promise<(StoredObject | StorageError)[]> {
    const results = await this.#completion.completeAll(uploads);
    const byFolder = Map.groupBy(
      [...uploads.keys()].filter((index) => !(results[index] instanceof StorageError)),
      (index) => this.#layout.uploadsOf(uploads[index]!.key).folder,
    );
    for (const [folder, indexes] of byFolder) {
      try {
        // Empty but where an answer to an earlier begin was lost.
        const there = this.#disk.list(folder);
        for (const index of there.length > 0 ? indexes : []) {
          const { key } = uploads[index]!;
          if (there.some((name) => name.startsWith(this.#layout.uploadsOf(key).prefix))) await this.abort(key);
        }
      } catch (error) {
        // The objects are in place; a retry looks again.
        for (const index of indexes) results[index] = diskError(error);
      }
    }
    return results;
  }

  async abort(key: string): Promise<void> {
    checkKey(key);
    return this.#lock.run(key, async () => {
      const { folder, prefix } = this.#layout.uploadsOf(key);
      try {
        for (const name of this.#disk.list(folder))
          if (name.startsWith(prefix)) await discard(join(folder, name), this.#layout, this.#disk);
      } catch (error) {
        throw diskError(error);
      }
    });
  }

  async delete(key: string): Promise<void> {
    checkKey(key);
    return this.#lock.run(key, async () => {
      try {
        await discard(this.#layout.object(key), this.#layout, this.#disk);
      } catch (error) {
        throw diskError(error);
      }
    });
  }

  async write(key: string, bytes: Uint8Array, part: PartFile): Promise<StoredObject> {
    checkKey(key);
    return this.#lock.run(key, async () => {
      // What remains after a crash is already in the trash.
      const folder = this.#layout.trash(randomName());
      try {
        this.#disk.makeFolder(folder);
        try {
          this.#disk.write(join(folder, part.file), bytes);
          return await this.#completion.completeFrozen(key, folder, [part]);
        } catch (error) {
          await this.#disk.removeTree(folder);
          throw error;
        }
      } catch (error) {
        throw diskError(error);
      }
    });
  }

  /** The parts of an object, or `null` if there is no such object. `object_damaged` for one that is marked so. */
  objectParts(key: string): PartFile[] | null {
    return objectPartsIn(this.#layout.object(checkKey(key)), this.#disk);
  }

  /** Of files with the same part number, the newest: the sender sent the part again with other bytes. */
  #newest(folder: string, parts: readonly PartFile[]): PartFile[] {
    const newest: PartFile[] = [];
    for (const part of parts) {
      const last = newest.at(-1);
      if (last?.partNumber !== part.partNumber) newest.push(part);
      else if (this.#modifiedAt(folder, part) >= this.#modifiedAt(folder, last)) newest[newest.length - 1] = part;
    }
    return newest;
  }

  #changedAt(path: string): number {
    try {
      return this.#disk.changedAt(path);
    } catch (error) {
      // It was completed or ended in the meantime.
      if (isAbsent(error)) return Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  #modifiedAt(folder: string, part: PartFile): number {
    try {
      return this.#disk.modifiedAt(join(folder, part.file));
    } catch (error) {
      // A newer version replaced and deleted it in the meantime.
      if (isAbsent(error)) return Number.NEGATIVE_INFINITY;
      throw diskError(error);
    }
  }
}
