import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { watchAnswers } from '#test/support/clock/pending-answers.ts';
import { inVirtualTime } from '#test/support/clock/virtual-time.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const MB = 1_000_000;
const rate = 2 * MB;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let service: TestService;
let clock: FakeClock;
let engine: Engine;
let told = 0;
const moves = () => told;
const answers = watchAnswers();
const stop = new AbortController();
let listening: Promise<void>;

beforeAll(async () => {
  folder = await tempFolder();
  service = await startTestService();
  clock = createFakeClock(Date.now());
  engine = await startTestEngine({ dataDir: join(folder.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey, clock });
  listening = (async () => {
    for await (const _ of engine.events.subscribe(null, stop.signal)) told++;
  })();
  writeTree(
    join(folder.path, 'large'),
    Object.fromEntries(Array.from({ length: 12 }, (_, file) => [`${file}.mov`, seededBytes(4 * MB, file)])),
  );
  writeTree(
    join(folder.path, 'small'),
    Object.fromEntries(Array.from({ length: 300 }, (_, file) => [`${file}.xml`, seededBytes(2_000, file)])),
  );
});
afterAll(async () => {
  stop.abort();
  await listening;
  await inVirtualTime(clock, engine?.close(), { moves });
  answers.close();
  await service?.close();
  await folder?.remove();
});

const inTime = async <T>(work: Promise<T>) => await inVirtualTime(clock, work, { moves, busy: answers.pending, step: 20 });

test('under a limit, many small files beside a large package are through in a moment, and the large one goes on', async () => {
  const setting = { ...engine.rateLimits.get('upload'), enabled: true, rate_limit_bps: rate };
  await inTime(engine.rateLimits.set('upload', setting));
  const upload = async (name: string) => {
    const request = { team_id: service.teamId, paths: [join(folder.path, name)], package_name: name, recipients: [] };
    return (await inTime(engine.transfers.upload(request))).result.id;
  };
  const large = await upload('large');
  await inTime(transferWhen(engine, large, ({ bytes }) => bytes > 5 * MB));
  const before = await engine.transfers.get(large);
  const small = await upload('small');
  const sent = await inTime(transferWhen(engine, small));
  expect(sent.result.state).toBe('complete');
  // 0.6 MB are 0.3 s of all that the limit allows; the large one alone has over 20 s to go.
  expect(sent.milliseconds).toBeLessThan(3_000);
  const beside = await engine.transfers.get(large);
  expect(beside.state).toBe('transferring');
  expect(beside.bytes).toBeGreaterThan(before.bytes);
});
