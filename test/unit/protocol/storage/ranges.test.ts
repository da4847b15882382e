import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerRange, contentRange, ifMatch, isRangeOf, noRangeOf, rangeOf } from '#protocol/storage/ranges.ts';

describe('a Range header', () => {
  test.each([
    [undefined, 10, { kind: 'whole' }],
    ['bytes=0-', 10, { kind: 'part', start: 0, end: 9 }],
    ['bytes=0-0', 10, { kind: 'part', start: 0, end: 0 }],
    ['bytes=3-5', 10, { kind: 'part', start: 3, end: 5 }],
    ['bytes=3-99', 10, { kind: 'part', start: 3, end: 9 }],
    ['bytes=-4', 10, { kind: 'part', start: 6, end: 9 }],
    ['bytes=-99', 10, { kind: 'part', start: 0, end: 9 }],
    ['bytes=10-', 10, { kind: 'unsatisfiable' }],
    ['bytes=-0', 10, { kind: 'unsatisfiable' }],
    ['bytes=0-', 0, { kind: 'unsatisfiable' }],
    ['bytes=5-3', 10, { kind: 'whole' }],
    ['bytes=0-1,3-4', 10, { kind: 'whole' }],
    ['lines=0-1', 10, { kind: 'whole' }],
    ['bytes=-', 10, { kind: 'whole' }],
    ['bytes=a-b', 10, { kind: 'whole' }],
  ] as const)('%s of %i bytes', (header, size, answer) => {
    expect(answerRange(header, size)).toEqual(answer);
  });
});

test('what is asked for is what is answered, on both sides', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), fc.integer({ min: 1, max: 2 ** 33 }), fc.nat(2 ** 33), (offset, length, more) => {
      const size = offset + length + more;
      const answer = answerRange(rangeOf(offset, length), size);
      if (answer.kind !== 'part') throw new Error(answer.kind);
      const header = contentRange(answer.start, answer.end, size);
      expect(isRangeOf(header, offset, length)).toBe(true);
      expect([isRangeOf(header, offset + 1, length), isRangeOf(header, offset, length + 1)]).toEqual([false, false]);
    }),
  );
});

test.each([undefined, '', 'bytes */10', 'bytes 0-9', 'lines 0-9/10', 'bytes 1-9/10'])('%s is not the first ten bytes', (header) => {
  expect(isRangeOf(header, 0, 10)).toBe(false);
});

test('no range of an object names its size', () => expect(noRangeOf(7)).toBe('bytes */7'));

test.each([
  [undefined, true],
  ['*', true],
  ['"a"', true],
  ['"b", "a"', true],
  ['"b"', false],
  ['W/"a"', false],
  ['', false],
])('If-Match: %s lets "a" through: %s', (header, expected) => expect(ifMatch(header, '"a"')).toBe(expected));
