import { LRUCache } from 'lru-cache';
import { atMost } from '../at-most.ts';

/** Counts one of a key. Seconds that it should wait when that was too many, else 0. */
export type CountIn = (key: string) => number;

interface Window {
  count: number;
  /** In milliseconds. */
  readonly until: number;
}

/**
 * Counts in windows of so many milliseconds, a key's beginning with the first that is counted of it. Of `keys` at most:
 * those not seen for longest are forgotten. Nothing is waited for, since this is part of what every request costs.
 */
export function createWindows(max: number, milliseconds: number, now: () => number, keys = 50_000): CountIn {
  const windows = new LRUCache<string, Window>(atMost(keys));
  return (key) => {
    const at = now();
    let window = windows.get(key);
    if (!window || window.until <= at) {
      window = { count: 0, until: at + milliseconds };
      windows.set(key, window);
    }
    window.count += 1;
    return window.count > max ? Math.max(1, Math.ceil((window.until - at) / 1000)) : 0;
  };
}
