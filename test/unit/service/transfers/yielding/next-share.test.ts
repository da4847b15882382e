import { describe, expect, it } from 'vitest';
import { firstShare, leastShare, nextShare } from '#service/transfers/yielding/next-share.ts';

describe('what transfers may use next', () => {
  it.each([
    ['all, where nobody waits', 1, { delay: 0.3, calls: 10 }, 0.3, 1],
    ['half, where the API is late', 1, { delay: 2.1, calls: 10 }, 0.3, 0.5],
    ['half, also where its delay at rest is unknown', 0.8, { delay: 2.1, calls: 10 }, null, 0.4],
    ['no less than a part', leastShare, { delay: 90, calls: 10 }, 0.3, leastShare],
    ['no less than a part, from just above', leastShare * 1.5, { delay: 90, calls: 10 }, 0.3, leastShare],
    ['a little more, where it is as late as at rest', 0.5, { delay: 6, calls: 10 }, 5.9, 0.52],
    ['a little more, up to twice its delay at rest', 0.5, { delay: 11.8, calls: 10 }, 5.9, 0.52],
    ['half, above twice its delay at rest', 0.5, { delay: 11.9, calls: 10 }, 5.9, 0.25],
    ['a little more, where no timer could tell the delay', 0.5, { delay: 1.9, calls: 10 }, 0.1, 0.52],
    ['never more than all', 0.99, { delay: 0.3, calls: 10 }, 0.3, 1],
    ['twice as much, where hardly anybody calls', 0.125, { delay: 90, calls: 9 }, 0.3, 0.25],
    ['all, where hardly anybody calls', 0.6, { delay: 90, calls: 0 }, 0.3, 1],
    ['half, where the loop did not get round at all', 1, { delay: Number.POSITIVE_INFINITY, calls: 10 }, 0.3, 0.5],
  ])('%s', (_, share, window, rest, expected) => expect(nextShare(share, window, rest)).toBeCloseTo(expected, 10));

  it.each([
    [0, 1],
    [9, 1],
    [10, leastShare],
  ])('is with %i calls at first %d', (calls, expected) => expect(firstShare(calls)).toBe(expected));

  it('reaches the least within four seconds, and all again in four without callers', () => {
    let share = 1;
    for (let second = 0; second < 4; second++) share = nextShare(share, { delay: 9, calls: 10 }, 1);
    expect(share).toBe(leastShare);
    for (let second = 0; second < 4; second++) share = nextShare(share, { delay: 9, calls: 0 }, 1);
    expect(share).toBe(1);
  });

  it('finds the share that callers do not notice, and stays near it', () => {
    // As a machine that is late from three parts of eight on.
    const shares: number[] = [];
    for (let share = 1, second = 0; second < 300; second++) {
      share = nextShare(share, { delay: share > 3 / 8 ? 5 : 1, calls: 10 }, 1);
      shares.push(share);
    }
    const settled = shares.slice(10);
    expect(Math.min(...settled)).toBeGreaterThan(3 / 16);
    expect(Math.max(...settled)).toBeLessThan(3 / 8 + 0.03);
    expect(settled.filter((share) => share > 3 / 8).length / settled.length).toBeLessThan(0.1);
  });
});
