/** Ranges of an object (contract/storage.md §4; RFC 9110, 14). */

/** The `Range` header for some bytes of an object. */
export const rangeOf = (offset: number, length: number): string => `bytes=${offset}-${offset + length - 1}`;

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

/** The `Content-Range` of an answer with a part of the object. `end` is inclusive. */
export const contentRange = (start: number, end: number, size: number): string => `bytes ${start}-${end}/${size}`;

/** The `Content-Range` of a 416. */
export const noRangeOf = (size: number): string => `bytes */${size}`;

const contentRangePattern = /^bytes (\d+)-(\d+)\//;

/** Whether a `Content-Range` is that of these bytes, in an object of whatever size. */
export function isRangeOf(header: string | undefined, offset: number, length: number): boolean {
  const found = contentRangePattern.exec(header ?? '');
  return found !== null && Number(found[1]) === offset && Number(found[2]) === offset + length - 1;
}

/** Whether If-Match allows the request (RFC 9110, 13.1.1): it names this etag, or any. Weak etags match nothing. */
export function ifMatch(header: string | undefined, etag: string): boolean {
  return header === undefined || header.trim() === '*' || header.split(',').some((one) => one.trim() === etag);
}
