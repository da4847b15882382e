import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import { freePort } from '#main/start/ports.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { openReportsFolder } from '#service/transfers/yielding/reports-folder.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { inAll } from '#test/support/level.ts';
import { startNodes, type TestNode, type TestNodes } from '#test/support/service/nodes.ts';
import { startedTestDatabase, type TestPostgres } from '#test/support/service/postgres.ts';
import { hasNginx } from '#test/support/storage/nginx.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { eventually } from '#test/support/system/processes.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { type TempFolder, tempFolder } from '#test/support/system/temp-folder.ts';
import { type Certificate, makeCertificate } from '#test/support/system/tls-proxy.ts';

/** Above what is packed with others, so that each file is a part with a path of its own. */
const partSize = 400_000;
const parts = 3;
const tree = Object.fromEntries(Array.from({ length: parts }, (_, index) => [`A00${index}.mov`, seededBytes(partSize, index)]));
const small = { 'notes.txt': seededBytes(900, 90), 'sound/a.wav': seededBytes(20_000, 91) };

describe.skipIf(!hasNginx() || !hasPrograms('openssl'))('two API nodes, a worker and a storage behind nginx', { timeout: 240_000 }, () => {
  let folder: TempFolder;
  let postgres: TestPostgres;
  let service: TestNodes;
  let engine: Engine;
  let certificate: Certificate;
  let http2Port: number;
  const at = (...names: string[]) => join(folder.path, ...names);
  beforeAll(async () => {
    folder = await tempFolder();
    postgres = await startedTestDatabase(at('service'));
    await mkdir(at('tls'));
    certificate = await makeCertificate(at('tls'));
    http2Port = await freePort(0);
    const http2 = { port: http2Port, cert: at('tls', 'leaf.pem'), key: at('tls', 'leaf.key') };
    service = await startNodes({ dataDir: at('service'), databaseUrl: postgres.url, api: 2, workers: 1, http2 });
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

  it(
    'each restarted in turn under uploads: none fails, and no part is sent twice',
    inAll('a node killed under the same uploads'),
    async () => {
      const sent: AgentTransfer[] = [];
      for (const node of service.nodes) sent.push(...(await uploadsWithout(node, 'stop')));
      await checkAll(sent, 0);
    },
  );

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

  it(
    'by HTTP/2 through nginx one connection has many event streams, and calls and pages beside them',
    inAll('service/tls speaks HTTP/2 with whoever chooses it; unit/service/http/http2'),
    async () => {
      const session = connect(`https://127.0.0.1:${http2Port}`, { ca: await readFile(certificate.authorityFile) });
      const failed = once(session, 'error').then(([error]) => Promise.reject(error));
      failed.catch(() => undefined);
      const ask = (path: string, headers: Record<string, string>, body?: object) => {
        const stream = session.request({ ':method': body ? 'POST' : 'GET', ':path': path, 'content-type': 'application/json', ...headers });
        stream.setEncoding('utf8').end(body && JSON.stringify(body));
        const status = once(stream, 'response').then(([answer]) => answer[':status'] as number);
        return { stream, status: Promise.race([status, failed]) };
      };
      const textOf = async (stream: AsyncIterable<string>) => (await Array.fromAsync(stream)).join('');
      const key = { 'x-api-key': service.apiKey };
      const packages = `/v1/teams/${service.teamId}/packages`;
      const made = ask(packages, key, { name: 'Day 13', description: '', recipients: [] });
      expect(await made.status).toBe(201);
      expect(session.alpnProtocol).toBe('h2');
      const { id, access_token } = JSON.parse(await textOf(made.stream)) as { id: string; access_token: string };
      const token = { 'x-package-token': access_token };

      // More than the six connections that a browser has to a host by HTTP/1.1.
      const streams = Array.from({ length: 9 }, () => ask(`/v1/packages/${id}/events`, token));
      expect(await Promise.all(streams.map(({ status }) => status))).toEqual(streams.map(() => 200));
      const heard = streams.map(async ({ stream }) => {
        let text = '';
        for await (const piece of stream) {
          text += piece as string;
          if (text.includes('A001.mov') || text.includes('total_files')) return true;
        }
        return false;
      });
      const file = { kind: 'file', path: '', name: 'A001.mov', size: 1_000, last_modified: '2026-11-20T18:04:11.000Z' };
      expect(await ask(`/v1/packages/${id}/files`, token, file).status).toBe(201);
      const calls = Array.from({ length: 50 }, () => ask(`${packages}?limit=10`, key));
      expect(await Promise.all(calls.map(({ status }) => status))).toEqual(calls.map(() => 200));
      const page = ask('/openapi.json', {});
      expect(await page.status).toBe(200);
      expect(await Promise.all(heard)).toEqual(streams.map(() => true));
      session.destroy();
    },
  );

  it('API nodes tell the workers of their machine how late they are', async () => {
    const told = openReportsFolder(at('service'));
    await told.tell('transfers', {});
    await eventually('both have told it', async () => (await told.read('api')).length === 2);
    await told.forget('transfers');
  });
});
