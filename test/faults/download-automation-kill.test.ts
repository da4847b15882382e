import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { LedgerEntry } from '#protocol/agent/automations/history.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import type { KillMoment } from '#test/support/faults/kill-moment.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { untilKilled } from '#test/support/faults/until-killed.ts';
import { packageState } from '#test/support/service/packages.ts';
import { newPortal, portalSender } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, sha256 } from '#test/support/system/file-tree.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

/**
 * An agent that fetches what comes in through a Portal, killed by SIGKILL at moments that the seed chooses, while packages
 * go on coming in. In the end each is here once with its bytes, and the ledger says so.
 */

vi.setConfig({ testTimeout: 1_200_000 });

const killsPerSeed = 2;

let service: TestService;
let folder: Awaited<ReturnType<typeof diskFolder>>;
let agent: AgentProcess | null = null;

beforeAll(async () => {
  folder = await diskFolder();
  service = await startTestService();
});

afterAll(async () => {
  await agent?.kill();
  await service?.close();
  await folder?.remove();
});

const uuid = '[0-9a-f-]{36}';

/** All steps of a pass and of a download, of which each comes as long as packages do. */
function momentOf(random: () => number, afterwards: string): KillMoment {
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const upTo = (most: number): number => 1 + Math.floor(random() * most);
  const when = one(['before', 'after'] as const);
  const call = (like: string, most: number): KillMoment => ({ at: one(['request', 'answer']), when: 'after', like, nth: upTo(most) });
  return one([
    () => ({ at: 'commit', when, like: '', nth: upTo(40) }) as const,
    () => ({ at: 'commit', when, like: '', nth: upTo(15) }) as const,
    () => call('^GET /v1[^/]*/portals/[^/]+/packages', 3),
    () => call(`^POST /v1/packages/${uuid}/links`, 3),
    () => call(`^GET /v1/packages/${uuid}/files`, 3),
    () => call('/receipt$', 3),
    () => ({ at: 'write', when, like: '/incoming/', nth: upTo(4) }) as const,
    () => ({ at: 'link', when, like: '/incoming/', nth: upTo(4) }) as const,
    () => ({ at: 'unlink', when, like: '/incoming/', nth: upTo(4) }) as const,
    ...(afterwards === 'keep'
      ? [() => call(`^DELETE /v1/packages/${uuid}/links`, 2)]
      : [() => call(`^DELETE /v1/packages/${uuid}$`, 2), () => call(`^DELETE /v1/packages/${uuid}$`, 2)]),
  ])();
}

test.each(seeds(soaking ? 100 : 1))('is killed, and each package is here once (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const afterwards = (['keep', 'delete', 'archive'] as const)[Math.floor(random() * 3)]!;
  const own = join(folder.path, String(seed));
  const target = join(own, 'incoming');
  mkdirSync(target, { recursive: true });
  const portal = await newPortal(service, { name: `Killed ${seed}` });
  const options = { dataDir: join(own, 'agent'), serviceUrl: service.url, apiKey: service.apiKey };

  const ids: string[] = [];
  const tree: Record<string, string> = {};
  const arrive = async (): Promise<void> => {
    const number = ids.length;
    const name = `Day ${number}`;
    const sender = await portalSender(service, portal.id, { name });
    const files = { 'a.mov': seededBytes(number === 1 ? 6_000_000 : 9_000 + number, seed * 1_000 + number), 'b.txt': Buffer.from(name) };
    for (const [file, bytes] of Object.entries(files)) {
      await sender.send('', file, bytes);
      tree[`${name}/${file}`] = sha256(bytes);
    }
    expect((await sender.finalize()).status).toBe(204);
    ids.push(sender.package.id);
  };

  const making = { name: 'In', active: true, team_id: service.teamId, portal_id: portal.id, dst_folder: target, since: portal.created_at };
  const automationOf = async (at: AgentProcess): Promise<Automation> => {
    const [known] = await at.call<Automation[]>('GET', '/automations');
    return known ?? (await at.call<Automation>('POST', '/automations/portal_download', { ...making, afterwards }));
  };
  const run = (at: AgentProcess, id: string) => at.call('POST', `/automations/${id}/run`);

  for (let number = 0; number < 3; number++) await arrive();
  for (let kill = 0; kill < killsPerSeed; kill++) {
    await untilKilled(options, momentOf(random, afterwards), async (at) => {
      const { id } = await automationOf(at);
      // The call fails once it is killed.
      for (;;) {
        await arrive();
        await run(at, id);
      }
    });
  }
  agent = await startAgentProcess(options);
  const here = agent;
  const { id } = await automationOf(here);

  const ledger = async () => (await here.call<{ records: LedgerEntry[] }>('GET', `/automations/${id}/ledger?limit=1000`)).records;
  const state = afterwards === 'keep' ? 'received' : 'deleted';
  const wanted = Object.fromEntries(ids.map((packageId) => [packageId, state]));
  await expect
    .poll(
      async () => {
        await run(here, id);
        return Object.fromEntries((await ledger()).map((entry) => [entry.package_id, entry.state]));
      },
      { timeout: 300_000, interval: 500 },
    )
    .toEqual(wanted);
  expect(readTree(target)).toEqual(tree);
  const { records } = await here.call<{ records: AgentTransfer[] }>('GET', '/downloads?limit=100');
  expect(records.map(({ package_id }) => package_id).toSorted()).toEqual(ids.toSorted());
  expect(new Set(records.map((record) => record.state))).toEqual(new Set(['complete']));
  const ended = { keep: 'finalized', delete: 'expired', archive: 'archived' }[afterwards];
  for (const packageId of ids) expect(await packageState(service, packageId)).toBe(ended);
  await here.stop();
  agent = null;
});
