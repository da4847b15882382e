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
  meter.add(50_000, 0);
  expect(meter.speed(0)).toBe(200_000);
  for (let at = 250; at <= 10_000; at += 250) meter.add(25_000, at);
  expect(meter.speed(10_000)).toBe(100_000);
  expect(meter.secondsLeft(500_000, 10_000)).toBe(5);
  expect(meter.secondsLeft(0, 10_000)).toBe(0);
  expect(meter.speed(20_000)).toBe(0);
  expect(meter.secondsLeft(1, 20_000)).toBeNull();
});

test('no time left is told before there is a speed', () => {
  const meter = createMeter();
  // A first small file, and then the calls for the large one.
  meter.add(12, 0);
  expect([meter.secondsLeft(30_000_000, 1_000), meter.secondsLeft(30_000_000, 4_000)]).toEqual([null, null]);
  meter.add(100_000, 4_500);
  meter.add(400_000, 5_000);
  expect(meter.secondsLeft(30_000_000, 5_000)).toBe(300);
  // A small rest is as telling as more would be.
  const slow = createMeter();
  for (let at = 0; at <= 5_000; at += 250) slow.add(10, at);
  expect([slow.secondsLeft(100, 5_000), slow.secondsLeft(1_000, 5_000)]).toEqual([2.5, null]);
});

test('what goes on after an outage has its own speed, and no time left before that is known', () => {
  const meter = createMeter(4_000);
  for (let at = 0; at <= 10_000; at += 250) meter.add(25_000, at);
  // Ten seconds later.
  for (let at = 20_000; at < 21_000; at += 250) meter.add(25_000, at);
  expect(meter.speed(21_000)).toBe(100_000);
  expect(meter.secondsLeft(500_000, 21_000)).toBeNull();
  for (let at = 21_000; at <= 26_000; at += 250) meter.add(25_000, at);
  expect([meter.speed(26_000), meter.secondsLeft(500_000, 26_000)]).toEqual([100_000, 5]);
});

test('it starts until something of it moves, and again after a wait in which nothing did', () => {
  let at = 0;
  const all = createActivity({ bytes: 1_000, files: 3, now: () => at, changed: () => {} });
  expect(all.starting).toBe(true);
  const progress = all.beginFile(file, 0);
  progress.begin();
  progress.add(10);
  expect(all.starting).toBe(false);
  // A short wait beside what moves.
  all.wait({ reason: 'One connection waits.', until: null })();
  expect(all.starting).toBe(false);
  at = 60_000;
  // Nothing moves, and nothing says why.
  expect(all.starting).toBe(false);
  all.trouble({ reason: 'Nobody answers.', until: null })();
  expect(all.starting).toBe(true);
  // A file without bytes.
  all.beginFiles([{ id: 2, size: 0 } as FileRecord]).complete({ id: 2, size: 0 } as FileRecord);
  expect(all.starting).toBe(false);
});

test('a file counts as it goes; what an attempt loses is no progress when it moves again', () => {
  const all = activity();
  const progress = all.beginFile(file, 0);
  progress.begin();
  progress.add(60);
  expect([all.bytes, all.fileBytes(1)]).toEqual([1_060, 60]);
  progress.add(-60);
  expect([all.bytes, all.fileBytes(1)]).toEqual([1_060, 60]);
  progress.add(50);
  expect([all.bytes, all.fileBytes(1)]).toEqual([1_060, 60]);
  progress.add(50);
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
  progress.stop(40);
  expect([all.bytes, all.fileBytes(1)]).toEqual([70, null]);
  // The next attempt begins with what was kept.
  const next = all.beginFile(file, 40);
  next.begin();
  next.add(60);
  expect(all.bytes).toBe(70);
  next.add(40);
  expect(all.bytes).toBe(100);
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

test('what is tried again is why nothing moves, as long as nothing does', () => {
  let now = 0;
  const all = createActivity({ bytes: 0, files: 0, now: () => now, changed: () => {} });
  const end = all.begin();
  const over = all.trouble({ reason: 'stalled', until: null });
  expect(all.waiting()?.reason).toBe('stalled');
  const progress = all.beginFile(file, 0);
  progress.begin();
  progress.add(50);
  expect(all.waiting()).toBeNull();
  // Bytes that are taken back were none.
  progress.add(-50);
  expect(all.waiting()?.reason).toBe('stalled');
  progress.add(50);
  now = 60_000;
  expect(all.waiting()?.reason).toBe('stalled');
  over();
  expect(all.waiting()).toBeNull();
  end();
});

test('where nobody answers it waits at once, though it has just had a speed, until bytes move again', () => {
  const all = activity();
  const ends = [all.begin(), all.begin()];
  const progress = all.beginFile(file, 0);
  progress.begin();
  progress.add(50);
  const advice = { remedy: 'wait', needsPerson: false } as const;
  // One connection of several may break while the others go on.
  const broken = all.trouble({ reason: 'broken', until: null, advice: { ...advice, cause: 'cut' } });
  expect(all.waiting()).toBeNull();
  const refused = all.trouble({ reason: 'refused', until: null, advice: { ...advice, cause: 'unreachable' } });
  expect(all.waiting()?.reason).toBe('refused');
  refused();
  expect(all.waiting()).toBeNull();
  const away = all.wait({ reason: 'away', until: 10, advice: { ...advice, cause: 'service_unreachable' } });
  expect(all.waiting()?.reason).toBe('away');
  progress.add(10);
  expect(all.waiting()).toBeNull();
  for (const end of [broken, away, ...ends]) end();
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

test('what a lost batch had moved stays counted, until as much has moved again', () => {
  const all = activity();
  const files = [file, { id: 2, size: 50 }] as FileRecord[];
  const lost = all.beginFiles(files);
  lost.add(120);
  expect(all.bytes).toBe(1_120);
  lost.stop(0);
  expect([all.bytes, all.files]).toEqual([1_120, 3]);
  const again = all.beginFiles(files);
  again.add(120);
  expect(all.bytes).toBe(1_120);
  again.add(30);
  expect(all.bytes).toBe(1_150);
  for (const one of files) again.complete(one);
  again.stop(0);
  expect([all.bytes, all.files]).toEqual([1_150, 5]);
});

test('the count never sinks, also over a restart, but where something really goes', () => {
  const all = createActivity({ bytes: 300, atLeast: 400, files: 0, now: () => 0, changed: () => {} });
  expect(all.bytes).toBe(400);
  const sent = all.beginFile(file, 0);
  sent.begin();
  sent.add(100);
  sent.stop(100);
  expect(all.bytes).toBe(400);
  // A chunk changed after it was sent, so it is sent again.
  all.beginFile(file, 100).stop(20);
  const again = all.beginFile(file, 20);
  again.begin();
  again.add(90);
  expect(all.bytes).toBe(400);
  again.complete();
  all.beginFile({ ...file, id: 2 }, 0).stop(50);
  expect(all.bytes).toBe(450);
  all.beginFile({ ...file, id: 2 }, 50).stop(0);
  all.goBack();
  expect(all.bytes).toBe(400);
  all.recount({ bytes: 7, files: 1 });
  expect(all.bytes).toBe(7);
});
