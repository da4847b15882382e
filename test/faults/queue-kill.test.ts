import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/agent-process.ts';
import { packageState } from '#test/support/packages.ts';
import { startTestService, type TestService } from '#test/support/service.ts';
import { repeated, type StorageProxy, startStorageProxy } from '#test/support/storage-proxy.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { readTree, seededBytes, writeTree } from '#test/support/trees.ts';

const MiB = 1024 * 1024;

let service: TestService;
let storage: StorageProxy;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let source: string;
let agent: AgentProcess;

beforeAll(async () => {
  storage = await startStorageProxy();
  service = await startTestService({ storagePublicUrl: storage.url });
}, 180_000);

afterAll(async () => {
  await service?.close();
  await storage?.close();
}, 180_000);

beforeEach(async () => {
  folder = await tempFolder();
  source = join(folder.path, 'source');
  storage.upstream = service.storageUrl;
  storage.rate = 0;
  agent = await start();
}, 180_000);

afterEach(async () => {
  await agent.stop();
  await folder.remove();
}, 180_000);

function start(): Promise<AgentProcess> {
  return startAgentProcess({ dataDir: join(folder.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });
}

async function killed(): Promise<void> {
  await agent.kill();
  agent = await start();
}

function upload(more: object = {}): Promise<AgentTransfer> {
  return agent.post('/uploads', {
    team_id: service.teamId,
    paths: [source],
    package_name: 'Killed',
    recipients: [],
    chunk_size: 5 * MiB,
    ...more,
  });
}

const get = (id: string) => agent.call<AgentTransfer>('GET', `/transfers/${id}`);
const is = (state: string) => (transfer: AgentTransfer) => transfer.state === state || transfer.state === 'error';

async function fetched({ url }: AgentTransfer): Promise<ReturnType<typeof readTree>> {
  const target = join(folder.path, 'target');
  const { id } = await agent.post('/downloads', { url, dst_folder: target });
  expect(await agent.when(id, is('complete'))).toMatchObject({ state: 'complete', error: null });
  return readTree(target);
}

const below = (name: string, tree: ReturnType<typeof readTree>) =>
  Object.fromEntries(Object.entries(tree).map(([path, digest]) => [`${name}/${path}`, digest]));

function writeSource(): void {
  writeTree(source, { 'large.bin': seededBytes(31 * MiB, 1), 'a.txt': 'a', 'b/c.txt': 'c' });
}

test('what is paused stays so through a kill, and goes on without sending anything twice', async () => {
  writeSource();
  storage.rate = 20 * MiB;
  const before = storage.passages.length;
  const { id } = await upload();
  await storage.passed(storage.bytes() + 12 * MiB);
  await agent.call('PUT', `/uploads/${id}/pause`);
  await killed();
  expect(await get(id)).toMatchObject({ state: 'paused', error: null });
  storage.rate = 0;
  await agent.call('PUT', `/uploads/${id}/resume`);
  await killed();
  const sent = await agent.when(id, is('complete'));
  expect(sent).toMatchObject({ state: 'complete', files: 3 });
  expect(repeated(storage.passages.slice(before), 'PUT')).toEqual([]);
  expect(await fetched(sent)).toEqual(below('source', readTree(source)));
}, 180_000);

test('a pause for a time is over by itself, though the agent was killed meanwhile', async () => {
  writeSource();
  await agent.call('PUT', `/transfers/pause?hours=${3 / 3_600}`);
  const { id, waiting } = await upload();
  expect(waiting?.until).toBeDefined();
  await killed();
  expect(await agent.when(id, is('complete'))).toMatchObject({ state: 'complete' });
}, 180_000);

test('an idle upload takes more files and is finalized, with a kill after each step', async () => {
  writeSource();
  const other = join(folder.path, 'other');
  writeTree(other, { 'x.bin': seededBytes(6 * MiB, 2), 'y.txt': 'y' });
  const { id } = await upload({ auto_finalize: false });
  await agent.when(id, is('idle'));
  await killed();
  expect(await get(id)).toMatchObject({ state: 'idle', files: 3, total_files: 3 });
  await agent.post(`/uploads/${id}/files`, { paths: [other] });
  await killed();
  expect(await agent.when(id, is('idle'))).toMatchObject({ state: 'idle', files: 5, total_files: 5, paths: [source, other] });
  await agent.call('PUT', `/uploads/${id}/finalize`);
  await killed();
  const sent = await agent.when(id, is('complete'));
  expect(sent).toMatchObject({ state: 'complete', files: 5 });
  expect(await fetched(sent)).toEqual({ ...below('source', readTree(source)), ...below('other', readTree(other)) });
}, 180_000);

test('a cancel outlives a kill: the service is freed, and all of it can be sent again', async () => {
  writeSource();
  storage.rate = 20 * MiB;
  const { id } = await upload();
  await storage.passed(storage.bytes() + 12 * MiB);
  const { package_id } = await get(id);
  await agent.call('DELETE', `/uploads/${id}`);
  await killed();
  expect(await get(id)).toMatchObject({ state: 'cancelled' });
  await expect.poll(() => packageState(service, package_id)).toBe('expired');
  storage.rate = 0;
  await agent.call('PUT', `/uploads/${id}/retry`);
  await killed();
  const sent = await agent.when(id, is('complete'));
  expect(sent).toMatchObject({ state: 'complete', files: 3 });
  expect(await fetched(sent)).toEqual(below('source', readTree(source)));
}, 180_000);

test('a scan that was killed goes on where it was: each file is sent once, and none is missing', async () => {
  mkdirSync(source);
  const total = 6_000;
  for (let part = 0; part < 6; part++) {
    mkdirSync(join(source, String(part)));
    for (let number = 0; number < total / 6; number++) writeFileSync(join(source, `${part}/${number}`), '');
  }
  const { id } = await upload();
  const early = await agent.when(id, ({ total_files }) => total_files > 0);
  expect(early.total_files).toBeLessThan(total);
  await killed();
  const sent = await agent.when(id, is('complete'));
  expect(sent).toMatchObject({ state: 'complete', files: total, total_files: total });
}, 180_000);
