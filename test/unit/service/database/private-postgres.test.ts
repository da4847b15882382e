import { expect, it } from 'vitest';
import { sharedMegabytes } from '#service/database/private-postgres.ts';

const GiB = 2 ** 30;

it.each([
  [0, 128],
  [1 * GiB, 128],
  [4 * GiB, 256],
  [16 * GiB, 1_024],
  [512 * GiB, 1_024],
])('of %i bytes of memory the server shares %i MiB', (memory, shared) => {
  expect(sharedMegabytes(memory)).toBe(shared);
});
