import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { soaking } from '#test/support/faults/seeds.ts';
import { hasHaproxy } from '#test/support/service/haproxy.ts';
import { type NodesOptions, startNodes, type TestNodes } from '#test/support/service/nodes.ts';
import { usualOwner } from '#test/support/service/owner.ts';
import { startedTestDatabase } from '#test/support/service/postgres.ts';
import { hasReplicatedPostgres, type ReplicatedPostgres, startReplicatedPostgres } from '#test/support/service/replicated-postgres.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { startServiceProcess } from '#test/support/service/start-service-process.ts';
import { type AwayStorage, startAwayStorage } from '#test/support/storage/away-storage.ts';
import { hasNginx } from '#test/support/storage/nginx.ts';
import { borrowRgw, hasRgw } from '#test/support/storage/rgw.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Above what is packed with others, so that it is a part with a path of its own. */
const tree = { 'A001.mov': seededBytes(300_000, 1), 'notes.txt': seededBytes(900, 2) };
const size = Object.values(tree).reduce((sum, bytes) => sum + bytes.length, 0);
/** Uploads under way at once, over two agents; fewer where a machine bears no more. */
const atOnce = Number(process.env['LONGSHORE_SOAK_UPLOADS'] ?? 200);

interface Load {
  /** Lets those under way finish, and gives all that there were. */
  end(): Promise<AgentTransfer[]>;
}

/** Keeps so many uploads under way. */
function keepUploading(engines: readonly Engine[], teamId: string, folder: string): Load {
  const over: AgentTransfer[] = [];
  let ending = false;
  const uploadAgain = async (engine: Engine): Promise<void> => {
    do {
      const { id } = await engine.transfers.upload({ team_id: teamId, paths: [folder], package_name: 'Day 12', recipients: [] });
      over.push(await transferWhen(engine, id));
    } while (!ending);
  };
  const uploads = Array.from({ length: atOnce }, (_, index) => uploadAgain(engines[index % engines.length]!));
  return {
    async end() {
      ending = true;
      await Promise.all(uploads);
      return over;
    },
  };
}

/** Asks each of these nodes for one row every 20 ms, and notes when that was refused, or took longer than a second. */
function keepCalling({ teamId, apiKey }: TestNodes, urls: readonly string[]) {
  const troubled: { readonly at: number; readonly status: number }[] = [];
  let ending = false;
  const callAgain = async (url: string): Promise<void> => {
    const call = callAt(url);
    do {
      const asked = performance.now();
      const { status } = await call('GET', `/v1/teams/${teamId}/tags`, { headers: { 'x-api-key': apiKey } });
      const at = performance.now();
      if (status !== 200 || at - asked > 1_000) troubled.push({ at, status });
      await sleep(20);
    } while (!ending);
  };
  const calls = Promise.all(urls.map(callAgain));
  return {
    troubled,
    async end() {
      ending = true;
      await calls;
    },
  };
}

/** All are complete, and so is each package as the service has it. */
async function checkAll(service: TestNodes, sent: readonly AgentTransfer[]): Promise<void> {
  expect(sent.filter(({ state }) => state !== 'complete').map(({ state, error }) => ({ state, error }))).toEqual([]);
  const headers = { 'x-api-key': service.apiKey };
  const wrong: unknown[] = [];
  const left = [...sent];
  const look = async (): Promise<void> => {
    for (let one = left.pop(); one; one = left.pop()) {
      const { body } = await service.call<Package>('GET', `/v1/teams/${service.teamId}/packages/${one.package_id}`, { headers });
      const { id, state, total_files, size: stored } = body;
      if (state !== 'finalized' || total_files !== 2 || stored !== size) wrong.push({ id, state, total_files, stored });
    }
  };
  await Promise.all(Array.from({ length: 16 }, look));
  expect(wrong).toEqual([]);
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const twice = (paths: readonly string[]): string[] => paths.filter((path, index) => paths.indexOf(path) !== index);

interface Scene {
  service: TestNodes;
  startLoad(): Load;
}

type OnClose = (close: () => Promise<unknown>) => void;

/** Nodes over what `prepare` makes for this data folder, and two agents with something to send. All of it goes after the tests. */
function useScene(prepare: (dataDir: string, onClose: OnClose) => Promise<Omit<NodesOptions, 'dataDir'>>): Scene {
  const scene = {} as Scene;
  const closers: (() => Promise<unknown>)[] = [];
  const onClose: OnClose = (close) => void closers.push(close);
  beforeAll(async () => {
    const folder = await tempFolder();
    onClose(() => folder.remove());
    const dataDir = join(folder.path, 'service');
    const service = await startNodes({ dataDir, ...(await prepare(dataDir, onClose)) });
    onClose(() => service.close());
    const agents: Engine[] = [];
    for (const name of ['one', 'two']) {
      const agent = await startTestEngine({ dataDir: join(folder.path, name), serviceUrl: service.url, apiKey: service.apiKey });
      onClose(() => agent.close());
      await agent.settings.update({ max_concurrent_transfers: 100 });
      agents.push(agent);
    }
    const dailies = join(folder.path, 'dailies');
    writeTree(dailies, tree);
    Object.assign(scene, { service, startLoad: () => keepUploading(agents, service.teamId, dailies) } satisfies Scene);
  }, 240_000);
  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  }, 240_000);
  return scene;
}

