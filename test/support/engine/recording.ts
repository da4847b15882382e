import type { StorageProxy } from '../faults/storage-proxy.ts';

/** Recordings that are sent while another program writes them, in chunks of the smallest size. */

export const mebibyte = 1024 * 1024;
/** A service takes no larger one where `storageMaxBody` is this. */
export const chunk = 5 * mebibyte;
/** What makes a package begin: a file of this size that becomes larger. */
export const firstPart = 9 * mebibyte;

/** Fields of an automation that takes a file for whole after a second. */
export const growingFields = { settle_seconds: 1, existing: true, growing: true, growing_idle_seconds: 1 } as const;

/** What the storage confirms from now on: digests of chunks. */
export function confirmedChunks({ passages }: Pick<StorageProxy, 'passages'>) {
  const before = passages.length;
  const all = (): string[] =>
    passages
      .slice(before)
      .filter(({ method }) => method === 'PUT')
      .map(({ what }) => what);
  return {
    all,
    /** Of bytes that were sent more than once. */
    twice: (): string[] => all().filter((what, index, sent) => sent.indexOf(what) !== index),
  };
}
