import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { hexOf } from '../digests.ts';
import { objectDamaged, StorageError } from '../errors.ts';
import { isSegment } from '../keys.ts';
import type { PackedPlace } from '../packed-key.ts';
import type { ObjectStorage } from '../ports.ts';
import { type PackedPart, parseSegmentTail, partAt, segmentTail, usualTail } from '../segments/format.ts';

/** What segments need of the storage that holds them. */
export type SegmentBase = ObjectStorage & { readonly list: Required<ObjectStorage>['list'] };

const folder = 'segments/';

/** Limit of remembered parts; each takes some 300 bytes. */
const remembered = 20_000;

/** Names of one listing of segments. More are left for the next. */
const listedAtOnce = 1_000;

export const noSuchPackedObject = (): StorageError => new StorageError('no_such_object', 'The storage has no such object.');

const brokeOff = 'The object storage broke off in the middle of an object. Try again soon.';

const keyOf = (segment: string): string => folder + segment;

/**
 * Segments (segments/format.ts) as objects of another storage, each stored by one call: so it is there whole or not at
 * all. A segment never changes, so its index is remembered. Errors are `StorageError`s.
 */
export class StoredSegments {
  readonly #base: SegmentBase;
  readonly #indexes = new LRUCache<string, readonly PackedPart[]>({ maxSize: remembered, sizeCalculation: (parts) => 1 + parts.length });

  constructor(base: SegmentBase) {
    this.#base = base;
  }

  async write(segment: string, parts: readonly PackedPart[], pieces: readonly Buffer[]): Promise<void> {
    await this.#base.write(keyOf(segment), Buffer.concat([...pieces, segmentTail(segment, parts)]));
    this.#indexes.set(segment, parts);
  }

  async exists(segment: string): Promise<boolean> {
    return (await this.#base.head(keyOf(segment))) !== null;
  }

  /** The parts of a segment, ascending by offset. `no_such_object` if there is no such segment. */
  async index(segment: string): Promise<readonly PackedPart[]> {
    const known = this.#indexes.get(segment);
    if (known) return known;
    const found = await this.#base.head(keyOf(segment));
    if (!found) throw noSuchPackedObject();
    const tail = (length: number): Promise<Buffer> => this.#read(segment, Math.max(0, found.size - length), found.size);
    let parts = parseSegmentTail(segment, await tail(usualTail), found.size);
    if (typeof parts === 'number') parts = parseSegmentTail(segment, await tail(parts), found.size);
    if (parts === null || typeof parts === 'number') throw objectDamaged();
    this.#indexes.set(segment, parts);
    return parts;
  }

  /** What the segment's index says of an object. `no_such_object` if there is none. */
  async part({ segment, offset, length }: PackedPlace): Promise<PackedPart> {
    const part = partAt(await this.index(segment), offset, length);
    if (!part) throw noSuchPackedObject();
    return part;
  }

  /**
   * The bytes of objects that follow each other in a segment, in the order given, by one request. Each is compared with its
   * digest, and is an error where it differs.
   */
  async readRun(segment: string, parts: readonly PackedPart[]): Promise<readonly (Buffer | StorageError)[]> {
    const start = parts[0]!.offset;
    const last = parts.at(-1)!;
    const bytes = await this.#read(segment, start, last.offset + last.length);
    const compared = async ({ offset, length, hex }: PackedPart): Promise<Buffer | StorageError> => {
      const one = bytes.subarray(offset - start, offset - start + length);
      if (hexOf(one) === hex) return one;
      // Bytes can change on their way as well: only what comes twice is the storage's.
      const repeated = await this.#read(segment, offset, offset + length);
      return hexOf(repeated) === hex ? repeated : objectDamaged();
    };
    return await Promise.all(parts.map(compared));
  }

  /** A whole object, compared with its digest. */
  async read(place: PackedPlace): Promise<Buffer> {
    const [bytes] = await this.readRun(place.segment, [await this.part(place)]);
    if (bytes instanceof StorageError) throw bytes;
    return bytes!;
  }

  /** Ids of the segments of a group, the latest at the end. No group has more than one listing gives. */
  async ofGroup(group: string): Promise<readonly string[]> {
    const found = await this.#base.list(keyOf(group), '');
    const byTime = found.toSorted((a, b) => a.modified.getTime() - b.modified.getTime());
    return byTime.map(({ key }) => key.slice(folder.length)).filter(isSegment);
  }

  /** As `ObjectStorage.listSegments`. */
  async older(than: Date, after: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (let last = after === '' ? '' : keyOf(after); ; ) {
      const page = await this.#base.list(folder, last);
      if (page.length === 0) return found;
      last = page.at(-1)!.key;
      for (const { key, modified } of page) {
        const segment = key.slice(folder.length);
        if (isSegment(segment) && modified < than) found.push(segment);
        if (found.length === listedAtOnce) return found;
      }
    }
  }

  async delete(segment: string): Promise<void> {
    if (!isSegment(segment)) throw new StorageError('invalid_key', 'The id of a segment has 32 hex digits.');
    this.#indexes.delete(segment);
    await this.#base.delete(keyOf(segment));
  }

  /** `end` is exclusive. */
  async #read(segment: string, start: number, end: number): Promise<Buffer> {
    if (start === end) return (await this.exists(segment)) ? Buffer.alloc(0) : Promise.reject(noSuchPackedObject());
    let bytes: Buffer;
    try {
      bytes = await buffer(await this.#base.read(keyOf(segment), { start, end: end - 1 }));
    } catch (error) {
      if (error instanceof StorageError) throw error;
      throw new StorageError('storage_unavailable', brokeOff, {
        cause: error,
      });
    }
    if (bytes.length !== end - start) throw new StorageError('storage_unavailable', brokeOff);
    return bytes;
  }
}
