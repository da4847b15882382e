import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { RateLimit } from '#protocol/agent/settings.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { inVirtualTime } from '#test/support/clock/virtual-time.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let service: TestService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let clock: FakeClock;
let engine: Engine;

const start = () => startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey, clock });

beforeAll(async () => {
  folder = await tempFolder();
  service = await startTestService();
  clock = createFakeClock(Date.now());
  engine = await start();
  writeTree(join(folder.path, 'A001'), {
    'large.mov': seededBytes(2_000_000, 1),
    ...Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`small/${index}.txt`, seededBytes(10_000, index)])),
  });
});

afterAll(async () => {
  await inVirtualTime(clock, engine.close(), { moves });
  await service?.close();
  await folder?.remove();
});

/** Whatever happens in the engine's transfers is told of; between the tellings the service works, which takes no time of this clock. */
let told = 0;
const moves = () => told;

async function over(id: string, act: () => Promise<unknown> = async () => {}) {
  const stop = new AbortController();
  const listening = (async () => {
    for await (const _ of engine.events.subscribe(null, stop.signal)) told++;
  })();
  try {
    return await inVirtualTime(
      clock,
      Promise.all([transferWhen(engine, id), act()]).then(([transfer]) => transfer),
      { moves, step: 20 },
    );
  } finally {
    stop.abort();
    await listening;
  }
}

async function upload() {
  const request = { team_id: service.teamId, paths: [join(folder.path, 'A001')], package_name: 'Limited', recipients: [] };
  return (await inVirtualTime(clock, engine.transfers.upload(request), { moves })).result;
}

async function limit(direction: 'upload' | 'download', change: Partial<RateLimit>) {
  const setting = { ...engine.rateLimits.get(direction), ...change };
  return (await inVirtualTime(clock, engine.rateLimits.set(direction, setting), { moves })).result;
}

const total = 2_500_000;

test('an upload and a download keep to the limit of all, and to their own where that is less', async () => {
  await limit('upload', { enabled: true, rate_limit_bps: 250_000 });
  const first = await upload();
  const sent = await over(first.id);
  expect(sent.result).toMatchObject({ state: 'complete', bytes: total });
  expect(sent.milliseconds).toBeGreaterThanOrEqual((total / 250_000) * 950);
  const { elapsed, slowest, ...parts } = sent.result.time_spent!;
  expect(slowest).not.toBeNull();
  expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(elapsed, 6);

  await limit('upload', { enabled: false });
  const second = await upload();
  const own = await over(second.id, () => engine.transfers.change(second.id, { rate_limit_bps: 125_000 }));
  expect(own.result).toMatchObject({ state: 'complete', rate_limit_bps: 125_000 });
  expect(own.milliseconds).toBeGreaterThan(5_000);

  await limit('download', { enabled: true, rate_limit_bps: 500_000 });
  const target = join(folder.path, 'target');
  const request = { url: sent.result.url, dst_folder: target };
  const download = (await inVirtualTime(clock, engine.transfers.download(request), { moves })).result;
  const received = await over(download.id);
  expect(received.result).toMatchObject({ state: 'complete', bytes: total });
  expect(received.milliseconds).toBeGreaterThanOrEqual((total / 500_000) * 950);
  expect(readTree(join(target, 'A001'))).toEqual(readTree(join(folder.path, 'A001')));
});

test('limits are there again after a restart, those of single transfers too, and may be lifted while running', async () => {
  await limit('upload', { enabled: true, rate_limit_bps: 1_000, schedule_enabled: false });
  const { id } = await upload();
  await inVirtualTime(clock, engine.transfers.change(id, { rate_limit_bps: 2_000 }), { moves });
  const standing = engine.rateLimits.get('upload');
  await inVirtualTime(clock, engine.close(), { moves });
  engine = await start();
  expect(engine.rateLimits.get('upload')).toEqual(standing);
  expect(await engine.transfers.get(id)).toMatchObject({ rate_limit_bps: 2_000 });
  const lifted = await over(id, async () => {
    await engine.rateLimits.set('upload', { ...standing, enabled: false });
    await engine.transfers.change(id, { rate_limit_bps: 0 });
  });
  expect(lifted.result).toMatchObject({ state: 'complete', bytes: total, rate_limit_bps: 0 });
  // By either limit it would have been twenty minutes or more.
  expect(lifted.milliseconds).toBeLessThan(600_000);
});
