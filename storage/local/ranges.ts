import type { PartFile } from './layout.ts';

/** The result of a Range header. Bytes, `end` inclusive. */
type RangeAnswer =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' };

const rangePattern = /^bytes=(?:(\d{1,16})-(\d{0,16})|-(\d{1,16}))$/;

/** Several ranges and unknown units get the whole object, as RFC 9110 (14.2) allows. */
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

/** Whether If-Match allows the request (RFC 9110, 13.1.1): it names this etag, or any. Weak etags match nothing. */
export function ifMatch(header: string | undefined, etag: string): boolean {
  return header === undefined || header.trim() === '*' || header.split(',').some((one) => one.trim() === etag);
}

/** A range of one part file. */
export interface Stretch {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** The ranges of part files with the bytes `start` to `end` inclusive, in order. */
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
