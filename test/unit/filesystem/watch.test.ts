import { FSWatcher } from 'chokidar';
import { expect, test } from 'vitest';
import { diskOf } from '#filesystem/disk-kind.ts';
import type { WatchOptions } from '#filesystem/port.ts';
import { watchFolder } from '#filesystem/watch.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

function setUp() {
  const clock = createFakeClock(0);
  const scans: number[] = [];
  const options: WatchOptions = {
    onScanDue: () => scans.push(clock.now()),
    onTrouble: (error) => {
      throw error;
    },
    settleMs: 10,
    maximumDelayMs: 100,
    rescanMs: 1_000,
    pollMs: 50,
    ignored: () => false,
    clock,
  };
  return { clock, scans, options };
}

test('a network drive is scanned by the clock, since it reports nothing of what others do', async () => {
  const { clock, scans, options } = setUp();
  const { path, remove } = await diskFolder();
  const watch = watchFolder(path, options, {
    kindOf: async () => ({ id: 'network 1', kind: 'network' }),
    open: () => Promise.reject(new Error('It must not be watched.')),
  });
  expect(await watch.ready).toBe('polling');
  clock.advance(120);
  expect(scans).toEqual([0, 50, 100]);
  await watch.close();
  clock.advance(120);
  expect(scans).toHaveLength(3);
  await remove();
});

test('a local folder is scanned by the clock too, but seldom', async () => {
  const { clock, scans, options } = setUp();
  const { path, remove } = await diskFolder();
  const watch = watchFolder(path, options);
  expect(await watch.ready).toBe('events');
  clock.advance(1_000);
  expect(scans).toEqual([0, 1_000]);
  await watch.close();
  await remove();
});

test('one that is closed before it has begun makes nothing due', async () => {
  const { clock, scans, options } = setUp();
  const { path, remove } = await diskFolder();
  const watch = watchFolder(path, options);
  await watch.close();
  await watch.ready;
  clock.advance(5_000);
  expect(scans).toEqual([]);
  await remove();
});

test('where the system has no more watches to give, scans go on by the clock', async () => {
  const { clock, scans, options } = setUp();
  const { path, remove } = await diskFolder();
  const watcher = new FSWatcher();
  const troubles: Error[] = [];
  const watch = watchFolder(
    path,
    { ...options, onTrouble: (error) => troubles.push(error) },
    { kindOf: diskOf, open: async () => watcher },
  );
  const full = Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' });
  while (watcher.listenerCount('error') === 0) await new Promise((resume) => setImmediate(resume));
  watcher.emit('error', full);
  expect(await watch.ready).toBe('polling');
  expect(troubles).toEqual([full]);
  expect(watcher.closed).toBe(true);
  clock.advance(60);
  expect(scans).toEqual([0, 50]);
  await watch.close();
  await remove();
});
