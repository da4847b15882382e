import { expect, test } from 'vitest';
import { confirms } from '#client/etags.ts';

test.each([
  ['blake3', { etag: 'b3-aa', blake3: 'aa' }, true],
  ['blake3', { etag: 'aa', blake3: 'aa' }, false],
  ['md5', { etag: 'AB', blake3: 'x', md5: 'ab' }, true],
  ['md5', { etag: 'ab', blake3: 'x' }, false],
  ['none', { etag: 'anything', blake3: 'x' }, true],
  ['none', { etag: '', blake3: 'x' }, false],
] as const)('an etag that is %s: %o confirms: %s', (checksum, chunk, expected) => {
  expect(confirms(checksum, chunk)).toBe(expected);
});
