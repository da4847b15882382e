import { beforeEach, expect, test } from 'vitest';
import { ServiceError } from '#client/errors.ts';
import type { TransferReport } from '#engine/gateway/mount-process/messages.ts';
import { createReporter, type Reporter } from '#engine/gateway/reporter.ts';
import { silentLog } from '#engine/ports.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { type ScriptedHosted, scriptedHosted } from '#test/support/engine/scripted-hosted.ts';

/** How a task is told about, to a service that the test plays. */

const away = new ServiceError('unavailable', {}, { answered: 503 });
const taken = new ServiceError('state_conflict', { detail: 'Not yours.' }, { answered: 409 });
const totals = { total_bytes: 10, total_files: 2 };

let clock: FakeClock;
let service: ScriptedHosted;
let settled: string[];
let reporter: Reporter;

beforeEach(() => {
  clock = createFakeClock();
  service = scriptedHosted();
  settled = [];
  reporter = createReporter({
    taskId: 'task',
    client: service.client,
    clock,
    random: () => 0,
    log: silentLog,
    totals,
    settled: (how) => void settled.push(how),
  });
});

const at = (bytes: number, more: Partial<TransferReport> = {}): TransferReport => ({
  transferId: 'transfer',
  state: 'started',
  error: '',
  progress: { bytes, total_bytes: 7, files: 0, total_files: 1 },
  ...more,
});

async function answered(): Promise<void> {
  clock.advance(0);
  service.calls.at(-1)!.answer({ state: 'started', leased_until: '' });
  await service.settle();
}

test('the first is told at once, the next ones two seconds apart, by the newest state', async () => {
  reporter.report(at(1));
  await answered();
  expect(service.calls[0]).toMatchObject({
    params: { transfer_id: 'transfer' },
    body: { task_id: 'task', state: 'started', progress: { bytes: 1, total_bytes: 10, files: 0, total_files: 2 } },
  });
  reporter.report(at(2));
  clock.advance(1_999);
  expect(service.calls).toHaveLength(1);
  reporter.report(at(3));
  clock.advance(1);
  expect(service.calls[1]).toMatchObject({ body: { progress: { bytes: 3 } } });
});

test('a lease is renewed where there is no news', async () => {
  reporter.report(at(1));
  await answered();
  clock.advance(6_999);
  expect(service.calls).toHaveLength(1);
  clock.advance(1);
  expect(service.calls).toHaveLength(2);
});

test('an end is told at once and until it is heard, with what has other names, and nothing after it', async () => {
  reporter.report(at(1));
  await answered();
  const renamed = { total: 3, first: [{ from: 'a:b', to: 'a_b' }] };
  reporter.report(at(10, { state: 'complete', renamed }));
  clock.advance(0);
  expect(service.calls[1]).toMatchObject({ body: { state: 'complete', renamed: renamed.first, renamed_total: 3 } });
  service.calls[1]!.refuse(away);
  await service.settle();
  reporter.report(at(5));
  clock.advance(500);
  expect(service.calls[2]).toMatchObject({ body: { state: 'complete', progress: { bytes: 10 } } });
  await answered();
  expect(settled).toEqual(['told']);
  expect(clock.pending).toBe(0);
});

test('a task that is somebody else’s is put down', async () => {
  reporter.report(at(1));
  clock.advance(0);
  service.calls[0]!.refuse(taken);
  await service.settle();
  expect([settled, clock.pending]).toEqual([['lost'], 0]);
});

test('one that is closed says nothing more', async () => {
  reporter.report(at(1));
  await answered();
  reporter.close();
  reporter.report(at(2, { state: 'error', error: 'Gone.' }));
  clock.advance(60_000);
  await service.settle();
  expect([service.calls.length, settled]).toEqual([1, []]);
});
