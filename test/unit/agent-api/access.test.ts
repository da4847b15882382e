import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathFields } from '#agent-api/path-scope.ts';
import { type RunningAgentApi, startAgentApi } from '#agent-api/server.ts';
import type { Engine } from '#engine/engine.ts';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { covers, type Need, needOf } from '#protocol/agent/scopes.ts';
import { type NewToken, type TokenScope, tokenScopes } from '#protocol/agent/tokens.ts';
import { AgentError, errorCatalogue } from '#protocol/errors.ts';
import { exampleOf } from '#protocol/example.ts';
import { asJsonSchema } from '#protocol/json-schema.ts';
import type { Route } from '#protocol/route.ts';
import { type FakeEngine, fakeEngine, fakeTransfer } from '../../support/engine/fake-engine.ts';

/** What a token may do, over real HTTP: an agent on loopback and one beyond it. */

let folder: string;
let inside: string;
const engines = { loopback: fakeEngine(), beyond: fakeEngine() };
const apis = {} as Record<keyof typeof engines, RunningAgentApi>;
const tokens = {} as Record<TokenScope, NewToken>;
let own: string;

const urlOf = (which: keyof typeof engines): string => apis[which].url.replace('0.0.0.0', '127.0.0.1');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-access-'));
  inside = await realpath(folder);
  for (const which of ['loopback', 'beyond'] as const) {
    const host = which === 'loopback' ? '127.0.0.1' : '0.0.0.0';
    const engine = engines[which];
    await engine.settings.update({ allowed_roots: [inside] });
    const dataDir = join(folder, which);
    apis[which] = await startAgentApi({ engine, listen: { host, port: 0 }, guiDir: null, dataDir, version: '0', log: () => undefined });
  }
  own = (await readFile(apis.beyond.tokenFile!, 'utf8')).trim();
  for (const scope of tokenScopes) tokens[scope] = await engines.loopback.tokens.create({ name: scope, scopes: [scope] });
});
afterAll(async () => {
  for (const api of Object.values(apis)) await api.close();
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly body: { readonly code?: number; readonly message?: string } & Record<string, unknown>;
  readonly headers: Headers;
}

async function ask(which: keyof typeof engines, method: string, path: string, token?: string, body?: unknown): Promise<Answer> {
  const reply = await fetch(urlOf(which) + path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  // A stream goes on; that it began is what counts.
  const stream = reply.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (stream) await reply.body!.cancel();
  const text = stream ? '' : await reply.text();
  return { status: reply.status, headers: reply.headers, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

const post = (which: keyof typeof engines, path: string, token: string | undefined, body: unknown) => ask(which, 'POST', path, token, body);

it('one token has ten event streams, and the person and other tokens have theirs', async () => {
  const [gone, after] = [new AbortController(), new AbortController()];
  const open = async (token?: string, { signal } = gone) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await fetch(`${urlOf('loopback')}/api/v1/events`, { headers, signal })).status;
  };
  const statuses: number[] = [];
  for (let stream = 0; stream < 11; stream += 1) statuses.push(await open(tokens.read.token));
  expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
  expect([await open(tokens.all.token), await open()]).toEqual([200, 200]);
  gone.abort();
  await expect.poll(() => open(tokens.read.token, after), { timeout: 60_000 }).toBe(200);
  after.abort();
});

describe('what a call needs', () => {
  const pinned: Readonly<Partial<Record<keyof typeof agentRoutes, Need>>> = {
    healthz: 'open',
    status: 'read',
    metrics: 'read',
    streamEvents: 'read',
    getLogin: 'read',
    listTeams: 'read',
    listTransfers: 'read',
    getTransferReceipt: 'read',
    getSettings: 'read',
    createUpload: 'transfer',
    createPortalUpload: 'transfer',
    createDownload: 'transfer',
    removeTransfer: 'transfer',
    pauseTransfers: 'transfer',
    changeUpload: 'transfer',
    listFolder: 'transfer',
    listPlaces: 'transfer',
    measurePaths: 'transfer',
    findDropped: 'transfer',
    updateSettings: 'settings',
    setUploadRateLimit: 'settings',
    createTeamUploadAutomation: 'settings',
    createMount: 'settings',
    login: 'all',
    logout: 'all',
    createToken: 'owner',
    listTokens: 'owner',
    deleteToken: 'owner',
    listTokenCalls: 'owner',
    createPageAddress: 'owner',
    enterPage: 'open',
  };
  it.each(Object.entries(pinned))('%s: %s', (name, need) => {
    expect(needOf(agentRoutes[name as keyof typeof agentRoutes])).toBe(need);
  });

  it('is never less than reading where something is changed', () => {
    for (const [name, route] of Object.entries(agentRoutes)) {
      // A code stands for the right to come in.
      if (route.method !== 'GET' && name !== 'enterPage') expect(['transfer', 'settings', 'all', 'owner'], name).toContain(needOf(route));
    }
  });

  it('is every scope where none is declared', () => {
    expect(needOf({ tag: 'Something new', method: 'GET', path: '/api/v1/new' })).toBe('all');
  });
});

describe('a token', () => {
  const rows = Object.entries<Route>(agentRoutes).flatMap(([name, route]) => tokenScopes.map((scope) => [name, scope, route] as const));

  it('opens with each scope the endpoints that it covers, and no other', async () => {
    const wrong: string[] = [];
    for (const [name, scope, route] of rows) {
      // These end the session or the token that the others are tried with; `checkNeed` runs before them all the same.
      if (['logout', 'deleteToken'].includes(name) && covers([scope], needOf(route))) continue;
      const path = route.path.replaceAll(/\{\w+\}/g, 'x');
      const body = route.body ? (route.example ?? exampleOf(asJsonSchema(route.body))) : undefined;
      const { status, body: answer } = await ask('loopback', route.method, path, tokens[scope].token, body);
      const refused = status === 403 && /needs the scope|Tokens are made/.test(answer.message ?? '');
      if (refused === covers([scope], needOf(route))) wrong.push(`${name} with ${scope}: ${status} ${answer.message ?? ''}`);
    }
    expect(wrong).toEqual([]);
  });

  it('is optional on loopback, and its scopes hold there too', async () => {
    expect((await ask('loopback', 'GET', '/api/v1/status')).status).toBe(200);
    expect((await ask('loopback', 'GET', '/api/v1/status', tokens.read.token)).status).toBe(200);
    const upload = { team_id: 't1', paths: [inside], package_name: 'x', recipients: [] };
    expect((await post('loopback', '/api/v1/uploads', tokens.read.token, upload)).status).toBe(403);
    for (const wrong of ['lst_wrong', own]) expect((await ask('loopback', 'GET', '/api/v1/status', wrong)).status).toBe(401);
  });

  it('works beyond loopback, where it is required for everything but the pages, the docs and the health check', async () => {
    const made = (await post('beyond', '/api/v1/tokens', own, { name: 'Dashboard', scopes: ['read'] })).body as unknown as NewToken;
    for (const path of ['/api/v1/transfers', '/api/v1/nowhere']) {
      expect((await ask('beyond', 'GET', path)).body).toMatchObject({ code: 262150 });
      expect((await ask('beyond', 'GET', path, 'lst_wrong')).status).toBe(401);
    }
    expect((await ask('beyond', 'GET', '/metrics')).status).toBe(401);
    expect((await ask('beyond', 'GET', '/api/v1/transfers', made.token)).status).toBe(200);
    for (const path of ['/healthz', '/docs', '/openapi.json', '/nowhere']) expect((await ask('beyond', 'GET', path)).status).not.toBe(401);
    expect((await ask('beyond', 'DELETE', `/api/v1/tokens/${made.id}`, own)).status).toBe(204);
    expect((await ask('beyond', 'GET', '/api/v1/transfers', made.token)).status).toBe(401);
  });

  it('has a list of its calls, allowed or not, without their query', async () => {
    const engine = engines.loopback;
    const { id, token } = await engine.tokens.create({ name: 'audited', scopes: ['read'] });
    await ask('loopback', 'GET', '/api/v1/transfers?name=secret', token);
    await ask('loopback', 'GET', '/api/v1/transfers?name=other', token);
    await ask('loopback', 'DELETE', '/api/v1/transfers/x', token);
    const calls = (await (await fetch(`${urlOf('loopback')}/api/v1/tokens/${id}/calls`)).json()) as { method: string }[];
    expect(calls).toMatchObject([
      { method: 'DELETE', path: '/api/v1/transfers/x', status: 403, count: 1, address: '127.0.0.1' },
      { method: 'GET', path: '/api/v1/transfers', status: 200, count: 2 },
    ]);
    expect(JSON.stringify(calls)).not.toContain('secret');
  });

  it('that is deleted ends its event streams', async () => {
    const { id, token } = await engines.loopback.tokens.create({ name: 'follower', scopes: ['read'] });
    const reply = await fetch(`${urlOf('loopback')}/api/v1/events`, { headers: { authorization: `Bearer ${token}` } });
    const reader = reply.body!.getReader();
    await reader.read();
    await ask('loopback', 'DELETE', `/api/v1/tokens/${id}`);
    while (!(await reader.read()).done);
  });

  it('has a limit of wrong ones a minute, which does not concern the right one', async () => {
    const engine = fakeEngine();
    const dataDir = join(folder, 'guessing');
    const listen = { host: '127.0.0.1', port: 0 };
    const api = await startAgentApi({ engine, listen, guiDir: null, dataDir, version: '0', log: () => undefined });
    try {
      const { token } = await engine.tokens.create({ name: 'x', scopes: ['read'] });
      const status = async (shown: string) => {
        const reply = await fetch(`${api.url}/api/v1/status`, { headers: { authorization: `Bearer ${shown}` } });
        if (reply.status === 429) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
        return reply.status;
      };
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 25; attempt++) statuses.push(await status(`lst_${attempt}`));
      expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)]);
      expect(await status(token)).toBe(200);
    } finally {
      await api.close();
    }
  });
});

