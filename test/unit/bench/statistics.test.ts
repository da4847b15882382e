import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ratioOf, spreadOf } from '#bench/statistics.ts';

describe('the spread of values', () => {
  it.each<[string, readonly number[], { low: number; median: number; high: number }]>([
    ['one value', [3], { low: 3, median: 3, high: 3 }],
    ['two', [1, 2], { low: 1.25, median: 1.5, high: 1.75 }],
    ['an odd number, unsorted', [5, 1, 4, 2, 3], { low: 2, median: 3, high: 4 }],
    ['numbers that do not sort as text', [10, 9, 100], { low: 9.5, median: 10, high: 55 }],
  ])('%s', (_, values, spread) => {
    expect(spreadOf(values)).toEqual(spread);
  });

  it('is nothing of nothing', () => {
    expect(spreadOf([])).toBeNull();
  });

  it('lies in order within the values', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 1 }), (values) => {
        const { low, median, high } = spreadOf(values)!;
        expect(low).toBeLessThanOrEqual(median);
        expect(median).toBeLessThanOrEqual(high);
        expect(low).toBeGreaterThanOrEqual(Math.min(...values));
        expect(high).toBeLessThanOrEqual(Math.max(...values));
      }),
    );
  });
});

describe('the ratio of two series', () => {
  const series = (...values: (number | null)[]) =>
    new Map(values.flatMap((value, index) => (value === null ? [] : [[index + 1, value] as const])));

  it('is taken within each round, so that a slow round of both changes nothing', () => {
    expect(ratioOf(series(2, 20, 4), series(1, 10, 2))).toEqual({ low: 2, median: 2, high: 2 });
  });

  it('leaves out rounds that either lacks, and those that divide by nothing', () => {
    expect(ratioOf(series(1, 6, null, 8), series(null, 2, 5, 0))).toEqual({ low: 3, median: 3, high: 3 });
  });

  it('is nothing when they share no round', () => {
    expect(ratioOf(series(1), series(null, 1))).toBeNull();
  });
});