const canReplicate = hasNginx() && hasHaproxy() && hasReplicatedPostgres();

describe.skipIf(!soaking || !canReplicate).for([
  { api: 2, by: 'HAProxy', how: 'switchOver' },
  { api: 4, by: 'HAProxy', how: 'switchOver' },
  { api: 2, by: 'a list of both', how: 'switchOver' },
  { api: 4, by: 'a list of both', how: 'switchOver' },
  { api: 2, by: 'a list of both, one silent', how: 'switchFromSilent' },
] as const)(
  '$api API nodes behind HAProxy, two workers, a storage, a PostgreSQL with a copy, reached by $by',
  { timeout: 900_000 },
  ({ api, by, how }) => {
    let postgres: ReplicatedPostgres;
    const scene = useScene(async (dataDir, onClose) => {
      postgres = await startReplicatedPostgres();
      onClose(() => postgres.close());
      const list = `postgres://longshore@${postgres.servers.join()}/longshore?target_session_attrs=read-write`;
      const databaseUrl = by === 'HAProxy' ? postgres.url : list;
      // The first start makes the owner and the key.
      await (await startServiceProcess({ dataDir, databaseUrl, owner: usualOwner })).stop();
      return { databaseUrl, api, workers: 2, front: 'haproxy', stopDelaySeconds: 3 };
    });

    it(`${atOnce} uploads at once go on while each node is restarted, one is killed, PostgreSQL is restarted and switched to its copy`, async () => {
      const { service } = scene;
      const load = scene.startLoad();
      for (const node of service.nodes) {
        await node.stop();
        await node.start();
      }
      const victim = service.nodes.find(({ role }) => role === 'api')!;
      await victim.kill();
      await victim.start();
      await postgres.restart();
      const calls = keepCalling(
        service,
        service.nodes.filter(({ role }) => role === 'api').map(({ url }) => url),
      );
      await postgres[how]();
      const switched = performance.now();
      const sent = await load.end();
      await calls.end();
      say(`${sent.length} uploads over ${api} API nodes; database by ${by}`);
      const { troubled } = calls;
      const last = Math.round((troubled.at(-1)?.at ?? switched) - switched);
      say(`${troubled.length} calls refused or late, the last one ${last} ms after the copy was the primary`);
      expect(troubled.map(({ status }) => status).filter((status) => status !== 503 && status !== 200)).toEqual([]);
      await checkAll(service, sent);
      expect(twice(await service.storedPaths())).toEqual([]);
    });
  },
);

const hasBucket = hasNginx() && hasRgw();

describe.skipIf(!soaking || !hasBucket).for([2, 4])('%i API nodes and two workers over a bucket', { timeout: 900_000 }, (api) => {
  let bucket: AwayStorage;
  const scene = useScene(async (dataDir, onClose) => {
    const rgw = await borrowRgw();
    onClose(() => rgw.close());
    const user = await rgw.newUser();
    const { name } = await rgw.newBucket(user);
    bucket = await startAwayStorage(rgw.endpoint);
    onClose(() => bucket.close());
    const { host } = new URL(bucket.url);
    const storageUrl = `s3://${user.accessKeyId}:${encodeURIComponent(user.secretAccessKey)}@${host}/${name}?path_style=true&tls=false`;
    const postgres = await startedTestDatabase(dataDir);
    onClose(() => postgres.close());
    return { databaseUrl: postgres.url, api, workers: 2, storageUrl };
  });

  it(`${atOnce} uploads at once go on after the bucket was away for a minute`, async () => {
    const load = scene.startLoad();
    await bucket.passed(100);
    bucket.leave();
    // The fault is as long as that: nothing is waited for.
    await sleep(60_000);
    bucket.comeBack();
    const before = bucket.stored().length;
    await bucket.passed(before + 100);
    const sent = await load.end();
    say(`${sent.length} uploads over ${api} API nodes and a bucket`);
    await checkAll(scene.service, sent);
    // Each node that starts writes the mark that says whose bucket it is.
    expect(twice(bucket.stored().filter((path) => !path.includes('/bucket.id ')))).toEqual([]);
  });
});
