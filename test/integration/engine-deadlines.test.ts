import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { inVirtualTime } from '#test/support/clock/virtual-time.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { repeated, type StorageProxy, startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Deadlines with a real service, over a line of 1 MB/s, by a clock of ours. */

const MB = 1_000_000;
const MiB = 1024 * 1024;
const second = 1_000;

let folder: Awaited<ReturnType<typeof tempFolder>>;
let storage: StorageProxy;
let service: TestService;
let clock: FakeClock;
let engine: Engine;

const start = () => startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey, clock });
/** Whatever moves without this clock: bytes, and what the engine tells of. */
let told = 0;
const moves = () => told + storage.bytes();
const passing = async <T>(work: Promise<T>): Promise<T> => (await inVirtualTime(clock, work, { moves })).result;

beforeAll(async () => {
  folder = await tempFolder();
  storage = await startStorageProxy();
  service = await startTestService({ storagePublicUrl: storage.url });
  storage.upstream = service.storageUrl;
  clock = createFakeClock(Date.now());
  engine = await start();
  writeTree(folder.path, { 'large.mov': seededBytes(30 * MB, 1), 'small.mov': seededBytes(2 * MB, 2), 'tiny.txt': 'tiny' });
});
afterAll(async () => {
  await passing(engine?.close());
  await service?.close();
  await storage?.close();
  await folder?.remove();
});

function upload(name: string, file: string, more: object = {}): Promise<AgentTransfer> {
  const paths = [join(folder.path, file)];
  return engine.transfers.upload({ team_id: service.teamId, paths, package_name: name, recipients: [], chunk_size: 5 * MiB, ...more });
}

const inSeconds = (seconds: number): string => new Date(clock.now() + seconds * second).toISOString();

test('a deadline is kept over a restart, changed, taken away, and never set in the past', async () => {
  await passing(engine.transfers.pauseAll());
  const due = inSeconds(3_600);
  const { id } = await passing(upload('Kept', 'tiny.txt', { due_at: due }));
  expect((await engine.transfers.get(id)).deadline).toMatchObject({ due_at: due, state: 'unknown' });
  await passing(engine.close());
  engine = await start();
  expect((await engine.transfers.get(id)).deadline).toMatchObject({ due_at: due });
  const later = inSeconds(7_200);
  expect((await passing(engine.transfers.change(id, { due_at: later }))).deadline).toMatchObject({ due_at: later });
  const past = { error: 'invalid_request', message: expect.stringContaining('The field due_at lies in the past.') };
  await expect(passing(engine.transfers.change(id, { due_at: inSeconds(-1) }))).rejects.toMatchObject(past);
  await expect(passing(upload('Late', 'tiny.txt', { due_at: inSeconds(-1) }))).rejects.toMatchObject(past);
  expect((await passing(engine.transfers.change(id, { due_at: null }))).deadline).toBeUndefined();
  const { records } = await engine.transfers.log(id);
  expect(records.filter(({ event }) => event === 'due_at').map(({ detail }) => detail)).toEqual([later, '']);
  await passing(engine.transfers.resumeAll());
  expect(await passing(transferWhen(engine, id))).toMatchObject({ state: 'complete' });
  await expect(engine.transfers.change(id, { due_at: later })).rejects.toMatchObject({ error: 'transfer_conflict' });
});

test('one that would be late overtakes the one that runs, which waits, says why, and sends nothing twice', async () => {
  await passing(engine.settings.update({ max_concurrent_transfers: 1 }));
  const limit = { ...engine.rateLimits.get('upload'), enabled: true, rate_limit_bps: MB };
  await passing(engine.rateLimits.set('upload', limit));
  const before = storage.passages.length;
  const shown: AgentTransfer[] = [];
  const stop = new AbortController();
  const listening = (async () => {
    for await (const event of engine.events.subscribe(null, stop.signal)) {
      told++;
      if (event.type === 'transfer.changed') shown.push(event.transfer);
    }
  })();
  const large = await passing(upload('Large', 'large.mov'));
  await passing(transferWhen(engine, large.id, ({ bytes }) => bytes >= 2 * MB));
  // Behind the other one it would be late, and with the line for itself it is in time.
  const due = await passing(upload('Due', 'small.mov', { due_at: inSeconds(15) }));
  const met = await passing(transferWhen(engine, due.id));
  expect(met).toMatchObject({ state: 'complete', deadline: { state: 'met' } });
  expect((await engine.transfers.get(large.id)).state).not.toBe('complete');
  const sent = await passing(transferWhen(engine, large.id));
  expect(sent).toMatchObject({ state: 'complete', bytes: 30 * MB, waiting: null });
  stop.abort();
  await listening;
  const minute = met.deadline!.due_at.slice(0, 16).replace('T', ' ');
  const reasons = shown.filter(({ id, waiting }) => id === large.id && waiting !== null).map(({ waiting }) => waiting!.reason);
  expect(new Set(reasons)).toEqual(new Set([`It waits for "Due", which is due at ${minute} UTC.`]));
  expect(repeated(storage.passages.slice(before), 'PUT')).toEqual([]);
});
