import pLimit from 'p-limit';
import { acceptedBatchGet, type BatchGetAnswer } from '#protocol/storage/batch-get.ts';
import { StorageError } from '../errors.ts';
import { inBatch, Refusal, refusalOf } from '../local/refusal.ts';
import { type PackedPlace, parsePackedKey } from '../packed-key.ts';
import type { PackedPart } from '../segments/format.ts';
import type { StoredSegments } from './stored-segments.ts';

/** Requests to the storage at the same time, for one batch. */
const readAtOnce = 4;

/** Bytes between two objects that are read with them: they cost less than a further request. */
const gap = 4 * 1024;

/** Memory in bytes for one batch: its objects, and what lies between them. */
export const batchMemory = acceptedBatchGet.bytes + acceptedBatchGet.objects * gap;

/** Bytes that one request reads at most. */
const runBytes = acceptedBatchGet.bytes;

interface Wanted {
  readonly index: number;
  readonly part: PackedPart;
}

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

/** Reads packed objects, those that lie close together in a segment by one request to the storage. */
export async function readPacked(targets: readonly string[], { segments, keyOf, onTrouble }: ReadPorts): Promise<ReadObjects> {
  const answers: BatchGetAnswer[] = [];
  const found: Buffer[] = [];
  const refuse = (index: number, error: unknown): void => {
    const failure = error as Error;
    const expected = failure instanceof Refusal || (failure instanceof StorageError && failure.code === 'no_such_object');
    if (!expected) onTrouble(failure);
    answers[index] = inBatch(refusalOf(failure));
  };

  const bySegment = new Map<string, { readonly index: number; readonly bounds: PackedPlace }[]>();
  let bytes = 0;
  for (const [index, target] of targets.entries()) {
    try {
      const place = parsePackedKey(keyOf(target));
      if (!place) throw new Refusal(403, 'SignatureDoesNotMatch', 'This is no address of a small object.');
      if (place.length > acceptedBatchGet.objectBytes || bytes + place.length > acceptedBatchGet.bytes) {
        throw new Refusal(413, 'EntityTooLarge', 'This object is too large to come with others. Ask for it by itself.');
      }
      bytes += place.length;
      const others = bySegment.get(place.segment);
      if (others) others.push({ index, bounds: place });
      else bySegment.set(place.segment, [{ index, bounds: place }]);
    } catch (error) {
      refuse(index, error);
    }
  }

  const limit = pLimit(readAtOnce);
  const runs: { readonly segment: string; readonly run: readonly Wanted[] }[] = [];
  await limit.map(bySegment, async ([segment, wanted]) => {
    const known: Wanted[] = [];
    for (const { index, bounds } of wanted) {
      try {
        known.push({ index, part: await segments.part(bounds) });
      } catch (error) {
        refuse(index, error);
      }
    }
    for (const run of runsOf(known)) runs.push({ segment, run });
  });
  await limit.map(runs, async ({ segment, run }) => {
    try {
      const read = await segments.readRun(
        segment,
        run.map(({ part }) => part),
      );
      for (const [at, { index }] of run.entries()) {
        const one = read[at]!;
        if (one instanceof StorageError) refuse(index, one);
        else {
          found[index] = one;
          answers[index] = { length: one.length };
        }
      }
    } catch (error) {
      for (const { index } of run) refuse(index, error);
    }
  });
  return { answers, pieces: targets.flatMap((_, index) => found[index] ?? []) };
}

/** Objects of one segment, ascending by offset, in stretches that one request reads. */
function runsOf(wanted: readonly Wanted[]): readonly (readonly Wanted[])[] {
  const runs: Wanted[][] = [];
  let start = 0;
  let end = 0;
  for (const one of wanted.toSorted((a, b) => a.part.offset - b.part.offset || a.part.length - b.part.length)) {
    const { offset, length } = one.part;
    const last = runs.at(-1);
    if (last && offset <= end + gap && offset + length - start <= runBytes) {
      last.push(one);
      end = Math.max(end, offset + length);
      continue;
    }
    runs.push([one]);
    start = offset;
    end = offset + length;
  }
  return runs;
}
