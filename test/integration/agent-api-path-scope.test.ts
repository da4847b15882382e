import { mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type RunningAgent, startAgent } from '#main/headless.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import { transferWhen } from '#test/support/engine/start-engine.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/**
 * A program with a token asks for transfers inside the allowed folders of a headless agent, and then somebody puts a
 * symbolic link that leads out where a folder was.
 */

let service: TestService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let agent: RunningAgent;
let token: string;
let link: string;
const at = (...names: string[]): string => join(folder.path, ...names);

beforeAll(async () => {
  vi.stubEnv('LONGSHORE_VAULT_KEY', 'a key for tests alone');
  folder = await tempFolder();
  service = await startTestService({ processes: 1 });
  mkdirSync(at('allowed'));
  agent = await startAgent({
    dataDir: at('data'),
    serviceUrl: service.url,
    apiKey: service.apiKey,
    listen: { host: '127.0.0.1', port: 0 },
    allowedRoots: [at('allowed')],
    guiDir: null,
  });
  ({ token } = await agent.engine.tokens.create({ name: 'Farm', scopes: ['transfer'] }));
  writeTree(at('first'), { 'clip.mov': 'from afar' });
  const { id } = await agent.engine.transfers.upload(upload(at('first')));
  link = (await over(id)).url;
}, 120_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await agent?.close();
  await service?.close();
  await folder?.remove();
});
beforeEach(() => agent.engine.transfers.pauseAll());

const upload = (...paths: string[]) => ({ team_id: service.teamId, paths, package_name: 'Day', recipients: [] });
const over = (id: string) => transferWhen(agent.engine, id, ({ state }) => ['complete', 'error'].includes(state));

async function ask(path: string, body: unknown): Promise<AgentTransfer> {
  const reply = await fetch(`${agent.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  expect(reply.ok).toBe(true);
  return reply.json() as Promise<AgentTransfer>;
}

/** Puts a link to `target` in the place of a folder. */
function exchange(path: string, target: string): void {
  renameSync(path, `${path} before`);
  symlinkSync(target, path);
}

it('sends nothing from where a link leads that was put in the way', async () => {
  writeTree(at('allowed/media'), { 'a.mov': 'a' });
  writeTree(at('secret'), { 'a.mov': 'secret', 'deep/key': 'secret' });
  const { id } = await ask('/uploads', upload(at('allowed/media')));
  exchange(at('allowed/media'), at('secret'));
  await agent.engine.transfers.resumeAll();
  expect((await over(id)).error).toMatchObject({
    code: errorCatalogue.files_failed.code,
    message: expect.stringContaining('is not inside the folders'),
  });
  const { records } = await agent.engine.transfers.files(id, { page: 1, limit: 10 });
  expect(records).toMatchObject([{ name: 'media', state: 'error', error: { code: errorCatalogue.path_outside.code } }]);
});

it('holds an upload of the person from when a program adds to it', async () => {
  writeTree(at('allowed/own'), { 'b.mov': 'b' });
  writeTree(at('secret2'), { 'b.mov': 'secret' });
  const { id } = await agent.engine.transfers.upload({ ...upload(at('allowed/own')), auto_finalize: false });
  writeTree(at('allowed/more'), { 'c.mov': 'c' });
  await ask(`/uploads/${id}/files`, { paths: [at('allowed/more')] });
  exchange(at('allowed/more'), at('secret2'));
  await agent.engine.transfers.resumeAll();
  await over(id);
  const { records } = await agent.engine.transfers.files(id, { page: 1, limit: 10 });
  expect(records.map(({ name, state }) => `${name} ${state}`)).toEqual(['b.mov complete', 'more error']);
});

it('receives nothing into where a link leads', async () => {
  mkdirSync(at('allowed/in'));
  mkdirSync(at('etc'));
  const { id } = await ask('/downloads', { url: link, dst_folder: at('allowed/in') });
  exchange(at('allowed/in'), at('etc'));
  await agent.engine.transfers.resumeAll();
  expect((await over(id)).error).toMatchObject({ code: errorCatalogue.path_outside.code, retryable: false });
  expect(readdirSync(at('etc'))).toEqual([]);
});

it('leaves a person at the machine free', async () => {
  mkdirSync(at('allowed/mine'));
  mkdirSync(at('elsewhere'));
  const { id } = await agent.engine.transfers.download({ url: link, dst_folder: at('allowed/mine') });
  exchange(at('allowed/mine'), at('elsewhere'));
  await agent.engine.transfers.resumeAll();
  expect(await over(id)).toMatchObject({ state: 'complete' });
  expect(Object.keys(readTree(at('elsewhere'))).length).toBeGreaterThan(0);
});

it('neither makes an automation on a folder outside, nor learns what is in that of another one', async () => {
  writeTree(at('allowed/hot'), { 'a.mov': 'a' });
  writeTree(at('private'), { 'secret.mov': 'secret' });
  const settings = await agent.engine.tokens.create({ name: 'Farm settings', scopes: ['settings', 'transfer'] });
  const call = async (method: string, path: string, body?: object): Promise<readonly [number, unknown]> => {
    const headers = { ...(body ? { 'content-type': 'application/json' } : {}), authorization: `Bearer ${settings.token}` };
    const reply = await fetch(`${agent.url}/api/v1/automations${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return [reply.status, reply.status === 204 ? null : await reply.json()];
  };
  const making = { name: 'Own', active: false, folder: at('private'), team_id: service.teamId, recipients: [] };
  const outside = [403, { code: errorCatalogue.path_outside.code, message: expect.any(String) }];
  const own = await agent.engine.automations.create('team_upload', making);

  expect(await call('POST', '/team_upload', { ...making, name: 'Farm' })).toMatchObject(outside);
  const inside = { ...making, name: 'Farm', folder: at('allowed/hot') };
  expect(await call('POST', '/team_upload', { ...inside, after: 'move', move_to: at('private/sent') })).toMatchObject(outside);
  expect(await call('POST', '/dry_run', { kind: 'team_upload', automation: making })).toMatchObject(outside);
  expect(await call('POST', '/import', { yaml: agent.engine.automations.export().replace('Own', 'Other') })).toMatchObject(outside);
  for (const [method, path, body] of [
    ['POST', '/dry_run'],
    ['POST', '/duplicate'],
    ['GET', '/results'],
    ['GET', '/ledger'],
    ['GET', '/questions'],
    ['POST', '/forget', { all: true }],
  ] as const) {
    expect([path, ...(await call(method, `/${own.id}${path}`, body))]).toMatchObject([path, ...outside]);
  }
  expect(await call('PUT', `/${own.id}`, { include: ['*.mov'] })).toMatchObject(outside);
  expect(await call('POST', '/dry_run', { id: own.id, kind: 'team_upload', automation: inside })).toMatchObject(outside);

  const [status, made] = await call('POST', '/team_upload', inside);
  expect(status).toBe(201);
  const { id } = made as { id: string };
  expect(await call('GET', `/${id}/ledger`)).toEqual([200, { metadata: { total: 0 }, records: [] }]);
  // A link that is put in the way later leads it nowhere.
  exchange(at('allowed/hot'), at('private'));
  expect(await call('POST', `/${id}/dry_run`)).toMatchObject(outside);
});

