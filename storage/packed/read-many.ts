import pLimit from 'p-limit';
import { StorageError } from '../errors.ts';
import type { PackedPlace } from '../packed-key.ts';
import { type PackedPart, segmentBytes } from '../segments/format.ts';
import type { StoredSegments } from './stored-segments.ts';

/** Requests to the storage at the same time. */
const readAtOnce = 4;

/** Bytes between two objects that are read with them: they cost less than a further request. */
export const gap = 4 * 1024;

interface Wanted {
  readonly index: number;
  readonly part: PackedPart;
}

/**
 * Reads whole objects, those that lie close together in a segment by one request. In the order of `places`; each has its own
 * result. Holds all of their bytes in memory, and at most `gap` more for each.
 */
export async function readMany(segments: StoredSegments, places: readonly PackedPlace[]): Promise<readonly (Buffer | StorageError)[]> {
  const results: (Buffer | StorageError)[] = [];
  const bySegment = new Map<string, number[]>();
  for (const [index, { segment }] of places.entries()) {
    const others = bySegment.get(segment);
    if (others) others.push(index);
    else bySegment.set(segment, [index]);
  }
  const limit = pLimit(readAtOnce);
  const runs: { readonly segment: string; readonly run: readonly Wanted[] }[] = [];
  await limit.map(bySegment, async ([segment, indexes]) => {
    const known: Wanted[] = [];
    for (const index of indexes) {
      try {
        known.push({ index, part: await segments.part(places[index]!) });
      } catch (error) {
        results[index] = asStorageError(error);
      }
    }
    for (const run of runsOf(known)) runs.push({ segment, run });
  });
  await limit.map(runs, async ({ segment, run }) => {
    const parts = run.map(({ part }) => part);
    const read = await segments.readRun(segment, parts).catch((error) => parts.map(() => asStorageError(error)));
    for (const [at, { index }] of run.entries()) results[index] = read[at]!;
  });
  return results;
}

function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  throw error;
}

/** Objects of one segment, ascending by offset, in stretches that one request reads. */
function runsOf(wanted: readonly Wanted[]): readonly (readonly Wanted[])[] {
  const runs: Wanted[][] = [];
  let start = 0;
  let end = 0;
  for (const one of wanted.toSorted((a, b) => a.part.offset - b.part.offset || a.part.length - b.part.length)) {
    const { offset, length } = one.part;
    const last = runs.at(-1);
    if (last && offset <= end + gap && offset + length - start <= segmentBytes) {
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
