import { expect, test } from 'vitest';
import { retryAfterSeconds } from '#client/retry-after.ts';

test.each([
  [undefined, null],
  ['5', 5],
  [' 5 ', 5],
  ['soon', null],
  ['-1', null],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 50],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
])('Retry-After %s', (header, seconds) => {
  expect(retryAfterSeconds(header, 10_000)).toBe(seconds);
});
