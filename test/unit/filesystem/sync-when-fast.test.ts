import { expect, test } from 'vitest';
import { createSyncWhenFast, type SlowDiskRule } from '#filesystem/sync-when-fast.ts';

function setUp(...patience: SlowDiskRule[]) {
  let now = 1_000;
  let waits = 0;
  const syncWhenFast = createSyncWhenFast({ clock: () => now, waits: () => waits }, patience[0], true);
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
  return { syncWhenFast, takes, pass };
}

test('work is done at once as long as it is quick, a single hitch or not', () => {
  const { syncWhenFast, takes } = setUp();
  for (let times = 0; times < 100; times++) expect(syncWhenFast(takes(times === 50 ? 20 : 0.5))).toBe('done');
});

test('after a long wait nothing is done at once for a second, and then one piece at a time while that is slow', () => {
  const { syncWhenFast, takes, pass } = setUp();
  expect(syncWhenFast(takes(25))).toBe('done');
  let ran = false;
  const run = (): void => {
    ran = true;
  };
  expect(syncWhenFast(run)).toBeUndefined();
  expect(ran).toBe(false);
  pass(999);
  expect(syncWhenFast(takes(0))).toBeUndefined();
  pass(1);
  expect(syncWhenFast(takes(4))).toBe('done');
  expect(syncWhenFast(takes(0))).toBeUndefined();
  pass(1_000);
  expect(syncWhenFast(takes(1))).toBe('done');
  expect(syncWhenFast(takes(1))).toBe('done');
});

test('a disk that is always a little slow is noticed too', () => {
  const { syncWhenFast, takes } = setUp();
  let times = 0;
  while (syncWhenFast(takes(10)) === 'done') times++;
  expect(times).toBeLessThanOrEqual(4);
});

test('a busy machine is no slow disk', () => {
  const { syncWhenFast, takes } = setUp();
  for (let times = 0; times < 20; times++) expect(syncWhenFast(takes(100, false))).toBe('done');
});

test('what the work throws is thrown', () => {
  const { syncWhenFast } = setUp();
  expect(() =>
    syncWhenFast(() => {
      throw new Error('no space');
    }),
  ).toThrow('no space');
});

test('a disk may be left alone for many times as long as it was waited for', () => {
  const { syncWhenFast, takes, pass } = setUp({ slowMs: 0.5, share: 1 / 32, restMs: 1_000, restTimes: 50 });
  for (let times = 0; times < 100; times++) expect(syncWhenFast(takes(times === 50 ? 10 : 0.125))).toBe('done');
  expect(syncWhenFast(takes(100))).toBe('done');
  pass(4_999);
  expect(syncWhenFast(takes(0))).toBeUndefined();
  pass(1);
  expect(syncWhenFast(takes(0))).toBe('done');
});

test('a disk that was waited for shortly is left alone for the least time', () => {
  const { syncWhenFast, takes, pass } = setUp({ slowMs: 0.5, share: 1, restMs: 1_000, restTimes: 50 });
  expect(syncWhenFast(takes(0.5))).toBe('done');
  expect(syncWhenFast(takes(0.6))).toBe('done');
  pass(999);
  expect(syncWhenFast(takes(0))).toBeUndefined();
  pass(1);
  expect(syncWhenFast(takes(0))).toBe('done');
});
