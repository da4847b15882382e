import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAdaptiveLimit } from '#service/transfers/yielding/adaptive-limit.ts';
import type { ApiWindow } from '#service/transfers/yielding/next-share.ts';
import { reportApi } from '#service/transfers/yielding/report-api.ts';
import { openReportsFolder, type ReportsFolder } from '#service/transfers/yielding/reports-folder.ts';
import { watchReports } from '#service/transfers/yielding/reports-watch.ts';
import { type TempFolder, tempFolder } from '#test/support/system/temp-folder.ts';

const warned: object[] = [];
const log = { debug() {}, info() {}, error() {}, warn: (facts: object) => void warned.push(facts) };
beforeEach(() => void warned.splice(0));

describe('the folder by which processes of a machine tell each other how they are', () => {
  let folder: TempFolder;
  let time = 1_000_000;
  const now = () => time;
  beforeEach(async () => {
    folder = await tempFolder();
    time = 1_000_000;
  });
  afterEach(() => folder.remove());

  it('gives what each process of this machine has told last, with its age, and nothing of others', async () => {
    const one = openReportsFolder(folder.path, now, 'here');
    const two = openReportsFolder(folder.path, now, 'here');
    await openReportsFolder(folder.path, now, 'elsewhere').tell('api', { of: 'another machine' });
    await one.tell('api', { of: 'one, before' });
    time += 1_000;
    await one.tell('api', { of: 'one' });
    await one.tell('transfers', {});
    time += 500;
    await two.tell('api', { of: 'two' });
    expect(new Set(await two.read('api'))).toEqual(
      new Set([
        { age: 500, facts: { of: 'one' } },
        { age: 0, facts: { of: 'two' } },
      ]),
    );
    expect(await two.read('transfers')).toEqual([{ age: 500, facts: {} }]);
    await one.forget('api');
    expect(await two.read('api')).toEqual([{ age: 0, facts: { of: 'two' } }]);
  });

  it('removes after a minute what was left behind, and reads no file that is cut short', async () => {
    await openReportsFolder(folder.path, now, 'here').tell('api', { of: 'one that was killed' });
    await openReportsFolder(folder.path, () => time + 3_600_000, 'here').tell('api', { of: 'one before the clock was put back' });
    await writeFile(join(folder.path, 'reports', 'api-cut.json'), '{"at":1000000,"mach');
    time += 60_001;
    const reader = openReportsFolder(folder.path, now, 'here');
    expect(await reader.read('api')).toEqual([]);
    expect(await readdir(join(folder.path, 'reports'))).toEqual([]);
  });
});

/** Processes of one machine, in memory. */
function machine(): () => ReportsFolder {
  const told = new Map<string, { readonly at: number; readonly facts: unknown }>();
  let processes = 0;
  return () => {
    const id = ++processes;
    return {
      tell: async (kind, facts) => void told.set(`${kind} ${id}`, { at: Date.now(), facts: JSON.parse(JSON.stringify(facts)) }),
      read: async (kind) =>
        [...told].filter(([key]) => key.startsWith(`${kind} `)).map(([, { at, facts }]) => ({ age: Date.now() - at, facts })),
      forget: async (kind) => void told.delete(`${kind} ${id}`),
    };
  };
}

describe('transfers of a worker beside APIs in processes of their own', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);

  function startApi(folder: ReportsFolder, window: ApiWindow) {
    const state = { window, looked: 0 };
    const api = { calls: () => state.window.calls, begin: () => void state.looked++, end: () => state.window };
    const reports = reportApi(api, folder, log);
    return { state, stop: reports.stop };
  }
  function startWorker(folder: ReportsFolder) {
    const told: number[] = [];
    const limit = createAdaptiveLimit(watchReports(folder, log), (share) => void told.push(share));
    limit.start();
    return { limit, told };
  }
  const calm = { delay: 0.2, calls: 10 };
  const late = { delay: 9, calls: 10 };
  const unasked = { delay: 9, calls: 0 };

  it('have less under way while the latest of them is late, and more again when none is', async () => {
    const process = machine();
    const [one, two] = [startApi(process(), calm), startApi(process(), calm)];
    const { limit } = startWorker(process());
    await pass(30);
    expect(limit.share()).toBe(1);
    limit.running(1);
    expect(limit.share()).toBe(1 / 16);
    await pass(60);
    expect(limit.share()).toBe(1);
    two.state.window = late;
    await pass(10);
    expect(limit.share()).toBe(1 / 16);
    two.state.window = calm;
    await pass(10);
    expect(limit.share()).toBeGreaterThan(1 / 16);
    one.state.window = unasked;
    two.state.window = unasked;
    await pass(10);
    expect(limit.share()).toBe(1);
  });

  it('have all, where no API is on the machine or nobody calls', async () => {
    const process = machine();
    const { limit, told } = startWorker(process());
    limit.running(2);
    await pass(30);
    const api = startApi(process(), unasked);
    await pass(30);
    expect(told).toEqual([]);
    await api.stop();
  });

  it('do not have more while an API does not tell in time, and forget it once it is gone', async () => {
    const process = machine();
    const folder = process();
    const api = startApi(folder, calm);
    const { limit } = startWorker(process());
    await pass(30);
    limit.running(1);
    await pass(5);
    const before = limit.share();
    expect(before).toBeLessThan(0.3);
    const tell = vi.spyOn(folder, 'tell').mockResolvedValue();
    await pass(4);
    const held = limit.share();
    await pass(8);
    expect(limit.share()).toBe(held);
    expect(tell).toHaveBeenCalled();
    await pass(10);
    expect(limit.share()).toBe(1);
    await api.stop();
  });

  it('APIs look once in eleven seconds while nothing is transferred, each second otherwise, and not at all once stopped', async () => {
    const process = machine();
    const api = startApi(process(), calm);
    const { limit } = startWorker(process());
    await pass(110);
    expect(api.state.looked).toBe(10);
    limit.running(1);
    await pass(20);
    const busy = api.state.looked;
    expect(busy).toBeGreaterThan(25);
    limit.running(0);
    await pass(10);
    const after = api.state.looked;
    await pass(110);
    expect(api.state.looked - after).toBeLessThanOrEqual(11);
    await api.stop();
    const stopped = api.state.looked;
    limit.running(1);
    await pass(60);
    expect(api.state.looked).toBe(stopped);
  });

  it('say once where the folder cannot be used, and go on', async () => {
    const broken = { ...machine()(), tell: () => Promise.reject(new Error('no room')) };
    const { limit } = startWorker(broken);
    limit.running(1);
    await pass(10);
    expect(limit.share()).toBe(1);
    expect(warned[0]).toMatchObject({ onceAMinute: 'reports' });
  });
});
