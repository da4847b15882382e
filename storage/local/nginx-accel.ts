import type { IncomingHttpHeaders } from 'node:http';
import type { PartFile } from './layout.ts';
import type { Stretch } from './ranges.ts';

/**
 * Handing an answer's bytes to an nginx in front (docs/operating/storage.md; resources/nginx/): the answer names a file of ours by
 * `X-Accel-Redirect`, and nginx sends it from the disk. Every part is a file, and those that download ask for whole parts.
 */

/** A server in front that sends files for the data plane. */
export type Accel = 'nginx';

/** nginx sets it to `nginx` in each request that it could send a file for. Who sets it otherwise gets an answer without bytes. */
const capableHeader = 'x-longshore-accel';

/** How the locations of resources/nginx/longshore-storage-locations.conf answer. */
export const accelPaths = {
  /** 200 with all of the file. */
  whole: '/-/accel/whole/',
  /** 206 with all of the file. */
  part: '/-/accel/part/',
  /** The range of the file that the request asks for, as nginx reads it. */
  range: '/-/accel/range/',
} as const;

/**
 * nginx judges these by dates and etags of its own. `If-Range` is judged by us; nginx reads it again only where it also
 * reads the range.
 */
const preconditions = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'] as const;

interface Asked {
  readonly headers: IncomingHttpHeaders;
  /** Whether the answer is a part of the object, 206. */
  readonly isRange: boolean;
  readonly parts: readonly PartFile[];
  /** What the answer consists of. */
  readonly stretches: readonly Stretch[];
}

/** Where nginx finds the answer's bytes, before the object's folder and the file; `null` where it cannot send them. */
export function accelPath({ headers, isRange, parts, stretches }: Asked): { readonly path: string; readonly file: string } | null {
  const [first, second] = stretches;
  if (first === undefined || second !== undefined || headers[capableHeader] !== 'nginx') return null;
  if (preconditions.some((name) => headers[name] !== undefined)) return null;
  const { file, offset, length } = first;
  const part = parts.find((one) => one.file === file);
  if (offset === 0 && length === part?.size) return { path: isRange ? accelPaths.part : accelPaths.whole, file };
  // nginx knows ranges of a file alone, and here file and object are the same.
  return parts.length === 1 && headers['if-range'] === undefined ? { path: accelPaths.range, file } : null;
}

/**
 * An answer's headers, under names that nginx does not know: some of them it would also keep for the answer that it gives
 * where it cannot open the file.
 */
export function accelHeaders(location: string, headers: ReadonlyMap<string, string>): Map<string, string> {
  const answer = new Map([['X-Accel-Redirect', location]]);
  for (const [name, value] of headers) answer.set(`X-Longshore-${name}`, value);
  return answer;
}
