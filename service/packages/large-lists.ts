import { LRUCache } from 'lru-cache';
import type { Log } from '../log.ts';
import type { Cursor, PackageSort } from './orders.ts';

/** A known position in an order: `cursor` is the last of the first `skip` rows. */
interface Anchor {
  readonly sort: PackageSort;
  readonly skip: number;
  readonly cursor: Cursor | null;
}

/** What is cached of a list that is too long to be counted and sorted for each of its pages. */
export interface LargeList {
  readonly total: number;
  /** Key: sort and skip. */
  readonly anchors: LRUCache<string, Anchor>;
}

/** A list of up to this many packages is always counted and sorted anew, so it is exact. */
export const smallList = 2_000;

/** Minimum list lengths for an index scan; the second is for a filter by a part of a name, where rows must be read. */
const indexScanFrom = 5_000;
const indexScanByNameFrom = 20_000;

/**
 * Whether pages of a list with this many packages are read by an index scan (database/index-scan-pool.ts). In shorter lists the
 * matching rows may be so far apart in the index that finding and sorting all of them is quicker. There PostgreSQL
 * chooses a plan for each page.
 */
export const shouldScanIndex = (total: number, byName: boolean): boolean => total >= (byName ? indexScanByNameFrom : indexScanFrom);

/**
 * A cached total is refreshed when it is this many times older than the time that counting took, or this many seconds
 * old, whichever is earlier. So far fewer than one page in a hundred waits for a count, or runs beside one.
 */
const freshTimes = 300;
const freshSeconds = 30;
/** A count that takes longer than this runs in the background. A total is never older than this many seconds. */
const quickMilliseconds = 10;
const maxAgeSeconds = 300;
/** An anchor stays a valid position, but the number of rows before it changes. */
const anchorSeconds = 60;

const maxLists = 2_000;
const maxAnchorsPerList = 200;

/** Counts a list; in the background it should slow down other work as little as possible. */
export type Count = (how: 'waited for' | 'in the background') => Promise<number>;

/** This process's cache of large lists, keyed by everything that decides which packages are in a list. Bounded. */
export interface LargeLists {
  /** Undefined for a list that is not known to be large, or whose entry has expired. */
  get(name: string, now: Date): LargeList | undefined;
  /** Counts a list for the first time; concurrent callers share one count. */
  begin(name: string, now: Date, count: Count): Promise<LargeList>;
  /** Returns a known list with the newest total that needs no long wait. */
  renew(name: string, known: LargeList, now: Date, count: Count, log: Log): Promise<LargeList>;
}

interface CachedList {
  readonly list: LargeList;
  readonly countedAt: number;
  /** Milliseconds that the count took. */
  readonly cost: number;
}

/** `elapsed`: a monotonic clock in milliseconds, used to time counts. */
export function createLargeLists(elapsed: () => number = () => performance.now()): LargeLists {
  const known = new LRUCache<string, CachedList>({ max: maxLists });
  const counting = new Map<string, Promise<LargeList>>();

  function count(name: string, now: Date, countAll: () => Promise<number>): Promise<LargeList> {
    const running = counting.get(name);
    if (running) return running;
    const begun = elapsed();
    const counted = countAll()
      .then((total) => {
        const anchors =
          known.get(name)?.list.anchors ?? new LRUCache<string, Anchor>({ max: maxAnchorsPerList, ttl: anchorSeconds * 1000 });
        const list = { total, anchors };
        if (total > smallList) known.set(name, { list, countedAt: now.getTime(), cost: elapsed() - begun });
        else known.delete(name);
        return list;
      })
      .finally(() => counting.delete(name));
    counting.set(name, counted);
    return counted;
  }

  return {
    get(name, now) {
      const found = known.get(name);
      if (!found) return undefined;
      if (now.getTime() - found.countedAt < maxAgeSeconds * 1000) return found.list;
      known.delete(name);
      return undefined;
    },
    begin: (name, now, countAll) => count(name, now, () => countAll('waited for')),
    async renew(name, list, now, countAll, log) {
      const found = known.get(name);
      if (!found || now.getTime() - found.countedAt < Math.min(found.cost * freshTimes, freshSeconds * 1000)) return list;
      const quick = found.cost <= quickMilliseconds;
      const counted = count(name, now, () => countAll(quick ? 'waited for' : 'in the background'));
      if (quick) return await counted;
      counted.catch((error: unknown) => log.warn({ err: error }, 'a long list could not be counted again'));
      return list;
    },
  };
}

/** The nearest known anchor at or before a row of an order; the start of the order if there is none. */
export function anchorBefore(anchors: LargeList['anchors'], sort: PackageSort, skip: number): Anchor {
  let nearest: Anchor = anchors.get(`${sort} 0`) ?? { sort, skip: 0, cursor: null };
  for (const anchor of anchors.values()) if (anchor.sort === sort && anchor.skip <= skip && anchor.skip > nearest.skip) nearest = anchor;
  return nearest;
}
