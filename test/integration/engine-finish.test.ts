import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { stageOf } from '#protocol/agent/progress.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { inVirtualTime } from '#test/support/clock/virtual-time.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { repeated, type StorageProxy, startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const MB = 1_000_000;
const rate = 3 * MB;
const files = 6;
const each = 7 * MB;
const total = files * each;

let folder: Awaited<ReturnType<typeof tempFolder>>;
let storage: StorageProxy;
let service: TestService;
let clock: FakeClock;
let engine: Engine;

const start = () => startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey, clock });
/** Whatever moves without this clock: bytes, and what the engine tells of. */
let told = 0;
const moves = () => told + storage.bytes();

beforeAll(async () => {
  folder = await tempFolder();
  storage = await startStorageProxy();
  service = await startTestService({ storagePublicUrl: storage.url });
  storage.upstream = service.storageUrl;
  clock = createFakeClock(Date.now());
  engine = await start();
  const reel = Array.from({ length: files }, (_, index) => [`A00${index}.mov`, seededBytes(each, index)]);
  writeTree(join(folder.path, 'reel'), Object.fromEntries(reel));
});
afterAll(async () => {
  await inVirtualTime(clock, engine?.close(), { moves });
  await service?.close();
  await storage?.close();
  await folder?.remove();
});

async function limited(): Promise<void> {
  const setting = { ...engine.rateLimits.get('upload'), enabled: true, rate_limit_bps: rate };
  await inVirtualTime(clock, engine.rateLimits.set('upload', setting), { moves });
}

const request = (name: string) => ({ team_id: service.teamId, paths: [join(folder.path, 'reel')], package_name: name, recipients: [] });

/** What is shown of it from now on, until the work is over. */
async function watched<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly shown: readonly AgentTransfer[] }> {
  const shown: AgentTransfer[] = [];
  const stop = new AbortController();
  const listening = (async () => {
    for await (const event of engine.events.subscribe(null, stop.signal)) {
      told++;
      if (event.type === 'transfer.changed') shown.push(event.transfer);
    }
  })();
  try {
    const { result } = await inVirtualTime(clock, work(), { moves, step: 20 });
    return { result, shown };
  } finally {
    stop.abort();
    await listening;
  }
}

/** How far what is shown falls at most. */
function greatestFall(shown: readonly AgentTransfer[]): number {
  let highest = 0;
  let fall = 0;
  for (const { bytes } of shown) {
    highest = Math.max(highest, bytes);
    fall = Math.max(fall, highest - bytes);
  }
  return fall;
}

test('a second pause ends at once what the first let finish', async () => {
  await limited();
  const made = (await inVirtualTime(clock, engine.transfers.upload(request('Twice')), { moves })).result;
  const { shown } = await watched(async () => {
    await transferWhen(engine, made.id, ({ bytes }) => bytes >= each);
    await engine.transfers.pause(made.id);
    expect(await engine.transfers.get(made.id)).toMatchObject({ state: 'paused', finishing: true });
    const sent = storage.bytes();
    await engine.transfers.pause(made.id);
    // What was on the way may still have come.
    expect(storage.bytes() - sent).toBeLessThan(MB);
    expect(await engine.transfers.get(made.id)).toMatchObject({ state: 'paused', files: 0 });
  });
  expect(shown.some(({ finishing }) => finishing === true)).toBe(true);
  expect(greatestFall(shown)).toBe(0);
});

test('pauses and a restart of the agent throw nothing away, and files finish in order', async () => {
  await limited();
  const sentBefore = storage.bytes();
  const { result: made, shown: first } = await watched(() => engine.transfers.upload(request('Reel')));
  const shown = [...first];
  for (const share of [0.15, 0.5]) {
    const seen = await watched(async () => {
      await transferWhen(engine, made.id, ({ bytes }) => bytes >= total * share);
      await engine.transfers.pause(made.id);
      const paused = await transferWhen(engine, made.id, ({ finishing }) => finishing !== true);
      expect(paused).toMatchObject({ state: 'paused', bytes_per_second: 0 });
      await engine.transfers.resume(made.id);
    });
    shown.push(...seen.shown);
    expect(seen.shown.some(({ state, finishing }) => state === 'paused' && finishing === true)).toBe(true);
  }
  const before = await watched(async () => {
    await transferWhen(engine, made.id, ({ bytes }) => bytes >= total * 0.85);
  });
  shown.push(...before.shown);
  await inVirtualTime(clock, engine.close(), { moves });
  engine = await start();
  const after = await watched(() => transferWhen(engine, made.id));
  expect(after.result.state).toBe('complete');
  shown.push(...after.shown);
  // What goes on after a pause or a restart is never said to stand still.
  expect(shown.filter((one) => one.state === 'transferring' && !one.waiting && stageOf(one) === 'standing')).toEqual([]);

  expect(repeated(storage.passages, 'PUT')).toEqual([]);
  expect(storage.bytes() - sentBefore).toBeLessThan(total * 1.01);
  expect(greatestFall(shown)).toBe(0);
  const sent = await engine.transfers.files(made.id, { page: 1, limit: 100 });
  expect(sent.records.map(({ state }) => state)).toEqual(Array.from({ length: files }, () => 'complete'));
});
