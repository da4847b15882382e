import { expect, test } from 'vitest';
import { createAtOnce, type Patience } from '#disk/at-once.ts';

function setUp(...patience: Patience[]) {
  let now = 1_000;
  let waits = 0;
  const atOnce = createAtOnce({ clock: () => now, waits: () => waits }, ...patience);
  const takes =
    (milliseconds: number, waited = true) =>
    () => {
      now += milliseconds;
      if (waited) waits++;
      return 'done';
    };
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { atOnce, takes, pass };
}

test('work is done at once as long as it is quick, a single hitch or not', () => {
  const { atOnce, takes } = setUp();
  for (let times = 0; times < 100; times++) expect(atOnce(takes(times === 50 ? 20 : 0.5))).toBe('done');
});

test('after a long wait nothing is done at once for a second, and then one piece at a time while that is slow', () => {
  const { atOnce, takes, pass } = setUp();
  expect(atOnce(takes(25))).toBe('done');
  let ran = false;
  const run = (): void => {
    ran = true;
  };
  expect(atOnce(run)).toBeUndefined();
  expect(ran).toBe(false);
  pass(999);
  expect(atOnce(takes(0))).toBeUndefined();
  pass(1);
  expect(atOnce(takes(4))).toBe('done');
  expect(atOnce(takes(0))).toBeUndefined();
  pass(1_000);
  expect(atOnce(takes(1))).toBe('done');
  expect(atOnce(takes(1))).toBe('done');
});

test('a disk that is always a little slow is noticed too', () => {
  const { atOnce, takes } = setUp();
  let times = 0;
  while (atOnce(takes(10)) === 'done') times++;
  expect(times).toBeLessThanOrEqual(4);
});

test('a busy machine is no slow disk', () => {
  const { atOnce, takes } = setUp();
  for (let times = 0; times < 20; times++) expect(atOnce(takes(100, false))).toBe('done');
});

test('what the work throws is thrown', () => {
  const { atOnce } = setUp();
  expect(() =>
    atOnce(() => {
      throw new Error('no space');
    }),
  ).toThrow('no space');
});

test('a disk may be left alone for many times as long as it was waited for', () => {
  const { atOnce, takes, pass } = setUp({ slowMs: 0.5, share: 1 / 32, restMs: 1_000, restTimes: 50 });
  for (let times = 0; times < 100; times++) expect(atOnce(takes(times === 50 ? 10 : 0.125))).toBe('done');
  expect(atOnce(takes(100))).toBe('done');
  pass(4_999);
  expect(atOnce(takes(0))).toBeUndefined();
  pass(1);
  expect(atOnce(takes(0))).toBe('done');
});

test('a disk that was waited for shortly is left alone for the least time', () => {
  const { atOnce, takes, pass } = setUp({ slowMs: 0.5, share: 1, restMs: 1_000, restTimes: 50 });
  expect(atOnce(takes(0.5))).toBe('done');
  expect(atOnce(takes(0.6))).toBe('done');
  pass(999);
  expect(atOnce(takes(0))).toBeUndefined();
  pass(1);
  expect(atOnce(takes(0))).toBe('done');
});
