import { LRUCache } from 'lru-cache';
import { maxEntries } from '#net/lru-size.ts';

/** Counts one request of a key. Returns the seconds to wait if there were too many, otherwise 0. */
export type CountRequest = (key: string) => number;

interface Window {
  count: number;
  /** In milliseconds. */
  readonly until: number;
}

/**
 * Counts in fixed windows of `milliseconds`. A key's window begins with its first request. At most `keys` keys are
 * stored; the least recently used are evicted. Synchronous, since every request passes here.
 */
export function createFixedWindows(max: number, milliseconds: number, now: () => number, keys = 50_000): CountRequest {
  const windows = new LRUCache<string, Window>(maxEntries(keys));
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
