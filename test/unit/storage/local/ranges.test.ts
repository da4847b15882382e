import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partFile } from '#storage/local/layout.ts';
import { stretches } from '#storage/local/ranges.ts';

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
