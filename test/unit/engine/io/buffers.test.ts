import { expect, test } from 'vitest';
import { createBufferPool, mostFree, stride } from '#engine/io/buffers.ts';

const count = mostFree + 3;

test('buffers are used again, and are none of a pool that others share', () => {
  const pool = createBufferPool();
  const first = pool.take();
  expect([first.length, first.buffer.byteLength]).toEqual([stride, stride]);
  pool.give(first);
  expect(pool.take()).toBe(first);
});

test('while one is in use all that were given back are kept', () => {
  const pool = createBufferPool();
  const [held, ...others] = Array.from({ length: count }, () => pool.take());
  for (const buffer of others) pool.give(buffer);
  const again = Array.from({ length: count - 1 }, () => pool.take());
  expect(again.filter((buffer) => others.includes(buffer))).toHaveLength(others.length);
  expect(again.includes(held!)).toBe(false);
});

test('once none is in use only a few are kept', () => {
  const pool = createBufferPool();
  const all = Array.from({ length: count }, () => pool.take());
  for (const buffer of all) pool.give(buffer);
  const again = Array.from({ length: count }, () => pool.take());
  expect(again.filter((buffer) => all.includes(buffer))).toHaveLength(mostFree);
});
