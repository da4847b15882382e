import { expect, test } from 'vitest';
import { createScanSchedule } from '#filesystem/scan-schedule.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

function setUp() {
  const clock = createFakeClock(0);
  const scans: number[] = [];
  const schedule = createScanSchedule({ onScanDue: () => scans.push(clock.now()), settleMs: 10, maximumDelayMs: 25, clock });
  return { clock, scans, schedule };
}

test('many events become one scan, once nothing changes any more', () => {
  const { clock, scans, schedule } = setUp();
  schedule.begin(1_000);
  expect(scans).toEqual([0]);
  schedule.changed();
  clock.advance(9);
  schedule.changed();
  clock.advance(9);
  expect(scans).toEqual([0]);
  clock.advance(1);
  expect(scans).toEqual([0, 19]);
  clock.advance(100);
  expect(scans).toEqual([0, 19]);
});

test('changes that never stop put a scan off no longer than the greatest delay', () => {
  const { clock, scans, schedule } = setUp();
  schedule.begin(1_000);
  for (let times = 0; times < 20; times++) {
    schedule.changed();
    clock.advance(5);
  }
  expect(scans).toEqual([0, 25, 50, 75, 100]);
});

test('without events scans come by the clock, counted from the last one', () => {
  const { clock, scans, schedule } = setUp();
  schedule.begin(100);
  clock.advance(250);
  expect(scans).toEqual([0, 100, 200]);
  schedule.changed();
  clock.advance(110);
  expect(scans).toEqual([0, 100, 200, 260, 360]);
});

test('events before the first scan make none due, and nothing is due after the end', () => {
  const { clock, scans, schedule } = setUp();
  schedule.changed();
  clock.advance(100);
  expect(scans).toEqual([]);
  schedule.begin(100);
  schedule.changed();
  schedule.end();
  clock.advance(1_000);
  expect(scans).toEqual([100]);
  expect(clock.pending).toBe(0);
});
