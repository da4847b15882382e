import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { startNodes, type TestNode, type TestNodes } from '#test/support/service/nodes.ts';
import { startedTestDatabase, type TestPostgres } from '#test/support/service/postgres.ts';
import { hasNginx } from '#test/support/storage/nginx.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { eventually } from '#test/support/system/processes.ts';
import { type TempFolder, tempFolder } from '#test/support/system/temp-folder.ts';

/** Above what is packed with others, so that each file is a part with a path of its own. */
const partSize = 400_000;
const parts = 3;
const tree = Object.fromEntries(Array.from({ length: parts }, (_, index) => [`A00${index}.mov`, seededBytes(partSize, index)]));
const small = { 'notes.txt': seededBytes(900, 90), 'sound/a.wav': seededBytes(20_000, 91) };

describe.skipIf(!hasNginx())('two API nodes, a worker and a storage behind nginx', { timeout: 240_000 }, () => {
  let folder: TempFolder;
  let postgres: TestPostgres;
  let service: TestNodes;
  let engine: Engine;
  const at = (...names: string[]) => join(folder.path, ...names);
  beforeAll(async () => {
    folder = await tempFolder();
    postgres = await startedTestDatabase(at('service'));
    service = await startNodes({ dataDir: at('service'), databaseUrl: postgres.url, api: 2, workers: 1 });
    engine = await startTestEngine({ dataDir: at('agent'), serviceUrl: service.url, apiKey: service.apiKey });
    writeTree(at('dailies'), { ...tree, ...small });
  }, 120_000);
  afterAll(async () => {
    await engine?.close();
    await service?.close();
    await postgres?.close();
    await folder?.remove();
  });

  async function upload(recipients: string[] = []): Promise<AgentTransfer> {
    const { id } = await engine.transfers.upload({ team_id: service.teamId, paths: [at('dailies')], package_name: 'Day 12', recipients });
    return await transferWhen(engine, id);
  }

  /** One is under way when a node goes, another one begins while it is away. */
  async function uploadsWithout(node: TestNode, how: 'stop' | 'kill'): Promise<AgentTransfer[]> {
    const before = upload();
    await node[how]();
    const meanwhile = upload();
    await node.start();
    return await Promise.all([before, meanwhile]);
  }

  async function checkAll(sent: readonly AgentTransfer[], pathsBefore: number): Promise<void> {
    expect(sent.map(({ state }) => state)).toEqual(sent.map(() => 'complete'));
    const { body } = await service.call<{ records: Package[] }>(
      'GET',
      `/v1.1/teams/${service.teamId}/packages?limit=50&status=new,finalized`,
      {
        headers: { 'x-api-key': service.apiKey },
      },
    );
    const size = Object.values({ ...tree, ...small }).reduce((sum, bytes) => sum + bytes.length, 0);
    for (const { package_id } of sent) {
      const found = body.records.find(({ id }) => id === package_id);
      expect(found).toMatchObject({ state: 'finalized', total_files: parts + Object.keys(small).length, size });
    }
    const paths = (await service.storedPaths()).slice(pathsBefore);
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
    expect(paths.length).toBeGreaterThanOrEqual(sent.length * parts);
    expect(new Set(paths).size).toBe(paths.length);
  }

  it('each restarted in turn under uploads: none fails, and no part is sent twice', async () => {
    const sent: AgentTransfer[] = [];
    for (const node of service.nodes) sent.push(...(await uploadsWithout(node, 'stop')));
    await checkAll(sent, 0);
  });

  it('an API node killed with -9 under uploads: none fails, and no part is sent twice', async () => {
    const before = (await service.storedPaths()).length;
    const victim = service.nodes.find(({ role }) => role === 'api')!;
    await checkAll(await uploadsWithout(victim, 'kill'), before);
  });

  it('the worker tells of its health and has no API; the storage needs no database to say that it is ready', async () => {
    const of = (role: string) => service.nodes.find((node) => node.role === role)!.url;
    expect(await (await fetch(`${of('worker')}/healthz`)).json()).toEqual({ status: 'ok' });
    expect((await fetch(`${of('worker')}/v1/users/me`)).status).toBe(404);
    expect(Object.keys((await (await fetch(`${of('storage')}/readyz`)).json()).checks)).toEqual(['storage']);
    expect(Object.keys((await (await fetch(`${of('worker')}/readyz`)).json()).checks)).toEqual(['database', 'migrations', 'storage']);
  });

  it('what an API node adds, the worker does: the recipient of a package gets mail', async () => {
    await upload(['post@example.com']);
    const mails = () => readdir(at('service', 'outbox')).catch(() => []);
    await eventually('there is mail', async () => (await mails()).some((name) => name.endsWith('.eml')));
  });
});
