/**
 * Limits an LRU cache to this many entries and allocates them on demand: with `max` it would allocate all of them at
 * the start.
 */
export const maxEntries = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 }) as const;
