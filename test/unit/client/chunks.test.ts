import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseChunkSize, chunkCount, chunkSlice } from '#client/chunks.ts';

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
