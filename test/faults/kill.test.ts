import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/agent-process.ts';
import { startTestService, type TestService } from '#test/support/service.ts';
import { repeated, type StorageProxy, startStorageProxy } from '#test/support/storage-proxy.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { readTree, seededBytes, type Tree, writeTree } from '#test/support/trees.ts';

const MiB = 1024 * 1024;
const kills = 4;

/** A generator that gives the same numbers from 0 to 1 for the same seed, so that a failure can be had again. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const tree: Tree = {
  'large.bin': seededBytes(43 * MiB + 17, 1),
  'second.bin': seededBytes(11 * MiB, 2),
  ...Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`small/${index}.bin`, seededBytes(20_000 + index, index + 3)])),
  'empty/folder': null,
  'zero.bin': '',
};
const total = 43 * MiB + 17 + 11 * MiB + 120 * 20_000 + (119 * 120) / 2;

describe('an agent that is killed again and again', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let proxy: StorageProxy;
  let service: TestService;
  let source: string;
  const agents = new Set<AgentProcess>();

  beforeAll(async () => {
    folder = await tempFolder();
    source = join(folder.path, 'source');
    writeTree(source, tree);
    proxy = await startStorageProxy();
    service = await startTestService({ storagePublicUrl: proxy.url });
    proxy.upstream = service.storageUrl;
  });

  afterAll(async () => {
    for (const agent of agents) await agent.stop().catch(() => {});
    await service?.close();
    await proxy?.close();
    await folder?.remove();
  });

  async function start(name: string): Promise<AgentProcess> {
    const agent = await startAgentProcess({ dataDir: join(folder.path, name), serviceUrl: service.url, apiKey: service.apiKey });
    agents.add(agent);
    return agent;
  }

  /** Kills the agent each time the next of the moments has come (a count of bytes through the proxy), and starts it again. */
  async function through(agentName: string, first: AgentProcess, id: string, seed: number): Promise<AgentTransfer> {
    const random = seeded(seed);
    const moments = Array.from({ length: kills }, () => random() * total * 0.9).sort((a, b) => a - b);
    const base = proxy.bytes();
    let agent = first;
    for (const moment of moments) {
      await proxy.passed(base + moment);
      await agent.kill();
      agents.delete(agent);
      agent = await start(agentName);
    }
    const transfer = await agent.when(id, ({ state }) => state === 'complete' || state === 'error');
    await agent.stop();
    agents.delete(agent);
    return transfer;
  }

  test.each([11, 12])(
    'sends every byte, and no confirmed chunk twice (seed %i)',
    async (seed) => {
      proxy.rate = 30 * MiB;
      const before = proxy.passages.length;
      // Every planned kill fires: the bytes it waits for have to pass, and more than they are left.
      const sender = await start(`sender-${seed}`);
      const { id } = await sender.post('/uploads', {
        team_id: service.teamId,
        paths: [source],
        package_name: `Killed ${seed}`,
        recipients: [],
        chunk_size: 5 * MiB,
      });
      const sent = await through(`sender-${seed}`, sender, id, seed);
      expect(sent).toMatchObject({ state: 'complete', error: null, bytes: total, files: 124 });
      expect(repeated(proxy.passages.slice(before), 'PUT')).toEqual([]);

      const receiver = await start(`receiver-${seed}`);
      const target = join(folder.path, `received-${seed}`);
      const download = await receiver.post('/downloads', { url: sent.url, dst_folder: target });
      const got = await through(`receiver-${seed}`, receiver, download.id, seed + 100);
      expect(got).toMatchObject({ state: 'complete', error: null, bytes: total, files: 124 });
      expect(readTree(join(target, 'source'))).toEqual(readTree(source));
      expect(Object.keys(readTree(target)).filter((path) => path.includes('.part'))).toEqual([]);
    },
    180_000,
  );
});
