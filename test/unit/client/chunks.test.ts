import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseChunkSize, chunkCount, chunkSizeFor, chunkSlice } from '#client/chunks.ts';

describe('chunks', () => {
  test('cover every byte once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e4 }), fc.integer({ min: 100, max: 1e5 }), (size, chunkSize) => {
        const count = chunkCount(size, chunkSize);
        let at = 0;
        for (let index = 0; index < count; index++) {
          const slice = chunkSlice(index, size, chunkSize);
          expect(slice.offset).toBe(at);
          at += slice.length;
        }
        expect(at).toBe(size);
      }),
    );
  });

  const MiB = 1024 * 1024;
  test.each([
    ['the default', 10, undefined, 100 * MiB],
    ['what is wanted', 10, 5 * MiB, 5 * MiB],
    ['raised to whole MiB where there would be too many', 100_000 * MiB, 5 * MiB, 10 * MiB],
    ['raised above the default', 2_000_000 * MiB, undefined, 200 * MiB],
    ['never more than 10,000', 100_001 * MiB, 5 * MiB, 11 * MiB],
  ])('size: %s', (_, size, wanted, chosen) => {
    expect(chooseChunkSize(size, wanted)).toBe(chosen);
    expect(chunkCount(size, chosen)).toBeLessThanOrEqual(10_000);
  });
});

describe('the chunk size that a file is given', () => {
  const MiB = 1024 * 1024;
  const GiB = 1024 * MiB;
  const MB = 1_000_000;
  test.each([
    ['about eight seconds of a connection', 10 * GiB, { bytesPerSecond: 3 * MB, most: 5 * GiB }, 23 * MiB],
    ['less, so that none is a short one', 30 * MB, { bytesPerSecond: 3 * MB, most: 5 * GiB }, 15 * MiB],
    ['5 MiB at least, on a slow line', 1 * GiB, { bytesPerSecond: 50_000, most: 5 * GiB }, 5 * MiB],
    ['as large as 10,000 chunks need', 1_000 * GiB, { bytesPerSecond: 50_000, most: 5 * GiB }, 103 * MiB],
    ['no more than the service takes', 10 * GiB, { bytesPerSecond: 100 * MB, most: 100 * MB }, 95 * MiB],
    ['all of a file that fits', 32 * MB, { bytesPerSecond: 100 * MB, most: 5 * GiB }, 31 * MiB],
    ['two for each of sixteen connections, however fast one of them is', 1 * GiB, { bytesPerSecond: 100 * MB, most: 5 * GiB }, 32 * MiB],
    ['no more than the storage compares before it sends a part', 100 * GiB, { bytesPerSecond: 100 * MB, most: 5 * GiB }, 128 * MiB],
    ['larger where 10,000 of these do not hold the file', 2_000 * GiB, { bytesPerSecond: 100 * MB, most: 5 * GiB }, 205 * MiB],
    ['16 MiB while nobody knows the line', 10 * GiB, { bytesPerSecond: null, most: 5 * GiB }, 16 * MiB],
    ['what the service takes, even where that does not hold the file', 1_000 * GiB, { bytesPerSecond: null, most: 20 * MB }, 20 * MB],
  ])('is %s', (_, size, bounds, chunkSize) => expect(chunkSizeFor(size, bounds)).toBe(chunkSize));

  test('is always one that the service takes, and that holds the file', () => {
    const bounds = fc.record({
      bytesPerSecond: fc.option(fc.double({ min: 0, max: 1e12, noNaN: true })),
      most: fc.integer({ min: 100 * MB, max: 5 * GiB }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 * MB * 10_000 }), bounds, (size, known) => {
        const chunkSize = chunkSizeFor(size, known);
        expect(Number.isInteger(chunkSize)).toBe(true);
        expect(chunkSize).toBeGreaterThanOrEqual(5 * MiB);
        expect(chunkSize).toBeLessThanOrEqual(known.most);
        expect(chunkCount(size, chunkSize)).toBeLessThanOrEqual(10_000);
      }),
    );
  });
});
