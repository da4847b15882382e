import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { checkInvariants } from '#test/support/faults/invariants.ts';
import { type ProxiedService, startProxiedService } from '#test/support/faults/proxied-service.ts';
import { firstOf } from '#test/support/level.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Connections that take everything and bring nothing, as those of a router that has forgotten them. */

const MiB = 1024 * 1024;
const smallFiles = 300;
let faulty: ProxiedService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let source: string;
let engine: Engine;

beforeAll(async () => {
  faulty = await startProxiedService();
});
afterAll(async () => {
  await faulty?.close();
});
beforeEach(async () => {
  folder = await tempFolder();
  source = join(folder.path, 'source');
  writeTree(source, {
    'large.bin': seededBytes(12 * MiB, 1),
    ...Object.fromEntries(Array.from({ length: smallFiles }, (_, n) => [`${n % 5}/${n}.bin`, seededBytes(4_000 + n, n + 2)])),
  });
});
afterEach(async () => {
  try {
    await faulty.verify();
  } finally {
    await engine.close();
    await folder.remove();
  }
});

/** Short only as long as connections stall: a busy machine answers late, and what was late is waited for longer. */
async function start(): Promise<Engine> {
  const dataDir = join(folder.path, 'agent');
  const timeouts = { stallMs: 700, answerMs: 1_000 };
  engine = await startTestEngine({
    dataDir,
    serviceUrl: faulty.api.url,
    apiKey: faulty.service.apiKey,
    clock: fastClock(20),
    timeouts,
  });
  await engine.session.current();
  return engine;
}

async function upload(name: string): Promise<string> {
  const { id } = await engine.transfers.upload({
    team_id: faulty.service.teamId,
    paths: [source],
    package_name: name,
    recipients: [],
    chunk_size: 5 * MiB,
  });
  return id;
}

test('every second connection stalls, to the service and to the storage, and all gets through', async () => {
  await start();
  const from = faulty.storage.passages.length;
  faulty.api.cut();
  for (const proxy of [faulty.api, faulty.storage]) proxy.stalling = 'half';
  const sent = await transferWhen(engine, await upload('By halves'));
  expect(sent).toMatchObject({ state: 'complete', error: null, files: smallFiles + 1 });
  for (const proxy of [faulty.api, faulty.storage]) expect(proxy.stalledConnections).toBeGreaterThan(0);
  const passages = faulty.storage.passages.slice(from);
  await checkInvariants({ service: faulty.service, sent, source, passages });
});

test.each(firstOf(['storage', 'api'] as const))(
  'where every connection to the %s stalls, the transfer says so until one does not',
  async (side) => {
    await start();
    faulty.api.cut();
    faulty[side].stalling = 'all';
    const id = await upload(`No way to the ${side}`);
    const cause = side === 'api' ? 'service_unreachable' : 'stalled';
    const waiting = await transferWhen(engine, id, (transfer) => transfer.waiting?.cause === cause);
    expect(waiting).toMatchObject({ state: 'transferring', waiting: { cause, remedy: 'wait', needs_person: false } });
    expect(waiting.waiting?.reason).toMatch(/no byte moved for too long/);
    faulty[side].stalling = 'none';
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', files: smallFiles + 1 });
  },
);
