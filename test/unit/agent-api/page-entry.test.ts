import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPageEntry } from '#agent-api/page-entry.ts';
import { noteRunning, tokenOfRunning } from '#agent-api/running-file.ts';
import { type RunningAgentApi, startAgentApi } from '#agent-api/server.ts';
import { tokenFor } from '#main/cli/agent-connection/agent-token.ts';
import { agentClient } from '#main/cli/agent-connection/remote-agent.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import { fakeEngine } from '../../support/engine/fake-engine.ts';
import { tempFolder } from '../../support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const codeIn = (place: string): string => new URLSearchParams(place.split('?')[1]).get('code')!;

describe('an address of the page', () => {
  it('is good once, for a minute, and leads where it should', () => {
    let now = 1_000;
    const entry = createPageEntry(() => now);
    const { route: place, expiresAt } = entry.issue('#/open?address=a%26b');
    expect(expiresAt).toBe(61_000);
    expect(new URLSearchParams(place.split('?').slice(1).join('?')).get('to')).toBe('#/open?address=a%26b');
    const token = entry.trade(codeIn(place))!;
    expect([entry.knows(token), entry.knows(codeIn(place)), entry.knows('')]).toEqual([true, false, false]);
    expect(entry.trade(codeIn(place))).toBeNull();
    const old = entry.issue().route;
    now = 61_000;
    expect(entry.trade(codeIn(old))).toBeNull();
    expect(entry.trade('')).toBeNull();
  });

  it('is kept in a bounded number', () => {
    const entry = createPageEntry();
    const places = Array.from({ length: 101 }, () => entry.issue().route);
    expect([entry.trade(codeIn(places[0]!)), typeof entry.trade(codeIn(places[100]!))]).toEqual([null, 'string']);
  });
});

describe('the token of the agent that runs', () => {
  const url = 'http://127.0.0.1:8090';
  const token = 'lsa_of-the-agent';
  beforeEach(() => writeFileSync(join(folder.path, 'api-token'), `${token}\n`));

  it.each<[running: string, asked: string, given: boolean]>([
    [url, url, true],
    [url, 'http://localhost:8090', true],
    ['http://0.0.0.0:8090', 'http://[::1]:8090', true],
    ['unix:/run/a.sock', 'unix:/run/a.sock', true],
    [url, 'http://127.0.0.1:8091', false],
    [url, 'https://127.0.0.1:8090', false],
    [url, 'http://192.168.1.5:8090', false],
    ['http://0.0.0.0:8090', 'http://evil.example:8090', false],
    ['unix:/run/a.sock', 'unix:/run/b.sock', false],
  ])('at %s is given to %s: %s', (running, asked, given) => {
    const forget = noteRunning(folder.path, running);
    expect(statSync(join(folder.path, 'running.json')).mode & 0o777).toBe(0o600);
    expect(tokenOfRunning(folder.path, asked)).toBe(given ? token : null);
    forget();
    expect(tokenOfRunning(folder.path, asked)).toBeNull();
  });

  it('is not used once its process has ended, since another program may listen there', () => {
    noteRunning(folder.path, url);
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(join(folder.path, 'running.json'), JSON.stringify({ url, pid }));
    expect(tokenOfRunning(folder.path, url)).toBeNull();
    writeFileSync(join(folder.path, 'running.json'), 'torn');
    expect(tokenOfRunning(folder.path, url)).toBeNull();
  });
});

describe('an agent on loopback that wants a token', () => {
  let api: RunningAgentApi;
  let engine: ReturnType<typeof fakeEngine>;
  const dataDir = () => join(folder.path, 'agent');
  beforeEach(async () => {
    engine = fakeEngine();
    const listen = { host: '127.0.0.1', port: 0 };
    api = await startAgentApi({
      engine,
      listen,
      requireToken: true,
      allowedHosts: ['agent.example.com'],
      guiDir: null,
      dataDir: dataDir(),
      version: '0',
      log: () => undefined,
      openUserGuard: async () => null,
    });
  });
  afterEach(() => api.close());

  const status = async (path: string, init: RequestInit = {}) => (await fetch(api.url + path, init)).status;
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const enter = (code: string) => agentClient({ url: api.url }).call('enterPage', { body: { code } });

  it('refuses callers without a token, and has no warning', async () => {
    expect(api.warnings).toEqual([]);
    for (const path of ['/api/v1/status', '/api/v1/tokens', '/metrics', '/%61pi/v1/status']) expect(await status(path), path).toBe(401);
    for (const path of ['/healthz', '/docs']) expect(await status(path)).toBe(200);
    const token = readFileSync(api.tokenFile!, 'utf8').trim();
    expect(await status('/api/v1/tokens', bearer(token))).toBe(200);
    const made = await engine.tokens.create({ name: 'Farm', scopes: ['all'] });
    expect(await status('/api/v1/status', bearer(made.token))).toBe(200);
    expect(await status('/api/v1/page/address', { method: 'POST', ...bearer(made.token) })).toBe(403);
  });

  it('lets the commands of its user find the token until it stops', async () => {
    const token = tokenFor(api.url, { dataDir: folder.path });
    expect(await agentClient({ url: api.url, token }).call('listTransfers', {})).toMatchObject({ records: [] });
    expect(tokenFor(api.url, { dataDir: folder.path, agentToken: 'given' })).toBe('given');
    await api.close();
    expect(tokenFor(api.url, { dataDir: folder.path })).toBeUndefined();
  });

  it('signs its page in by an address, once', async () => {
    const token = tokenFor(api.url, { dataDir: folder.path });
    const { place, expires_at } = await agentClient({ url: api.url, token }).call('createPageAddress', {});
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
    const entered = await enter(codeIn(place));
    expect(await status('/api/v1/tokens', bearer(entered.token))).toBe(200);
    await expect(enter(codeIn(place))).rejects.toMatchObject({ error: 'agent_token_required' });
    const address = new URL(api.pageAddress('#/history'));
    expect([address.origin, new URLSearchParams(address.hash.split('?')[1]).get('to')]).toEqual([api.url, '#/history']);
    expect(await enter(codeIn(address.hash))).toMatchObject({ token: expect.stringMatching(/^lsp_/) });
  });

  it('limits wrong codes', async () => {
    const failures: unknown[] = [];
    for (let count = 0; count < 22; count++) failures.push(await enter(`lsc_${count}`).catch(({ error }) => error));
    expect(failures).toEqual([...Array(20).fill('agent_token_required'), ...Array(2).fill('rate_limited')]);
  });

  it('answers under the names of a proxy that were allowed, and no other', async () => {
    const { request } = await import('node:http');
    const under = (host: string) =>
      new Promise((resolve, reject) => {
        const asked = request(`${api.url}/api/v1/status`, { headers: { host }, agent: false }, (reply) =>
          resolve(reply.resume().statusCode),
        );
        asked.on('error', reject).end();
      });
    expect([await under('agent.example.com'), await under('evil.example'), await under('192.168.1.5')]).toEqual([401, 403, 403]);
    expect(errorCatalogue.unknown_host.status).toBe(403);
  });
});
