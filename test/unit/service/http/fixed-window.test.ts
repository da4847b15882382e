import { expect, it } from 'vitest';
import { createFixedWindows } from '#service/http/fixed-window.ts';

it('allows a number of calls for each key in a window that begins with the first', () => {
  let at = 1_000_000;
  const count = createFixedWindows(2, 60_000, () => at);
  expect([count('a'), count('a'), count('b')]).toEqual([0, 0, 0]);
  at += 20_500;
  expect([count('a'), count('b'), count('b')]).toEqual([40, 0, 40]);
  at += 39_499;
  expect(count('a')).toBe(1);
  at += 1;
  expect([count('a'), count('a'), count('a')]).toEqual([0, 0, 60]);
});

it('is not extended by refused calls', () => {
  let at = 0;
  const count = createFixedWindows(1, 10_000, () => at);
  for (; at < 10_000; at += 1_000) count('a');
  expect(count('a')).toBe(0);
});

it('drops the least recently used keys when there are too many', () => {
  const count = createFixedWindows(1, 60_000, () => 0, 2);
  count('a');
  count('b');
  expect(count('a')).toBe(60);
  count('c');
  expect([count('a'), count('b')]).toEqual([60, 0]);
});
