import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const large = seededBytes(2 * 1024 * 1024, 1);

let service: TestService;
let engine: Engine;
let sent: AgentTransfer;
let own: Awaited<ReturnType<typeof tempFolder>>;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let target: string;

beforeAll(async () => {
  own = await tempFolder();
  service = await startTestService();
  engine = await startTestEngine({ dataDir: join(own.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });
  writeTree(join(own.path, 'day'), { 'a.txt': 'new', 'sub/large.bin': large, 'z.txt': 'z' });
  const { id } = await engine.transfers.upload({
    team_id: service.teamId,
    paths: [join(own.path, 'day')],
    package_name: 'Day',
    recipients: [],
  });
  sent = await transferWhen(engine, id);
});

afterAll(async () => {
  await engine?.close();
  await service?.close();
  await own?.remove();
});

beforeEach(async () => {
  folder = await tempFolder();
  target = join(folder.path, 'target');
  writeTree(join(target, 'day'), { 'a.txt': 'old', 'sub/large.bin': 'old too' });
});

afterEach(() => folder.remove());

async function fetched(collision: 'keep_both' | 'replace' | 'skip'): Promise<AgentTransfer> {
  await engine.settings.update({ name_collision: collision });
  const { id } = await engine.transfers.download({ url: sent.url, dst_folder: target });
  return transferWhen(engine, id);
}

const read = (path: string) => readFileSync(join(target, 'day', path));
const names = (path: string) => readdirSync(join(target, 'day', path)).sort();

test('keep both', async () => {
  expect(await fetched('keep_both')).toMatchObject({ state: 'complete', files: 3 });
  expect([names(''), names('sub')]).toEqual([
    ['a (2).txt', 'a.txt', 'sub', 'z.txt'],
    ['large (2).bin', 'large.bin'],
  ]);
  expect([String(read('a.txt')), String(read('a (2).txt'))]).toEqual(['old', 'new']);
  expect(read('sub/large (2).bin').equals(large)).toBe(true);
});

test('replace: files are replaced; a folder or link in the way stays, and both are kept', async () => {
  mkdirSync(join(target, 'day/z.txt'));
  expect(await fetched('replace')).toMatchObject({ state: 'complete', files: 3 });
  expect([names(''), names('sub')]).toEqual([['a.txt', 'sub', 'z (2).txt', 'z.txt'], ['large.bin']]);
  expect(String(read('a.txt'))).toBe('new');
  expect(read('sub/large.bin').equals(large)).toBe(true);
  const outside = join(folder.path, 'outside.txt');
  writeFileSync(outside, 'mine');
  target = join(folder.path, 'linked');
  mkdirSync(join(target, 'day'), { recursive: true });
  symlinkSync(outside, join(target, 'day/a.txt'));
  expect(await fetched('replace')).toMatchObject({ state: 'complete' });
  expect([readFileSync(outside, 'utf8'), readlinkSync(join(target, 'day/a.txt')), String(read('a (2).txt'))]).toEqual([
    'mine',
    outside,
    'new',
  ]);
});

test('skip: what is there stays alone and is listed; the rest comes', async () => {
  const done = await fetched('skip');
  expect(done).toMatchObject({ state: 'complete', files: 1, total_files: 1, bytes: 1, total_bytes: 1 });
  expect([names(''), names('sub')]).toEqual([['a.txt', 'sub', 'z.txt'], ['large.bin']]);
  expect([String(read('a.txt')), String(read('sub/large.bin'))]).toEqual(['old', 'old too']);
  const { records } = await engine.transfers.files(done.id, { page: 1, limit: 10 });
  expect(records.filter(({ state }) => state === 'skipped').map(({ error }) => error?.message)).toEqual([
    'day/a.txt was left out: a file of this name is there already.',
    'day/sub/large.bin was left out: a file of this name is there already.',
  ]);
  expect(await fetched('skip')).toMatchObject({ state: 'complete', files: 0, total_files: 0 });
});

test('the rule that held when a download was asked for holds for it', async () => {
  await engine.settings.update({ name_collision: 'skip' });
  await engine.transfers.pauseAll();
  const { id } = await engine.transfers.download({ url: sent.url, dst_folder: target });
  await engine.settings.update({ name_collision: 'replace' });
  await engine.transfers.resumeAll();
  expect(await transferWhen(engine, id)).toMatchObject({ state: 'complete', files: 1 });
  expect(String(read('a.txt'))).toBe('old');
});
