import { expect, test } from 'vitest';
import { createAtOnce, type Patience } from '#engine/io/at-once.ts';

function setUp(patience?: Patience) {
  let now = 1_000;
  let waits = 0;
  const atOnce = createAtOnce({ clock: () => now, waits: () => waits }, patience);
  const takes =
    (milliseconds: number, waited = true) =>
    () => {
      now += milliseconds;
      if (waited) waits++;
    };
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { atOnce, takes, pass };
}

test('work is done at once as long as it is quick, a single hitch or not', () => {
  const { atOnce, takes } = setUp();
  for (let times = 0; times < 100; times++) expect(atOnce(takes(times === 50 ? 20 : 0.5))).toBe(true);
});

test('after a long wait nothing is done at once for a second, and then one piece at a time while that is slow', () => {
  const { atOnce, takes, pass } = setUp();
  expect(atOnce(takes(25))).toBe(true);
  let ran = false;
  const run = (): void => {
    ran = true;
  };
  expect(atOnce(run)).toBe(false);
  expect(ran).toBe(false);
  pass(999);
  expect(atOnce(takes(0))).toBe(false);
  pass(1);
  expect(atOnce(takes(4))).toBe(true);
  expect(atOnce(takes(0))).toBe(false);
  pass(1_000);
  expect(atOnce(takes(1))).toBe(true);
  expect(atOnce(takes(1))).toBe(true);
});

test('a disk that is always a little slow is noticed too', () => {
  const { atOnce, takes } = setUp();
  let times = 0;
  while (atOnce(takes(10))) times++;
  expect(times).toBeLessThanOrEqual(4);
});

test('a busy machine is no slow disk', () => {
  const { atOnce, takes } = setUp();
  for (let times = 0; times < 20; times++) expect(atOnce(takes(100, false))).toBe(true);
});

test('what the work throws is thrown', () => {
  const { atOnce } = setUp();
  expect(() =>
    atOnce(() => {
      throw new Error('no space');
    }),
  ).toThrow('no space');
});

test('who is less patient leaves a disk alone the longer the last piece has taken', () => {
  const { atOnce, takes, pass } = setUp({ slowMs: 0.5, share: 1, restMs: 1_000, restTimes: 50 });
  expect(atOnce(takes(0.5))).toBe(true);
  expect(atOnce(takes(30))).toBe(true);
  pass(1_499);
  expect(atOnce(takes(0))).toBe(false);
  pass(1);
  expect(atOnce(takes(0.6))).toBe(true);
  pass(999);
  expect(atOnce(takes(0))).toBe(false);
  pass(1);
  expect(atOnce(takes(0))).toBe(true);
});
