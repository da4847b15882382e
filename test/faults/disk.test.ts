import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { fastClock } from '#test/support/clock/fast-clock.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { checkInvariants } from '#test/support/faults/invariants.ts';
import { type ProxiedService, startProxiedService } from '#test/support/faults/proxied-service.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { firstOf } from '#test/support/level.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Files that change while they are read, and a disk that fills while it is written to. */

const MiB = 1024 * 1024;
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
  const dataDir = join(folder.path, 'agent');
  engine = await startTestEngine({ dataDir, serviceUrl: faulty.api.url, apiKey: faulty.service.apiKey, clock: fastClock(20) });
});

afterEach(async () => {
  await faulty.verify();
  await engine.close();
  await folder.remove();
});

async function upload(name: string): Promise<string> {
  const asked = { team_id: faulty.service.teamId, paths: [source], package_name: name, recipients: [], chunk_size: 5 * MiB };
  return (await engine.transfers.upload(asked)).id;
}

async function checkAll(sent: AgentTransfer): Promise<void> {
  expect(sent).toMatchObject({ state: 'complete', error: null });
  const target = join(folder.path, 'target');
  const { id } = await engine.transfers.download({ url: sent.url, dst_folder: target });
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null });
  // A file that has changed begins anew as a whole, so what of it is the same goes again.
  await checkInvariants({ service: faulty.service, sent, source, received: join(target, 'source'), passages: [] });
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const fd = openSync(path, 'r+');
  writeSync(fd, bytes, 0, bytes.length, at);
  closeSync(fd);
}

type Change = (path: string, random: () => number) => void;

const changes: readonly (readonly [string, Change])[] = [
  ['is written to', (path, random) => overwrite(path, Math.floor(random() * 15 * MiB), Buffer.from('other bytes'))],
  ['grows', (path, random) => appendFileSync(path, seededBytes(Math.floor(random() * 3 * MiB), 7))],
  ['shrinks', (path, random) => truncateSync(path, Math.floor(random() * 15 * MiB))],
];

test.each(firstOf(changes).flatMap(([what, change]) => seeds(soaking ? 15 : 1).map((seed) => [what, seed, change] as const)))(
  'a file that %s while it is read is sent as it is in the end (seed %i)',
  async (what, seed, change) => {
    const random = seededRandom(seed);
    const path = join(source, 'large.bin');
    // So large that it cannot all be read, and lie in the system's buffers, before it changes.
    writeTree(source, { 'large.bin': seededBytes(64 * MiB, seed), 'small.bin': seededBytes(9_000, seed) });
    faulty.storage.rate = 30 * MiB;
    const amid = faulty.storage.passed(faulty.storage.bytes() + random() * 8 * MiB);
    const id = await upload(`A file ${what} ${seed}`);
    await amid;
    change(path, random);
    faulty.storage.rate = 0;
    await checkAll(await transferWhen(engine, id));
  },
);

test('a file that is replaced while it is read arrives as the one or the other, whole', async () => {
  const path = join(source, 'large.bin');
  writeTree(source, { 'large.bin': seededBytes(16 * MiB, 1) });
  const before = readTree(source);
  faulty.storage.rate = 30 * MiB;
  const amid = faulty.storage.passed(faulty.storage.bytes() + 6 * MiB);
  const id = await upload('Replaced');
  await amid;
  // Of the same size and time. Beside it first, so that it has an inode of its own.
  const other = join(folder.path, 'other.bin');
  const { mtime } = statSync(path);
  writeFileSync(other, seededBytes(16 * MiB, 2));
  utimesSync(other, mtime, mtime);
  renameSync(other, path);
  faulty.storage.rate = 0;
  const sent = await transferWhen(engine, id);
  expect(sent).toMatchObject({ state: 'complete', error: null });
  const target = join(folder.path, 'target');
  const { id: back } = await engine.transfers.download({ url: sent.url, dst_folder: target });
  expect(await transferWhen(engine, back)).toMatchObject({ state: 'complete', error: null });
  expect([before, readTree(source)]).toContainEqual(readTree(join(target, 'source')));
  await checkInvariants({ service: faulty.service, sent, source, passages: [] });
});

const canMount = process.getuid?.() === 0 && process.platform === 'linux';

test.skipIf(!canMount)('a disk that fills amid a download is waited for, and what came is kept', async (context) => {
  writeTree(source, { 'large.bin': seededBytes(21 * MiB, 5), 'small.bin': seededBytes(9_000, 6), 'zero.bin': '' });
  const { service, storage } = faulty;
  const from = storage.passages.length;
  const sent = await transferWhen(engine, await upload('Too much'));
  const target = join(folder.path, 'small-disk');
  mkdirSync(target);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=30m', 'tmpfs', target], { stdio: 'ignore' });
  } catch {
    context.skip('A small disk is a tmpfs, and this container may not mount one.');
  }
  try {
    storage.rate = 10 * MiB;
    const begun = storage.passed(storage.bytes() + 11 * MiB);
    const { id } = await engine.transfers.download({ url: sent.url, dst_folder: target });
    await begun;
    const filler = join(target, 'filler');
    writeFileSync(filler, Buffer.alloc(15 * MiB));
    storage.rate = 0;
    const full = await transferWhen(engine, id, ({ waiting }) => waiting?.reason.includes('too little room') ?? false);
    expect(full).toMatchObject({ state: 'transferring', error: null });
    rmSync(filler);
    expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', error: null, files: 3 });
    await checkInvariants({ service, sent, source, received: join(target, 'source'), passages: storage.passages.slice(from) });
  } finally {
    execFileSync('umount', ['-l', target]);
  }
});
