import { ProviderError } from './errors.ts';
import type { PartLayout, UploadPlan } from './ports.ts';

const mebibyte = 1024 * 1024;

/** One part of a file: `number` one-based, `offset` and `size` in bytes. */
export interface PartRange {
  readonly number: number;
  readonly offset: number;
  readonly size: number;
}

const roundUp = (size: number, step: number): number => Math.ceil(size / step) * step;

/**
 * Bytes of a part for a file of `size` bytes: the wished or usual size, grown until the file fits into the parts that the
 * provider takes. `too_large` if it never does.
 */
export function choosePartSize(plan: UploadPlan, size: number, wished: number = plan.usualPart): number {
  const { smallestPart, largestPart, maxParts, partMultiple } = plan;
  const least = Math.max(smallestPart, wished, 1);
  const needed = Math.ceil(size / maxParts);
  const partSize = roundUp(needed > least ? roundUp(needed, mebibyte) : least, partMultiple);
  const allowed = Math.min(partSize, largestPart - (largestPart % partMultiple));
  if (size > plan.largestFile || allowed * maxParts < size) {
    throw new ProviderError(
      'too_large',
      `A file of ${size} bytes is larger than this storage takes (${Math.min(plan.largestFile, allowed * maxParts)} bytes). Send it as several files.`,
    );
  }
  return allowed;
}

/** The parts of a file, ascending. An empty file has one part of 0 bytes. */
export function* partRanges(layout: PartLayout): Generator<PartRange> {
  let offset = 0;
  let number = 1;
  if ('sizes' in layout) {
    for (const size of layout.sizes) {
      yield { number, offset, size };
      offset += size;
      number++;
    }
    return;
  }
  const { fileSize, partSize } = layout;
  do {
    const size = Math.min(partSize, fileSize - offset);
    yield { number, offset, size };
    offset += size;
    number++;
  } while (offset < fileSize);
}
