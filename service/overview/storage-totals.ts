import { LRUCache } from 'lru-cache';
import type { TeamOverview } from '#protocol/hosted/overview.ts';

type Totals = TeamOverview['storage'];

/** Totals are kept for this many times as long as it took to find them, and at most for so many milliseconds. */
const keptTimes = 300;
const keptAtMost = 30_000;
/** What is found more quickly, in milliseconds, is found anew each time, so a small Team's totals are always exact. */
const quick = 10;

/** This process's memory of storage totals: each open first page asks for them, and in a Team with a million packages they take half a second. */
export interface StorageTotals {
  /** Concurrent callers share one search. An error of `find` goes to all of them, and the next call searches again. */
  get(name: string, find: () => Promise<Totals>): Promise<Totals>;
}

/** `elapsed`: a monotonic clock in milliseconds. */
export function createStorageTotals(elapsed: () => number = () => performance.now()): StorageTotals {
  const known = new LRUCache<string, { readonly totals: Totals; readonly until: number }>({ max: 2_000 });
  const searches = new Map<string, Promise<Totals>>();

  async function search(name: string, find: () => Promise<Totals>): Promise<Totals> {
    const begun = elapsed();
    const totals = await find();
    const cost = elapsed() - begun;
    if (cost > quick) known.set(name, { totals, until: elapsed() + Math.min(cost * keptTimes, keptAtMost) });
    return totals;
  }

  return {
    async get(name, find) {
      const found = known.get(name);
      if (found && elapsed() < found.until) return found.totals;
      known.delete(name);
      const running = searches.get(name) ?? search(name, find).finally(() => searches.delete(name));
      searches.set(name, running);
      return await running;
    },
  };
}
