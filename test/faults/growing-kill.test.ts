import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { LedgerEntry } from '#protocol/agent/automations/history.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { packagesOf } from '#test/support/faults/invariants.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { type StorageProxy, startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { startWriter } from '#test/support/system/writer.ts';

/** An agent is killed while it sends what another program writes: one package, the file as it stands, nothing twice. */

const mebibyte = 1024 * 1024;
const chunk = 5 * mebibyte;
const kills = soaking ? 6 : 3;

let service: TestService;
let storage: StorageProxy;

beforeAll(async () => {
  storage = await startStorageProxy();
  service = await startTestService({ storageMaxBody: chunk, storagePublicUrl: storage.url });
  storage.upstream = service.storageUrl;
});
afterAll(async () => {
  await service?.close();
  await storage?.close();
});

describe('a recording of which the agent is killed', { timeout: 300_000 }, () => {
  it.each(seeds(soaking ? 30 : 2))('arrives once, as it is in the end (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const folder = await tempFolder();
    onTestFinished(folder.remove);
    const hot = join(folder.path, 'hot');
    mkdirSync(hot);
    const name = `clip-${seed}.mov`;
    const clip = join(hot, name);
    const writer = startWriter();
    onTestFinished(writer.end);
    const start = (): Promise<AgentProcess> =>
      startAgentProcess({ dataDir: join(folder.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });
    let agent = await start();
    onTestFinished(() => agent.stop());
    const before = storage.passages.length;
    let pieces = 0;
    const append = (bytes: number): Promise<void> => writer.append(clip, bytes, seed * 100 + ++pieces);

    const { id } = (await agent.post('/automations/team_upload', {
      name: 'Hot',
      active: true,
      folder: hot,
      team_id: service.teamId,
      recipients: [],
      settle_seconds: 1,
      existing: true,
      growing: true,
      growing_idle_seconds: 1,
    })) as unknown as Automation;
    const entries = async () => (await agent.call<{ records: LedgerEntry[] }>('GET', `/automations/${id}/ledger`)).records;

    await append(9 * mebibyte);
    await eventually('it is seen', async () => (await agent.call<Automation>('GET', `/automations/${id}`)).counts.waiting > 0);
    await append(mebibyte);
    await eventually('its package has begun', async () => (await entries())[0]?.transfer_id !== undefined);

    for (let kill = 0; kill < kills; kill++) {
      const base = storage.bytes();
      await append(chunk + Math.floor(random() * 3 * mebibyte));
      if (random() < 0.5) await writer.write(clip, Math.floor(random() * chunk), `header ${kill}`);
      // At least one chunk is whole and was not sent: the kill comes at some byte of it, or before.
      if (random() < 0.7) await storage.passed(base + Math.floor(random() * chunk));
      if (kill === kills - 1) await writer.close(clip);
      await agent.kill();
      agent = await start();
    }

    await eventually('it has arrived', async () => (await entries()).every(({ state }) => state === 'sent'));
    const [entry, ...others] = await entries();
    expect(others).toEqual([]);
    const { url, bytes, total_bytes: total } = await agent.when(entry!.transfer_id!, ({ state }) => state === 'complete');
    const content = readFileSync(clip);
    expect([bytes, total]).toEqual([content.length, content.length]);
    expect(await packagesOf(service, name)).toHaveLength(1);
    const sent = storage.passages
      .slice(before)
      .filter(({ method }) => method === 'PUT')
      .map(({ what }) => what);
    expect(sent.filter((what, index) => sent.indexOf(what) !== index)).toEqual([]);
    const target = join(folder.path, 'got');
    const { id: download } = await agent.post('/downloads', { url, dst_folder: target, create_package_folder: false });
    expect(await agent.when(download, ({ state }) => state === 'complete' || state === 'error')).toMatchObject({ state: 'complete' });
    expect(readFileSync(join(target, name)).equals(content)).toBe(true);
  });
});
