import { expect, test } from 'vitest';
import { type Activity, createActivity } from '#engine/transfer/activity.ts';
import { createMeter } from '#engine/transfer/progress.ts';
import type { FileRecord } from '#engine/transfer/record.ts';

const file = { id: 1, size: 100 } as FileRecord;

function activity(): Activity {
  return createActivity({ bytes: 1_000, files: 3, now: () => 0, changed: () => {} });
}

test('the meter: nothing, a first burst, a steady flow, and silence', () => {
  const meter = createMeter(4_000);
  expect(meter.speed(0)).toBe(0);
  expect(meter.secondsLeft(10, 0)).toBeNull();
  meter.add(500, 0);
  expect(meter.speed(0)).toBe(2_000);
  for (let at = 250; at <= 10_000; at += 250) meter.add(250, at);
  expect(meter.speed(10_000)).toBe(1_000);
  expect(meter.secondsLeft(5_000, 10_000)).toBe(5);
  expect(meter.secondsLeft(0, 10_000)).toBe(0);
  expect(meter.speed(20_000)).toBe(0);
  expect(meter.secondsLeft(1, 20_000)).toBeNull();
});

test('a file counts as it goes, and what an attempt takes back is taken back', () => {
  const all = activity();
  const progress = all.beginFile(file, 0);
  progress.begin();
  progress.add(60);
  expect([all.bytes, all.fileBytes(1)]).toEqual([1_060, 60]);
  progress.add(-60);
  expect(all.bytes).toBe(1_000);
  progress.add(100);
  progress.complete();
  expect([all.bytes, all.files, all.fileBytes(1)]).toEqual([1_100, 4, null]);
});

test('what a second attempt takes over is neither progress nor speed', () => {
  const all = createActivity({ bytes: 40, files: 0, now: () => 0, changed: () => {} });
  const progress = all.beginFile(file, 40);
  progress.begin();
  progress.add(40);
  expect([all.bytes, all.speed(0), progress.moved()]).toEqual([40, 0, false]);
  progress.add(30);
  expect([all.bytes, all.fileBytes(1), progress.moved(), progress.moved()]).toEqual([70, 70, true, false]);
  progress.begin();
  progress.add(40);
  progress.add(10);
  expect(all.bytes).toBe(70);
  progress.add(-10);
  expect(all.bytes).toBe(60);
  progress.stop(40);
  expect([all.bytes, all.fileBytes(1)]).toEqual([40, null]);
});

test('it waits only when everything under way does, and the soonest speaks', () => {
  const all = activity();
  const ends = [all.begin(), all.begin()];
  const late = all.wait({ reason: 'late', until: 20 });
  expect(all.waiting()).toBeNull();
  const early = all.wait({ reason: 'early', until: 10 });
  expect(all.waiting()?.reason).toBe('early');
  early();
  ends[1]!();
  expect(all.waiting()?.reason).toBe('late');
  late();
  ends[0]!();
  expect(all.waiting()).toBeNull();
});

test('of files that go together the bytes count as they come, and the complete ones when that is over', () => {
  const all = activity();
  const files = [file, { id: 2, size: 50 }, { id: 3, size: 7 }] as FileRecord[];
  const together = all.beginFiles(files);
  expect([all.bytes, all.fileBytes(2)]).toEqual([1_000, 0]);
  together.add(120);
  expect([all.bytes, all.speed(0) > 0]).toEqual([1_120, true]);
  together.complete(files[0]!);
  expect([all.bytes, all.files, all.fileBytes(1), all.fileBytes(2)]).toEqual([1_120, 4, null, 0]);
  together.complete(files[1]!);
  expect(all.bytes).toBe(1_150);
  together.add(5);
  // Of the third, what is noted.
  together.stop(2);
  expect([all.bytes, all.files, all.fileBytes(3)]).toEqual([1_152, 5, null]);
});
