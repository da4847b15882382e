import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { chooseChunkSize, chunkBytes, chunkCount, chunkRange } from '#service/files/chunk-plan.ts';

const MiB = 1024 * 1024;
const storage = { minChunkSize: 5 * MiB, maxChunkSize: 5 * 1024 * MiB, maxChunkCount: 10_000 };

describe('the chunk size of a new file', () => {
  it.each([
    ["its own, before its package's", { file: 8 * MiB, package: 16 * MiB }, 1, 8 * MiB],
    ["its package's, before the default", { file: undefined, package: 16 * MiB }, 1, 16 * MiB],
    ['the default', { file: undefined, package: 0 }, 1, 100 * MiB],
    ['one that just holds it in 10,000 chunks', { file: 5 * MiB, package: 0 }, 50_000 * MiB, 5 * MiB],
    ['any, where the size is unknown', { file: 5 * MiB, package: 0 }, null, 5 * MiB],
  ])('is %s', (_, asked, size, chunkSize) => {
    expect(chooseChunkSize(asked, size, storage)).toEqual({ chunkSize });
  });

  it('that is too small for the file is refused, and the error names one that is not', () => {
    const result = chooseChunkSize({ file: 5 * MiB, package: 0 }, 50_000 * MiB + 1, storage);
    expect(result).toEqual({ fault: expect.stringContaining(`chunks of ${6 * MiB} bytes would hold them`) });
    expect(chooseChunkSize({ file: 6 * MiB, package: 0 }, 50_000 * MiB + 1, storage)).toEqual({ chunkSize: 6 * MiB });
  });

  it('is refused for a file that is too large for any chunk size', () => {
    const small = { minChunkSize: 1, maxChunkSize: 6 * MiB, maxChunkCount: 2 };
    expect(chooseChunkSize({ file: undefined, package: 5 * MiB }, 13 * MiB, small)).toEqual({
      fault: expect.stringContaining(`at most ${12 * MiB} bytes`),
    });
  });

  it('is refused outside the limits of this storage', () => {
    const narrow = { ...storage, maxChunkSize: 50 * MiB };
    expect(chooseChunkSize({ file: 60 * MiB, package: 0 }, 1, narrow)).toEqual({ fault: expect.stringContaining('takes chunks of') });
    expect(chooseChunkSize({ file: undefined, package: 0 }, 1, narrow)).toEqual({ chunkSize: 50 * MiB });
  });

  it('above the largest body of the proxy is refused with this reason', () => {
    const behind = { ...storage, maxChunkSize: 20 * MiB, largestBody: 20 * MiB };
    expect(chooseChunkSize({ file: 20 * MiB + 1, package: 0 }, 1, behind)).toEqual({
      fault: expect.stringMatching(new RegExp(`^chunk_size: .* no larger body than ${20 * MiB} bytes through`)),
    });
    expect(chooseChunkSize({ file: undefined, package: 0 }, 1, behind)).toEqual({ chunkSize: 20 * MiB });
  });

  it('that the error names is large enough for the file', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: limits.maxFileSize }),
        fc.constantFrom(0, 5 * MiB, 100 * MiB, 5 * 1024 * MiB),
        (size, asked) => {
          const chosen = chooseChunkSize({ file: undefined, package: asked }, size, storage);
          if ('fault' in chosen) {
            const would = Number(/chunks of (\d+) bytes would/.exec(chosen.fault)?.[1]);
            expect(chooseChunkSize({ file: would, package: 0 }, size, storage)).toEqual({ chunkSize: would });
          } else {
            expect(chunkCount(size, chosen.chunkSize)).toBeLessThanOrEqual(10_000);
          }
        },
      ),
    );
  });
});

describe('the chunks of a file', () => {
  it('add up to it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 1, max: 700 }), (size, chunkSize) => {
        const count = chunkCount(size, chunkSize);
        let sum = 0;
        for (let index = 0; index < count; index++) {
          const bytes = chunkBytes(index, size, chunkSize);
          expect(bytes).toBeLessThanOrEqual(chunkSize);
          expect(bytes).toBeGreaterThanOrEqual(size === 0 ? 0 : 1);
          sum += bytes;
        }
        expect(sum).toBe(size);
      }),
    );
  });

  it.each([
    ['an empty file has one chunk of 0 bytes', { start: 0, count: 10 }, 0, [[0, 0]]],
    [
      'a last chunk is shorter',
      { start: 0, count: 10 },
      25,
      [
        [0, 10],
        [1, 10],
        [2, 5],
      ],
    ],
    ['a window', { start: 1, count: 1 }, 25, [[1, 10]]],
    ['beyond the end', { start: 3, count: 1 }, 25, []],
    [
      'of unknown size',
      { start: 98, count: 5 },
      null,
      [
        [98, null],
        [99, null],
      ],
    ],
  ] as const)('%s', (_, asked, size, expected) => {
    expect(chunkRange(asked, size, 10, 100).map((chunk) => [chunk.index, chunk.bytes])).toEqual(expected);
  });
});
