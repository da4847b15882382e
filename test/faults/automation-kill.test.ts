import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { LedgerEntry } from '#protocol/agent/automations/history.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { startFileWriter } from '#test/support/faults/file-writer.ts';
import type { KillMoment } from '#test/support/faults/kill-moment.ts';
import { seededRandom, seeds, soaking } from '#test/support/faults/seeds.ts';
import { untilKilled } from '#test/support/faults/until-killed.ts';
import { packagesNamed } from '#test/support/service/sent-packages.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, sha256 } from '#test/support/system/file-tree.ts';
import { type OtherDisk, otherDisk } from '#test/support/system/other-disk.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

/**
 * An agent with a watched folder that is killed by SIGKILL at moments that the seed chooses, while another process goes on
 * putting files there. In the end ledger, packages and folder agree: each file is in one finalized package, with its bytes.
 */

vi.setConfig({ testTimeout: 1_200_000 });

const killsPerSeed = 2;

let service: TestService;
let folder: Awaited<ReturnType<typeof diskFolder>>;
let disk: OtherDisk | null;
let agent: AgentProcess | null = null;

beforeAll(async () => {
  folder = await diskFolder();
  disk = otherDisk(folder.path);
  service = await startTestService();
});

afterAll(async () => {
  await agent?.kill();
  await service?.close();
  disk?.remove();
  await folder?.remove();
});

interface Scenario {
  readonly per: 'entry' | 'batch' | 'marker';
  readonly after: 'keep' | 'move' | 'delete';
  readonly moments: readonly KillMoment[];
  /** Whether sent files go to another disk. */
  readonly across: boolean;
}

const moment = (at: KillMoment['at'], when: KillMoment['when'], like: string, nth: number): KillMoment => ({ at, when, like, nth });
const uuid = '[0-9a-f-]{36}';

/** All steps of a pass and of what it begins, of which each comes as long as files arrive. */
function scenarioOf(random: () => number): Scenario {
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const upTo = (most: number): number => 1 + Math.floor(random() * most);
  const when = (): KillMoment['when'] => one(['before', 'after']);
  const after = one(['keep', 'move', 'delete'] as const);
  const across = after === 'move' && disk !== null && random() < 0.5;
  const always = [
    () => moment('look', 'before', '/hot/', upTo(80)),
    () => moment('commit', when(), '', upTo(60)),
    () => moment('commit', when(), '', upTo(20)),
    () => moment('request', 'before', '^POST /v1/teams/[^/]+/packages', upTo(3)),
    () => moment('answer', 'after', '^POST /v1/teams/[^/]+/packages', upTo(3)),
    () => moment('read', when(), '/hot/', upTo(8)),
    () => moment(one(['request', 'answer']), 'after', `^POST /v1/packages/${uuid}/(files|batch)`, upTo(6)),
    () => moment(one(['request', 'answer']), 'after', `^POST /v1/packages/${uuid}/finalize`, upTo(3)),
    () => moment(one(['request', 'answer']), 'after', '^GET .*/receipt', upTo(3)),
  ];
  const ofDeleting = [() => moment('unlink', when(), '/hot/', upTo(5)), () => moment('rmdir', when(), '/hot/', upTo(2))];
  const ofMoving = across
    ? [
        () => moment('write', when(), '/done/', upTo(4)),
        () => moment('flush', when(), '', upTo(4)),
        () => moment('link', when(), '/done/', upTo(4)),
        () => moment('unlink', when(), '/done/', upTo(4)),
        () => moment('unlink', when(), '/hot/', upTo(4)),
      ]
    : [() => moment('link', when(), '/hot/', upTo(5)), ...ofDeleting];
  const of = {
    keep: always,
    delete: [...always, ...ofDeleting, ...ofDeleting, ...ofDeleting],
    move: [...always, ...ofMoving, ...ofMoving],
  };
  const moments = Array.from({ length: killsPerSeed }, () => one(of[after])());
  return { per: one(['entry', 'batch', 'marker'] as const), after, moments, across };
}

test.each(seeds(soaking ? 200 : 1))('is killed, and each file is sent once (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const { per, after, across, moments } = scenarioOf(random);
  const own = join(folder.path, String(seed));
  const [hot, staging] = [join(own, 'hot'), join(own, 'staging')];
  const options = { dataDir: join(own, 'agent'), serviceUrl: service.url, apiKey: service.apiKey };
  const done = across ? join(disk!.path, String(seed), 'done') : join(own, 'done');
  for (const path of [hot, staging, done]) mkdirSync(path, { recursive: true });
  const name = `Killed ${seed}`;
  const making = {
    name,
    active: true,
    folder: hot,
    team_id: service.teamId,
    recipients: [],
    settle_seconds: 1,
    existing: true,
    package_per: per,
    package_name: `${name}: {counter}`,
    after,
    ...(after === 'move' ? { move_to: done } : {}),
  };
  const automationOf = async (at: AgentProcess): Promise<Automation> => {
    const [known] = await at.call<Automation[]>('GET', '/automations');
    return known ?? (await at.call<Automation>('POST', '/automations/team_upload', making));
  };

  const writer = await startFileWriter({ folder: hot, staging, seed, marker: per === 'marker' });
  for (const one of moments) await untilKilled(options, one, automationOf);
  agent = await startAgentProcess(options);
  const here = agent;
  const { id } = await automationOf(here);
  const written = await writer.stop();

  const state = { keep: 'sent', move: 'moved', delete: 'deleted' }[after];
  const ledger = async (): Promise<LedgerEntry[]> =>
    (await here.call<{ records: LedgerEntry[] }>('GET', `/automations/${id}/ledger?limit=1000`)).records;
  const places = async () => Object.fromEntries((await ledger()).map((entry) => [entry.path, entry.state]));
  const wanted = Object.fromEntries([...written.keys()].map((path) => [path, state]));
  await expect.poll(places, { timeout: 300_000, interval: 200 }).toEqual(wanted);
  await expect.poll(async () => (await here.call<Automation>('GET', `/automations/${id}`)).message, { timeout: 60_000 }).toBe('');

  const sent = await packagesNamed(service, `${name}: `);
  expect(sent.states).toEqual(['finalized']);
  expect(sent.files.map(({ sha256 }) => sha256).toSorted()).toEqual([...written.values()].map(sha256).toSorted());
  const packageOf = new Map(sent.files.map((file) => [file.sha256, file.packageId]));
  for (const { path, size, package_id } of await ledger()) {
    const bytes = written.get(path)!;
    expect({ path, size, package_id }).toEqual({ path, size: bytes.length, package_id: packageOf.get(sha256(bytes)) });
  }
  const all = Object.fromEntries([...written].map(([path, bytes]) => [path, sha256(bytes)]));
  await expect.poll(() => readTree(hot), { timeout: 60_000 }).toEqual(after === 'keep' ? all : {});
  expect(readTree(done)).toEqual(after === 'move' ? all : {});
  await here.stop();
  agent = null;
});
