import { expect, test } from 'vitest';
import { withoutFirst } from '#filesystem/fully.ts';

test.each([
  [0, ['abc', 'de']],
  [2, ['c', 'de']],
  [3, ['de']],
  [5, []],
])('without the first %i bytes', (count, rest) => {
  expect(withoutFirst([Buffer.from('abc'), Buffer.from('de')], count).map(String)).toEqual(rest);
});
