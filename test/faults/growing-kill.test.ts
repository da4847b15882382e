import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { LedgerEntry } from '#protocol/agent/automations/history.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { chunk, confirmedChunks, firstPart, growingFields, mebibyte } from '#test/support/engine/recording.ts';
import { packagesOf } from '#test/support/faults/invariants.ts';
import { type ProxiedServiceProcess, startProxiedServiceProcess } from '#test/support/faults/proxied-service-process.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { type StorageProxy, startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { whole } from '#test/support/level.ts';
import { eventually } from '#test/support/system/processes.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';
import { startWriter } from '#test/support/system/writer.ts';

/** Agent and service are killed while what another program writes is sent: one package, the file as it stands, nothing twice. */

const kills = soaking ? 6 : whole ? 3 : 2;

let service: ProxiedServiceProcess<StorageProxy>;

beforeAll(async () => {
  service = await startProxiedServiceProcess({ storage: await startStorageProxy(), storageMaxBody: chunk });
});
afterAll(() => service?.close());

describe('a recording of which agent and service are killed', { timeout: soaking ? 1_800_000 : 300_000 }, () => {
  it.each(seeds(soaking ? 30 : 1))('arrives once, as it is in the end (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const folder = await diskFolder();
    onTestFinished(folder.remove);
    const hot = join(folder.path, 'hot');
    mkdirSync(hot);
    const name = `clip-${seed}.mov`;
    const clip = join(hot, name);
    const writer = startWriter();
    onTestFinished(writer.end);
    const start = (): Promise<AgentProcess> =>
      startAgentProcess({ dataDir: join(folder.path, 'agent'), serviceUrl: service.api.url, apiKey: service.apiKey });
    const { storage } = service;
    let agent = await start();
    onTestFinished(() => agent.stop());
    const sent = confirmedChunks(storage);
    let pieces = 0;
    const append = (bytes: number): Promise<void> => writer.append(clip, bytes, seed * 100 + ++pieces);

    const { id } = (await agent.post('/automations/team_upload', {
      name: 'Hot',
      active: true,
      folder: hot,
      team_id: service.teamId,
      recipients: [],
      ...growingFields,
    })) as unknown as Automation;
    const entries = async () => (await agent.call<{ records: LedgerEntry[] }>('GET', `/automations/${id}/ledger`)).records;

    await append(firstPart);
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
      // Each is killed in some seed, and both at one moment in some.
      const who = kill === 0 ? 'service' : (['agent', 'service', 'both'] as const)[Math.floor(random() * 3)];
      await Promise.all([who === 'service' ? null : agent.kill(), who === 'agent' ? null : service.kill()]);
      if (who !== 'agent') await service.start();
      if (who !== 'service') agent = await start();
    }

    await eventually('it has arrived', async () => (await entries()).every(({ state }) => state === 'sent'));
    const [entry, ...others] = await entries();
    expect(others).toEqual([]);
    const { url, bytes, total_bytes: total } = await agent.when(entry!.transfer_id!, ({ state }) => state === 'complete');
    const content = readFileSync(clip);
    expect([bytes, total]).toEqual([content.length, content.length]);
    expect(await packagesOf(service, name)).toHaveLength(1);
    expect(sent.twice()).toEqual([]);
    const target = join(folder.path, 'got');
    const { id: download } = await agent.post('/downloads', { url, dst_folder: target, create_package_folder: false });
    expect(await agent.when(download, ({ state }) => state === 'complete' || state === 'error')).toMatchObject({ state: 'complete' });
    expect(readFileSync(join(target, name)).equals(content)).toBe(true);
  });
});