it('sends what it dropped, and nothing else of the agent’s data folder', async () => {
  const call = (path: string, method: string, body: string, type = 'application/json') =>
    fetch(`${agent.url}/api/v1${path}`, { method, headers: { 'content-type': type, authorization: `Bearer ${token}` }, body });
  const drop = (await (await call('/drops', 'POST', JSON.stringify({ bytes: 5 }))).json()) as { id: string; path: string };
  const slice = await call(`/drops/${drop.id}/files?path=Day%2Fclip.mov&size=5&offset=0`, 'PUT', 'hello', 'application/octet-stream');
  expect(await slice.json()).toEqual({ bytes: 5, whole: true });
  for (const path of [at('data'), at('data', 'drops'), join(drop.path, '..'), drop.path]) {
    expect((await call('/uploads', 'POST', JSON.stringify(upload(path)))).status, path).toBe(403);
  }
  const measured = await call('/folders/measure', 'POST', JSON.stringify({ paths: [join(drop.path, 'Day')] }));
  expect(await measured.json()).toMatchObject({ files: 1, bytes: 5 });
  await agent.engine.transfers.resumeAll();
  const sent = await ask('/uploads', upload(join(drop.path, 'Day')));
  expect(await over(sent.id)).toMatchObject({ state: 'complete', total_bytes: 5, total_files: 1 });
  await expect.poll(() => readdirSync(at('data', 'drops')), { timeout: 20_000 }).toEqual([]);
});

it('cannot try an upload again whose dropped files went with it', async () => {
  const drop = await agent.engine.drops.create({ bytes: 5 });
  await agent.engine.drops.put(drop.id, { path: 'clip.mov', size: 5, offset: 0 }, Readable.from([Buffer.from('hello')]));
  const { id } = await agent.engine.transfers.upload(upload(join(drop.path, 'clip.mov')));
  await agent.engine.transfers.remove(id);
  await expect.poll(() => readdirSync(at('data', 'drops')), { timeout: 20_000 }).toEqual([]);
  await expect(agent.engine.transfers.retry(id)).rejects.toMatchObject({ error: 'transfer_conflict' });
});
