import { describe, expect, test } from 'vitest';
import { choosePartSize, partRanges } from '#providers/parts.ts';
import type { UploadPlan } from '#providers/ports.ts';

const mebibyte = 1024 * 1024;
const plan: UploadPlan = {
  smallestPart: 5 * mebibyte,
  largestPart: 5 * 1024 * mebibyte,
  usualPart: 16 * mebibyte,
  partMultiple: 1,
  maxParts: 10_000,
  largestFile: 48.8 * 1024 ** 4,
  dictatesParts: false,
  order: 'any',
  partDigests: [],
  digestsToBegin: [],
  digestsToComplete: [],
};

describe('the size of a part', () => {
  test.each([
    ['usual', 0, undefined, 16 * mebibyte],
    ['as wished', 100 * mebibyte, 8 * mebibyte, 8 * mebibyte],
    ['never below the smallest', 100 * mebibyte, 1, 5 * mebibyte],
    ['the usual one still fits', 160_000 * mebibyte, undefined, 16 * mebibyte],
    ['one byte more: the next mebibyte', 160_000 * mebibyte + 1, undefined, 17 * mebibyte],
  ])('%s', (_what, size, wished, expected) => {
    expect(choosePartSize(plan, size, wished)).toBe(expected);
  });

  test('is a multiple of what the provider wants', () => {
    const multiple = 256 * 1024;
    expect(choosePartSize({ ...plan, partMultiple: multiple }, 1, multiple * 33 + 5)).toBe(multiple * 34);
  });

  test('a file that never fits is refused in words', () => {
    expect(() => choosePartSize({ ...plan, largestFile: 100 }, 101)).toThrow(
      'A file of 101 bytes is larger than this storage takes (100 bytes).',
    );
    expect(() => choosePartSize({ ...plan, largestPart: 5 * mebibyte, maxParts: 2 }, 10 * mebibyte + 1)).toThrow(
      'larger than this storage takes',
    );
  });
});

test('parts cover a file without gaps', () => {
  expect([...partRanges({ fileSize: 25, partSize: 10 })]).toEqual([
    { number: 1, offset: 0, size: 10 },
    { number: 2, offset: 10, size: 10 },
    { number: 3, offset: 20, size: 5 },
  ]);
  expect([...partRanges({ fileSize: 20, partSize: 10 })].length).toBe(2);
  expect([...partRanges({ fileSize: 0, partSize: 10 })]).toEqual([{ number: 1, offset: 0, size: 0 }]);
  expect([...partRanges({ sizes: [3, 4] })]).toEqual([
    { number: 1, offset: 0, size: 3 },
    { number: 2, offset: 3, size: 4 },
  ]);
});
