import { expect, test } from 'vitest';
import { BodyBuffers } from '#storage/local/body-buffers.ts';

test('each buffer is of one request at a time, and there are never more than so many', () => {
  const buffers = new BodyBuffers(100, 2);
  const [one, two] = [buffers.take(100), buffers.take(1)];
  expect(one).not.toBe(two);
  expect([one!.length, two!.length, buffers.take(1)]).toEqual([100, 100, null]);
  buffers.give(two!);
  expect(buffers.take(101)).toBe(null);
  expect(buffers.take(7)).toBe(two);
});
