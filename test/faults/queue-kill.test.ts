import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { withFolderBlocked } from '#test/support/faults/blocked-folder.ts';
import { checkInvariants, packagesOf } from '#test/support/faults/invariants.ts';
import { type ProxiedService, startProxiedService } from '#test/support/faults/proxied-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

vi.setConfig({ testTimeout: 300_000 });

const MiB = 1024 * 1024;
const chunk = 5 * MiB;
const scanned = 1_200;
let faulty: ProxiedService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let agent: AgentProcess;

beforeAll(async () => {
  folder = await tempFolder();
  faulty = await startProxiedService();
  // The last folder of a scan is out of reach, so that this agent's does not end.
  await start(withFolderBlocked(join(at('many'), '5')));
});

afterAll(async () => {
  await agent?.stop();
  await faulty?.close();
  await folder?.remove();
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { api, service } = faulty;
  agent = await startAgentProcess({ dataDir: join(folder.path, 'agent'), serviceUrl: api.url, apiKey: service.apiKey, env });
}

async function killed(): Promise<void> {
  await agent.kill();
  await start();
}

const at = (name: string): string => join(folder.path, name);

async function upload(name: string, more: object = {}): Promise<string> {
  const asked = { team_id: faulty.service.teamId, paths: [at(name)], package_name: name, recipients: [], chunk_size: chunk, ...more };
  return (await agent.post('/uploads', asked)).id;
}

const get = (id: string) => agent.call<AgentTransfer>('GET', `/transfers/${id}`);
const put = (id: string, what: string) => agent.call('PUT', `/uploads/${id}/${what}`);
const is = (state: string) => (transfer: AgentTransfer) => transfer.state === state || transfer.state === 'error';

/** Files of their own for each, so that what goes twice shows. */
function writeSource(name: string, seed: number): void {
  writeTree(at(name), { 'large.bin': seededBytes(16 * MiB, seed), 'a.txt': `a of ${name}`, 'b/c.txt': `c of ${name}` });
}

/** Of all chunks of a source, as the proxy knows them. */
function digestsOf(name: string): Set<string> {
  const contents = ['large.bin', 'a.txt', 'b/c.txt'].map((file) => readFileSync(join(at(name), file)));
  const chunks = contents.flatMap((bytes) =>
    Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, index) => bytes.subarray(index * chunk, (index + 1) * chunk)),
  );
  return new Set(chunks.map((bytes) => createHash('sha256').update(bytes).digest('hex')));
}

/** Files that a transfer's scan has noted. */
function foundOf(id: string): number {
  const state = new Database(join(folder.path, 'agent/agent/agent.db'), { fileMustExist: true });
  try {
    return state.prepare<[string], number>('SELECT count(*) FROM files WHERE transfer_id = ?').pluck().get(id)!;
  } finally {
    state.close();
  }
}

/** Files in folders, of which a scan notes those in the last one last. */
function writeMany(name: string): void {
  for (let part = 0; part < 6; part++) {
    mkdirSync(join(at(name), String(part)), { recursive: true });
    for (let number = 0; number < scanned / 6; number++) writeFileSync(join(at(name), `${part}/${number}`), `${part}/${number}`);
  }
}

test('transfers in each state of the queue outlive kills, and go on as they were asked to', async () => {
  const { service, storage } = faulty;
  for (const [index, name] of ['paused', 'briefly', 'idle', 'cancelled'].entries()) writeSource(name, index + 1);
  writeTree(at('more'), { 'x.bin': seededBytes(6 * MiB, 9), 'y.txt': 'y' });
  writeMany('many');
  await agent.call('PUT', '/settings', { max_concurrent_transfers: 5 });

  // One is sent and stays open; of the others something is sent already when they are paused or cancelled.
  const idle = await upload('idle', { auto_finalize: false });
  expect(await agent.when(idle, is('idle'))).toMatchObject({ state: 'idle', files: 3 });
  storage.rate = 10 * MiB;
  const base = storage.bytes();
  const paused = await upload('paused');
  const briefly = await upload('briefly');
  const cancelled = await upload('cancelled');
  await storage.passed(base + 18 * MiB);
  await put(paused, 'pause');
  await put(briefly, `pause?hours=${3 / 3_600}`);
  await agent.call('DELETE', `/uploads/${cancelled}`);
  storage.rate = 0;
  const many = await upload('many');
  // It has hardly begun to look for files: what it has found is looked up while no agent is there.
  await agent.kill();
  expect(foundOf(many)).toBeLessThan(scanned);
  await start();
  expect(await get(paused)).toMatchObject({ state: 'paused', error: null });
  expect(await get(idle)).toMatchObject({ state: 'idle', files: 3, total_files: 3 });
  expect(await get(cancelled)).toMatchObject({ state: 'cancelled' });
  // What is cancelled is freed at the service, at the latest after the next start.
  await eventually('it is freed', async () => (await packagesOf(service, 'cancelled')).length === 0);
  await put(paused, 'resume');
  await agent.post(`/uploads/${idle}/files`, { paths: [at('more')] });

  await killed();
  expect(await agent.when(idle, is('idle'))).toMatchObject({ state: 'idle', files: 5, total_files: 5, paths: [at('idle'), at('more')] });
  await put(idle, 'finalize');
  await put(cancelled, 'retry');

  await killed();
  const ends = new Map<string, AgentTransfer>();
  for (const [name, id] of Object.entries({ paused, briefly, idle, cancelled, many })) {
    ends.set(name, await agent.when(id, is('complete')));
    expect(ends.get(name)).toMatchObject({ state: 'complete', error: null });
  }
  expect(ends.get('many')).toMatchObject({ files: scanned, total_files: scanned });
  expect(ends.get('idle')).toMatchObject({ files: 5 });

  // What was cancelled is sent once more, as it was asked to be; nothing else is.
  const twice = digestsOf('cancelled');
  const passages = storage.passages.filter(({ what }) => !twice.has(what));
  const target = at('target');
  await checkInvariants({ service, sent: ends.get('many')!, source: at('many'), passages });
  ends.delete('many');
  for (const [name, sent] of ends) {
    const { id } = await agent.post('/downloads', { url: sent.url, dst_folder: target });
    expect(await agent.when(id, is('complete'))).toMatchObject({ state: 'complete', error: null });
    expect(readTree(join(target, name))).toEqual(readTree(at(name)));
    if (name === 'idle') expect(readTree(join(target, 'more'))).toEqual(readTree(at('more')));
    else await checkInvariants({ service, sent, source: at(name), received: join(target, name), passages });
  }
});
