import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partFile } from '#storage/local/layout.ts';
import { answerRange, ifMatch, stretches } from '#storage/local/ranges.ts';

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

test('stretches give exactly the bytes asked for, wherever the parts end', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }), fc.nat(), fc.nat(), (sizes, a, b) => {
      const parts = sizes.map((size, index) => partFile(index + 1, size, String(index).padStart(64, '0')));
      const bytes = sizes.flatMap((size, part) => Array.from({ length: size }, (_, index) => `${part}:${index}`));
      fc.pre(bytes.length > 0);
      const [start, end] = [a % bytes.length, b % bytes.length].sort((x, y) => x - y) as [number, number];
      const found = stretches(parts, start, end).flatMap(({ file, offset, length }) => {
        const part = parts.findIndex((one) => one.file === file);
        return Array.from({ length }, (_, index) => `${part}:${offset + index}`);
      });
      expect(found).toEqual(bytes.slice(start, end + 1));
    }),
  );
});

test.each([
  [undefined, true],
  ['*', true],
  ['"a"', true],
  ['"b", "a"', true],
  ['"b"', false],
  ['W/"a"', false],
  ['', false],
])('If-Match: %s lets "a" through: %s', (header, expected) => expect(ifMatch(header, '"a"')).toBe(expected));
