import { createHash } from 'node:crypto';

/** Requests that send many parts at once (storage/local/batch-put.ts), as whoever stands between sees them. */

export const isBatchPut = (method: string, path: string): boolean => method === 'POST' && path.endsWith('/-/parts');

/** The SHA-256 of each part that the storage has confirmed, by what reached it and what it answered. */
export function confirmedParts(body: Buffer, answer: string): string[] {
  const end = body.indexOf('\n');
  const named = JSON.parse(body.toString('utf8', 0, end)) as { readonly length: number }[];
  const { parts } = JSON.parse(answer) as { readonly parts: { readonly etag?: string }[] };
  let at = end + 1;
  return named.flatMap(({ length }, index) => {
    const bytes = body.subarray(at, at + length);
    at += length;
    return parts[index]?.etag === undefined ? [] : [createHash('sha256').update(bytes).digest('hex')];
  });
}
