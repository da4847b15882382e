import pLimit from 'p-limit';
import { partEtag } from '#protocol/storage/requests.ts';
import { StorageError } from '../errors.ts';
import { uploadGroupOf } from '../keys.ts';
import { packedKey } from '../packed-key.ts';
import type { StoredObject, StoredPart, UploadToComplete } from '../ports.ts';
import { packedObject } from '../segments/packed-object.ts';
import type { FoundPart, ReceivedParts } from './received-parts.ts';
import type { StoredSegments } from './stored-segments.ts';

/** Requests to the storage at the same time. */
const askedAtOnce = 8;

/**
 * Completes uploads whose part lies in a segment. The segment is stored for good already, so this moves nothing: it looks
 * whether the segment is still there, once for all uploads in it.
 */
export class PackedUploads {
  readonly #segments: StoredSegments;
  readonly #received: ReceivedParts;

  constructor(segments: StoredSegments, received: ReceivedParts) {
    this.#segments = segments;
    this.#received = received;
  }

  /** The part of an upload, if it was received: the latest, if it was sent with other bytes before. */
  async part(key: string, uploadId: string): Promise<StoredPart | null> {
    const look = () => this.#received.of(key, uploadId).at(-1);
    let found = look();
    if (found && !(await this.#segments.exists(found.segment))) this.#received.forget(found.segment);
    else if (found) return asStored(found);
    await this.#received.learn(uploadGroupOf(uploadId)!);
    found = look();
    return found ? asStored(found) : null;
  }

  /** The objects in the order of the request. Each has its own result. */
  async completeAll(uploads: readonly UploadToComplete[]): Promise<(StoredObject | StorageError)[]> {
    const limit = pLimit(askedAtOnce);
    // One listing a group, not one for each of its files.
    const groups = new Set(uploads.filter((one) => !this.#known(one)).map(({ uploadId }) => uploadGroupOf(uploadId)!));
    const failures = new Map<string, StorageError>();
    await limit.map(groups, (group) => this.#received.learn(group).catch((error) => void failures.set(group, asStorageError(error))));
    const found = uploads.map((one) => this.#known(one));
    const segments = new Set(found.flatMap((one) => one?.segment ?? []));
    const states = new Map<string, boolean | StorageError>();
    await limit.map(segments, async (segment) => {
      const exists = await this.#segments.exists(segment).catch(asStorageError);
      if (exists === false) this.#received.forget(segment);
      states.set(segment, exists);
    });
    return uploads.map(({ uploadId }, index) => {
      const one = found[index];
      if (!one) return failures.get(uploadGroupOf(uploadId)!) ?? partMissing();
      const { segment, part } = one;
      const state = states.get(segment)!;
      if (state instanceof StorageError) return state;
      return state ? { ...packedObject(part), key: packedKey({ segment, offset: part.offset, length: part.length }) } : partMissing();
    });
  }

  #known({ key, uploadId, parts }: UploadToComplete): FoundPart | undefined {
    const [named] = parts;
    if (parts.length !== 1 || named!.partNumber !== 1) return undefined;
    return this.#received.of(key, uploadId).findLast(({ part }) => named!.etag === partEtag(part.hex) && named!.size === part.length);
  }
}

const asStored = ({ part }: FoundPart): StoredPart => ({ partNumber: 1, etag: partEtag(part.hex), size: part.length });

function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  throw error;
}

const partMissing = (): StorageError =>
  new StorageError('part_missing', 'The storage does not have part 1.', { details: { partNumber: 1 } });
