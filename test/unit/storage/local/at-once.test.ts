import { expect, test } from 'vitest';
import { createAtOnce } from '#storage/local/at-once.ts';

function setUp() {
  let now = 1_000;
  const atOnce = createAtOnce(() => now);
  const takes = (milliseconds: number) => () => {
    now += milliseconds;
    return 'done';
  };
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { atOnce, takes, pass };
}

test('work is done at once as long as it is quick', () => {
  const { atOnce, takes } = setUp();
  for (let times = 0; times < 100; times++) expect(atOnce(takes(4))).toBe('done');
});

test('after slow work nothing is done at once for a second, and then one piece at a time', () => {
  const { atOnce, takes, pass } = setUp();
  expect(atOnce(takes(5))).toBe('done');
  let ran = false;
  const run = (): void => {
    ran = true;
  };
  expect(atOnce(run)).toBeUndefined();
  expect(ran).toBe(false);
  pass(999);
  expect(atOnce(takes(0))).toBeUndefined();
  pass(1);
  expect(atOnce(takes(300))).toBe('done');
  expect(atOnce(takes(0))).toBeUndefined();
  pass(1_000);
  expect(atOnce(takes(1))).toBe('done');
  expect(atOnce(takes(1))).toBe('done');
});

test('what the work throws is thrown', () => {
  const { atOnce } = setUp();
  expect(() =>
    atOnce(() => {
      throw new Error('no space');
    }),
  ).toThrow('no space');
});
