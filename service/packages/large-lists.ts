import { LRUCache } from 'lru-cache';
import type { Log } from '../log.ts';
import type { PackageSort, Place } from './orders.ts';

/** Where a page of an order begins: after `place`, which `skip` rows come up to. */
export interface Anchor {
  readonly sort: PackageSort;
  readonly skip: number;
  readonly place: Place | null;
}

/** What is remembered of a list that is too long to be counted and sorted for each of its pages. */
export interface LargeList {
  readonly total: number;
  /** By sort and skip. */
  readonly anchors: LRUCache<string, Anchor>;
}

/** A list of up to so many packages is always counted and sorted anew, and so exact. */
export const smallList = 2_000;

/** From so many packages on; under a part of a name, whose rows must be read. */
const walkedFrom = 5_000;
const walkedByNameFrom = 20_000;

/**
 * Whether pages of a list of so many packages are read by a walk (database/walks.ts). In shorter ones those asked for
 * may lie so far apart that to find and sort them all is quicker, which PostgreSQL judges anew for each page.
 */
export const isWalked = (total: number, byName: boolean): boolean => total >= (byName ? walkedByNameFrom : walkedFrom);

/**
 * So many times as old as it took to make, but no older than so many seconds, a count is made anew: far fewer than one
 * page in a hundred waits for it, or stands beside it.
 */
const freshTimes = 300;
const freshSeconds = 30;
/** In the background, if it took longer than this. It is never older than so many seconds. */
const quickMilliseconds = 10;
const mostSeconds = 300;
/** A place stays a place, but how many rows come before it changes. */
const anchorSeconds = 60;

const lists = 2_000;
const anchorsPerList = 200;

/** Counts a list; in the background it should hold up as little else as it can. */
export type Count = (how: 'waited for' | 'in the background') => Promise<number>;

/** This process's memory of large lists, by all that decides which packages are in one. Bounded. */
export interface LargeLists {
  /** Undefined for a list that is not known to be large, or was not asked for in a while. */
  get(name: string, now: Date): LargeList | undefined;
  /** Counts a list for the first time; asked at the same time by many, once. */
  begin(name: string, now: Date, count: Count): Promise<LargeList>;
  /** A known list with a total that is as new as it can be without waiting long. */
  renew(name: string, known: LargeList, now: Date, count: Count, log: Log): Promise<LargeList>;
}

interface Remembered {
  readonly list: LargeList;
  readonly countedAt: number;
  /** Milliseconds that the counting took. */
  readonly cost: number;
}

/** `elapsed`: milliseconds since some moment, by which counting is timed. */
export function createLargeLists(elapsed: () => number = () => performance.now()): LargeLists {
  const known = new LRUCache<string, Remembered>({ max: lists });
  const counting = new Map<string, Promise<LargeList>>();

  function count(name: string, now: Date, countAll: () => Promise<number>): Promise<LargeList> {
    const under = counting.get(name);
    if (under) return under;
    const begun = elapsed();
    const counted = countAll()
      .then((total) => {
        const anchors = known.get(name)?.list.anchors ?? new LRUCache<string, Anchor>({ max: anchorsPerList, ttl: anchorSeconds * 1000 });
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
      if (now.getTime() - found.countedAt < mostSeconds * 1000) return found.list;
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

/** The nearest known place at or before a row of an order; its beginning, where there is none. */
export function anchorBefore(anchors: LargeList['anchors'], sort: PackageSort, skip: number): Anchor {
  let nearest: Anchor = anchors.get(`${sort} 0`) ?? { sort, skip: 0, place: null };
  for (const anchor of anchors.values()) if (anchor.sort === sort && anchor.skip <= skip && anchor.skip > nearest.skip) nearest = anchor;
  return nearest;
}
