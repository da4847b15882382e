import { closeSync, futimesSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDiskSink } from '#engine/io/disk-sink.ts';
import { writeWholeNow } from '#engine/io/fast/write-whole.ts';
import { isoOf, secondsOf } from '#engine/io/file-time.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(async () => {
  await folder.remove();
});

const nanoseconds = (path: string): bigint => statSync(path, { bigint: true }).mtimeNs;
const noon = Date.UTC(2026, 10, 20, 12);
const times = [
  ...Array.from({ length: 1_000 }, (_, milliseconds) => noon + milliseconds),
  ...[0, 1, -1, -500, -999, -1_000, -1_001, -1_500, Date.UTC(1940, 0, 9, 0, 0, 0, 7), Date.UTC(2105, 0, 1, 0, 0, 0, 999)],
];

test('a time is set to the millisecond, and less than a microsecond off, before 1970 too', () => {
  const path = join(folder.path, 'timed');
  const fd = openSync(path, 'w');
  for (const time of times) {
    futimesSync(fd, secondsOf(time), secondsOf(time));
    const off = nanoseconds(path) - BigInt(time) * 1_000_000n;
    expect([time, off >= 0n && off < 1_000n]).toEqual([time, true]);
  }
  closeSync(fd);
});

test('every way to write a file sets it so, and it goes out again as it came', async () => {
  const time = Date.UTC(1960, 5, 1, 0, 0, 0, 123);
  const commit = { mtimeMs: time, durable: false };
  const [small, large, whole] = ['small', 'large', 'whole'].map((name) => join(folder.path, name)) as [string, string, string];
  const smallSink = createDiskSink(`${small}.part`, 5);
  await smallSink.write([Buffer.from('small')], 0);
  await smallSink.commit(small, commit);
  const bytes = Buffer.alloc(300_000, 1);
  const largeSink = createDiskSink(`${large}.part`, bytes.length);
  await largeSink.write([bytes], 0);
  await largeSink.commit(large, commit);
  writeWholeNow(whole, Buffer.from('whole'), { mtimeMs: time }).closeNow();
  for (const path of [small, large, whole]) expect(isoOf(statSync(path).mtimeMs)).toBe('1960-06-01T00:00:00.123Z');
});

test.each([
  [noon + 0.9, '2026-11-20T12:00:00.000Z'],
  [-0.5, '1969-12-31T23:59:59.999Z'],
  [-1, '1969-12-31T23:59:59.999Z'],
  [Number.NaN, '1970-01-01T00:00:00.000Z'],
  [9e15, '9999-12-31T23:59:59.999Z'],
  [-9e15, '0001-01-01T00:00:00.001Z'],
])('%d milliseconds are told as the millisecond they lie in, within what the service takes', (time, told) => {
  expect(isoOf(time)).toBe(told);
});
