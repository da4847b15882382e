import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeRanges, encodeRanges, positionsIn, rangesFault } from '#service/zips/selection.ts';

const gaps = fc.array(fc.tuple(fc.nat({ max: 100_000 }), fc.nat({ max: 100_000 })), { minLength: 1, maxLength: 40 });

it('says any choice as text, and reads it back', () => {
  fc.assert(
    fc.property(gaps, (pairs) => {
      let end = 0;
      const ranges = pairs.map(([gap, more]) => {
        const first = end + gap;
        end = first + more + 1;
        return { first, last: end - 1 };
      });
      expect(rangesFault(ranges, end)).toBeNull();
      expect(decodeRanges(encodeRanges(ranges))).toEqual(ranges);
    }),
  );
  const far = [{ first: 5_000_000_000, last: 2 ** 52 }];
  expect(decodeRanges(encodeRanges(far))).toEqual(far);
});

it('is short for a folder, however much is in it', () => {
  expect(encodeRanges([{ first: 100_000, last: 900_000 }]).length).toBeLessThan(9);
});

it.each([
  [[{ first: 3, last: 2 }], /last comes before first/],
  [
    [
      { first: 0, last: 2 },
      { first: 2, last: 4 },
    ],
    /ranges\[1\]: ranges must ascend/,
  ],
  [
    [
      { first: 4, last: 5 },
      { first: 0, last: 1 },
    ],
    /must ascend/,
  ],
  [[{ first: 0, last: 10 }], /has 10 records/],
])('%j is refused', (ranges, why) => {
  expect(rangesFault(ranges, 10)).toMatch(why);
});

it('never leaves the list', () => {
  expect(
    positionsIn(
      [
        { first: 1, last: 2 },
        { first: 4, last: 900 },
      ],
      6,
    ),
  ).toEqual([1, 2, 4, 5]);
});
