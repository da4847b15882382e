/** Bounds an LRU cache to so many entries, whose places are taken as they come: with `max` a start would take them all. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 }) as const;
