import type { PartFile } from './layout.ts';

/** What a Range header asks of an object. Bytes, `end` inclusive. */
export type RangeAnswer =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' };

const rangePattern = /^bytes=(?:(\d{1,16})-(\d{0,16})|-(\d{1,16}))$/;

/** Several ranges at once and unknown units are answered with the whole, as RFC 9110 (14.2) allows. */
export function answerRange(header: string | undefined, size: number): RangeAnswer {
  const match = header === undefined ? null : rangePattern.exec(header.trim());
  if (!match) return { kind: 'whole' };
  const [, first, last, suffix] = match;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? { kind: 'unsatisfiable' } : { kind: 'part', start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last ? Math.min(Number(last), size - 1) : size - 1;
  if (last && Number(last) < start) return { kind: 'whole' };
  return start >= size ? { kind: 'unsatisfiable' } : { kind: 'part', start, end };
}

/** A stretch of one part file. */
export interface Stretch {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** The stretches of part files that hold the bytes `start` to `end` inclusive, in order. */
export function stretches(parts: readonly PartFile[], start: number, end: number): Stretch[] {
  const found: Stretch[] = [];
  let at = 0;
  for (const part of parts) {
    const from = Math.max(start, at);
    const to = Math.min(end + 1, at + part.size);
    if (to > from) found.push({ file: part.file, offset: from - at, length: to - from });
    at += part.size;
    if (at > end) break;
  }
  return found;
}
