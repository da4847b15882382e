import { beforeEach, describe, expect, it } from 'vitest';
import type { Log } from '#service/log.ts';
import { createLargeLists, type LargeList, type LargeLists, smallList } from '#service/packages/large-lists.ts';

const large = smallList + 1_000;
let lists: LargeLists;
let clock: { elapsed: number; at: number };
let warned: unknown[];

const now = () => new Date(clock.at);
const log = { warn: (facts: unknown) => warned.push(facts) } as unknown as Log;
/** A count that takes so many milliseconds. */
const taking = (milliseconds: number, total: number) => async () => {
  clock.elapsed += milliseconds;
  return total;
};
const known = (): LargeList => lists.get('a', now())!;

beforeEach(() => {
  clock = { elapsed: 0, at: Date.UTC(2026, 0, 1) };
  warned = [];
  lists = createLargeLists(() => clock.elapsed);
});

it('counts once for concurrent callers', async () => {
  let counts = 0;
  const count = async () => {
    counts += 1;
    return large;
  };
  const asked = await Promise.all([lists.begin('a', now(), count), lists.begin('a', now(), count), lists.begin('b', now(), count)]);
  expect(asked.map(({ total }) => total)).toEqual([large, large, large]);
  expect(counts).toBe(2);
});

it('caches only large lists, and drops one that is no longer large', async () => {
  expect((await lists.begin('a', now(), taking(5, smallList))).total).toBe(smallList);
  expect(lists.get('a', now())).toBeUndefined();
  await lists.begin('a', now(), taking(5, large));
  clock.at += 10_000;
  expect((await lists.renew('a', known(), now(), taking(5, 3), log)).total).toBe(3);
  expect(lists.get('a', now())).toBeUndefined();
});

describe('a count', () => {
  it('that took 10 ms is cached for 3 s, and callers wait for the next one', async () => {
    await lists.begin('a', now(), taking(10, large));
    clock.at += 2_999;
    expect((await lists.renew('a', known(), now(), taking(10, large + 1), log)).total).toBe(large);
    clock.at += 1;
    expect((await lists.renew('a', known(), now(), taking(10, large + 2), log)).total).toBe(large + 2);
  });

  it('that took longer is cached for at most 30 s, and renewed in the background', async () => {
    await lists.begin('a', now(), taking(2_000, large));
    known().anchors.set('name 50', { sort: 'name', skip: 50, cursor: { key: 'a', id: 'b' } });
    clock.at += 29_999;
    await lists.renew('a', known(), now(), taking(2_000, large + 1), log);
    await Promise.resolve();
    expect(known().total).toBe(large);
    clock.at += 1;
    expect((await lists.renew('a', known(), now(), taking(2_000, large + 2), log)).total).toBe(large);
    await expect.poll(() => known().total).toBe(large + 2);
    expect(known().anchors.size).toBe(1);
  });

  it('is made with the knowledge whether a caller waits for it', async () => {
    const told: string[] = [];
    const telling = (milliseconds: number) => async (how: string) => {
      told.push(how);
      return await taking(milliseconds, large)();
    };
    await lists.begin('a', now(), telling(10));
    clock.at += 3_000;
    await lists.renew('a', known(), now(), telling(2_000), log);
    clock.at += 30_000;
    await lists.renew('a', known(), now(), telling(2_000), log);
    await expect.poll(() => told).toEqual(['waited for', 'waited for', 'in the background']);
  });

  it('is never older than 5 minutes', async () => {
    await lists.begin('a', now(), taking(2_000, large));
    clock.at += 5 * 60_000;
    expect(lists.get('a', now())).toBeUndefined();
  });

  it('that fails in the background leaves the cached one', async () => {
    await lists.begin('a', now(), taking(2_000, large));
    clock.at += 30_000;
    const failing = async () => {
      throw new Error('no database');
    };
    expect((await lists.renew('a', known(), now(), failing, log)).total).toBe(large);
    await expect.poll(() => warned).toHaveLength(1);
    expect(known().total).toBe(large);
  });
});
