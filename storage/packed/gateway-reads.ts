import { acceptedBatchGet, type BatchGetAnswer } from '#protocol/storage/batch-get.ts';
import { StorageError } from '../errors.ts';
import { inBatch, Refusal, refusalOf } from '../local/refusal.ts';
import { type PackedPlace, parsePackedKey } from '../packed-key.ts';
import { gap, readMany } from './read-many.ts';
import type { StoredSegments } from './stored-segments.ts';

/** Memory in bytes for one batch: its objects, and what lies between them. */
export const batchMemory = acceptedBatchGet.bytes + acceptedBatchGet.objects * gap;

/** Answers and bytes in the order of the request; an object that cannot be read is refused on its own. */
interface ReadObjects {
  readonly answers: readonly BatchGetAnswer[];
  readonly pieces: readonly Buffer[];
}

interface ReadPorts {
  readonly segments: StoredSegments;
  /** The key that an address (path and query) authorizes to read. Throws a `Refusal`. */
  readonly keyOf: (target: string) => string;
  readonly onTrouble: (error: Error) => void;
}

/** Reads the packed objects of a batch. */
export async function readPacked(targets: readonly string[], { segments, keyOf, onTrouble }: ReadPorts): Promise<ReadObjects> {
  const answers: BatchGetAnswer[] = [];
  const indexes: number[] = [];
  const places: PackedPlace[] = [];
  let bytes = 0;
  for (const [index, target] of targets.entries()) {
    try {
      const place = parsePackedKey(keyOf(target));
      if (!place) throw new Refusal(403, 'SignatureDoesNotMatch', 'This is no address of a small object.');
      if (place.length > acceptedBatchGet.objectBytes || bytes + place.length > acceptedBatchGet.bytes) {
        throw new Refusal(413, 'EntityTooLarge', 'This object is too large to come with others. Ask for it by itself.');
      }
      bytes += place.length;
      indexes.push(index);
      places.push(place);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answers[index] = inBatch(error);
    }
  }
  const pieces: Buffer[] = [];
  for (const [at, one] of (await readMany(segments, places)).entries()) {
    if (one instanceof StorageError) {
      if (one.code !== 'no_such_object') onTrouble(one);
      answers[indexes[at]!] = inBatch(refusalOf(one));
    } else {
      answers[indexes[at]!] = { length: one.length };
      pieces.push(one);
    }
  }
  return { answers, pieces };
}