describe('the allowed folders', () => {
  const upload = (path: string) => ({ team_id: 't1', paths: [path], package_name: 'x', recipients: [] });
  const portal = (path: string) => ({
    subdomain: 'north',
    sender: 'a@example.com',
    package_name: 'x',
    package_description: '',
    paths: [path],
  });
  const download = (path: string) => ({ url: 'http://h/d/x?secret=y', dst_folder: path });
  const bodies = (path: string): [string, string, unknown][] => [
    ['POST', '/api/v1/uploads', upload(path)],
    ['POST', '/api/v1/uploads/portal', portal(path)],
    ['POST', '/api/v1/uploads/u/files', { paths: [path] }],
    ['POST', '/api/v1/downloads', download(path)],
    ['PUT', '/api/v1/settings', { download_folder: path }],
  ];
  const engineOf = (which: keyof typeof engines): FakeEngine => engines[which];

  it.each([
    ['an application on loopback', 'loopback'],
    ['the owner beyond loopback', 'beyond'],
  ] as const)('hold %s, for every path of every endpoint', async (_, which) => {
    engineOf(which).store.set('u', fakeTransfer({ id: 'u' }));
    const token = which === 'loopback' ? tokens.all.token : own;
    const before = engineOf(which).calls.length;
    for (const path of ['/etc/passwd', join(inside, '../x'), '/'])
      for (const [method, url, body] of bodies(path)) {
        const { status, body: answer } = await ask(which, method, url, token, body);
        expect([url, status, answer.code]).toEqual([url, 403, 524305]);
      }
    expect(engineOf(which).calls).toHaveLength(before);
    for (const [method, url, body] of bodies(inside)) expect((await ask(which, method, url, token, body)).status).toBeLessThan(300);
    expect((await ask(which, 'GET', '/api/v1/folders?path=/etc', token)).status).toBe(403);
    expect((await ask(which, 'PUT', '/api/v1/settings', token, { allowed_roots: ['/'] })).status).toBe(403);
  });

  it('do not limit callers on this machine, who may change them, except in the folder browser', async () => {
    for (const [method, url, body] of bodies('/etc'))
      expect((await ask('loopback', method, url, undefined, body)).status).toBeLessThan(300);
    expect((await ask('loopback', 'GET', '/api/v1/folders?path=/etc')).status).toBe(403);
    expect((await ask('loopback', 'GET', '/api/v1/folders')).body).toMatchObject({ path: inside, parent: null });
    expect((await ask('loopback', 'PUT', '/api/v1/settings', undefined, { allowed_roots: [inside, '/etc'] })).status).toBe(200);
    expect((await ask('loopback', 'GET', '/api/v1/folders?path=/etc')).status).toBe(200);
  });

  it.each([
    ['a person', 'loopback', (): string | undefined => undefined],
    ['an application', 'loopback', (): string | undefined => tokens.all.token],
    ['the owner beyond loopback', 'beyond', (): string | undefined => own],
  ] as const)('are touched for %s only once their disks have answered, for every path of every endpoint', async (_, which, token) => {
    const engine = engineOf(which);
    const { answer, check } = engine.folders;
    const before = engine.calls.length;
    const asked: string[] = [];
    Object.assign(engine.folders, {
      answer: (paths: readonly string[]) => {
        asked.push(...paths);
        return Promise.reject(new AgentError('path_unreadable', { path: inside, detail: 'its disk does not answer.' }));
      },
      check: () => expect.unreachable('This would have stopped the agent.'),
    } satisfies Partial<Engine['folders']>);
    try {
      for (const [method, url, body] of bodies(inside)) {
        const { status, body: refusal } = await ask(which, method, url, token(), body);
        expect([url, status, refusal.code]).toEqual([url, 400, errorCatalogue.path_unreadable.code]);
      }
    } finally {
      Object.assign(engine.folders, { answer, check });
    }
    expect(asked).toEqual(bodies(inside).map(() => inside));
    expect(engine.calls).toHaveLength(before);
  });

  it('limit every field that is a path of this machine', () => {
    const isPath = (schema: { maxLength?: unknown; items?: object; anyOf?: object[] } | undefined): boolean =>
      schema !== undefined &&
      (schema.maxLength === 32_767 || isPath(schema.items as never) || (schema.anyOf ?? []).some((one) => isPath(one as never)));
    for (const [name, route] of Object.entries<Route>(agentRoutes)) {
      if (!route.body) continue;
      const properties = Object.entries(asJsonSchema(route.body).properties ?? {});
      const fields = properties.filter(([field, schema]) => isPath(schema as never) && field !== 'allowed_roots').map(([field]) => field);
      expect([name, [...(pathFields[name as keyof typeof agentRoutes] ?? [])].sort()]).toEqual([name, fields.sort()]);
    }
  });
});
