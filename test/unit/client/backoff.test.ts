import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffDelay, brisk, patient } from '#client/backoff.ts';

describe('back-off', () => {
  test.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [7, 60_000],
    [10_000, 60_000],
    [0, 1_000],
  ])('after failure %i: %i ms at most', (failures, most) => {
    expect(backoffDelay(failures, () => 0)).toBe(most);
    expect(backoffDelay(failures, () => 0.999_999)).toBe(Math.round(most / 2));
  });

  test('stays between half and whole of what it doubles to', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (failures, random) => {
        for (const kind of [patient, brisk]) {
          const delay = backoffDelay(failures, () => random, kind);
          expect(delay).toBeGreaterThanOrEqual(kind.first / 2);
          expect(delay).toBeLessThanOrEqual(kind.most);
        }
      }),
    );
  });
});
