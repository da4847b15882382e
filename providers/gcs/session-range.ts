import type { CloudAnswer } from '../http/client.ts';

/** Statuses of a resumable session that is over: forgotten, ended, or cancelled by us (499). */
export const sessionOver: ReadonlySet<number> = new Set([404, 410, 499]);

/** Bytes that a session says it has (308), from the beginning on; null if the answer says something else. */
export function storedBytes({ headers }: Pick<CloudAnswer, 'headers'>): number | null {
  const range = headers['range'];
  // No range: nothing was kept.
  if (range === undefined) return 0;
  const last = /^bytes=0-(\d{1,15})$/.exec(range)?.[1];
  return last === undefined ? null : Number(last) + 1;
}

/** The `Content-Range` of bytes `from` up to `to`, exclusive; of none it is a question what the session has. */
export const contentRange = (from: number, to: number, size: number): string =>
  from === to ? `bytes */${size}` : `bytes ${from}-${to - 1}/${size}`;
