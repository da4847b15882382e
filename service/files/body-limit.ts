import type { ObjectStorage } from '#storage/ports.ts';

/**
 * A storage behind a proxy that limits the size of bodies: a chunk is one body, so no chunk may be larger.
 *
 * @param most bytes; nothing where bodies may be as large as the storage itself takes them
 */
export function withLargestBody(storage: ObjectStorage, most: number | undefined): ObjectStorage {
  if (most === undefined) return storage;
  const { limits } = storage;
  return { ...storage, limits: { ...limits, maxChunkSize: Math.min(limits.maxChunkSize, most), largestBody: most } };
}
