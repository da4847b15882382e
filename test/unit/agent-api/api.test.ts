import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { urlToHttpOptions } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ListenError } from '#agent-api/listen-error.ts';
import { type RunningAgentApi, startAgentApi } from '#agent-api/server.ts';
import { ServiceError } from '#client/errors.ts';
import { callTraceparent } from '#engine/call-trace.ts';
import { agentRoutes } from '#protocol/agent/routes.ts';
import { AgentError } from '#protocol/errors.ts';
import type { Route } from '#protocol/route.ts';
import { traceIdName, traceparentName } from '#protocol/trace-context.ts';
import { type FakeEngine, fakeEngine, fakeTransfer, mia } from '../../support/engine/fake-engine.ts';

/** The local API over real HTTP, with an engine in memory behind it. */

let folder: string;
/** Each test's own. */
let engine: FakeEngine;
/** The one that all tests share, unless one starts another. */
let api: RunningAgentApi;
let shared: RunningAgentApi;
const logged: { message: string; id: string }[] = [];

async function start(
  options: { engine?: FakeEngine; host?: string; guiDir?: string | null; port?: number } = {},
): Promise<RunningAgentApi> {
  return startAgentApi({
    engine: options.engine ?? engine,
    listen: { host: options.host ?? '127.0.0.1', port: options.port ?? 0 },
    guiDir: options.guiDir ?? null,
    dataDir: folder,
    version: '0.1.0',
    log: (message, { id }) => logged.push({ message, id }),
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-api-'));
  engine = fakeEngine();
  shared = await start({ engine: new Proxy(engine, { get: (_, part) => engine[part as keyof FakeEngine] }) });
});
beforeEach(() => {
  logged.length = 0;
  engine = fakeEngine();
  api = shared;
});
afterEach(async () => {
  if (api !== shared) await api.close();
});
afterAll(async () => {
  await shared.close();
  await rm(folder, { recursive: true, force: true });
});

/** A request whose Host and other headers are just as the test says, which `fetch` would not allow. */
function raw(
  url: string | { readonly host: string; readonly port: string; readonly path: string },
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const to = typeof url === 'string' ? urlToHttpOptions(new URL(url)) : url;
    const request = httpRequest({ ...to, method: options.method ?? 'GET', headers: options.headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    request.on('error', reject);
    request.end(options.body);
  });
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(api.url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });

describe('the session', () => {
  it('answers without one exactly as the specification says', async () => {
    api = await start({ engine: fakeEngine({ signedIn: false }) });
    const reply = await fetch(`${api.url}/api/v1/login`);
    expect(reply.status).toBe(401);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(await reply.json()).toEqual({ code: 262146, message: 'session is nil' });
    for (const path of ['/api/v1/teams']) expect((await fetch(api.url + path)).status).toBe(401);
    expect((await fetch(`${api.url}/api/v1/login`, { method: 'DELETE' })).status).toBe(401);
  });

  it('signs in, tells who is signed in and their Teams, and signs out', async () => {
    const login = await post('/api/v1/login', { email: 'mia@example.com', password: 'correct horse' });
    expect(login.status).toBe(200);
    expect(await login.json()).toEqual(mia);
    expect(await (await fetch(`${api.url}/api/v1/login`)).json()).toEqual(mia);
    expect(await (await fetch(`${api.url}/api/v1/teams`)).json()).toEqual(mia.teams);
    const out = await fetch(`${api.url}/api/v1/login`, { method: 'DELETE' });
    expect([out.status, await out.text()]).toEqual([204, '']);
    expect((await fetch(`${api.url}/api/v1/login`)).status).toBe(401);
  });

  it('refuses a wrong password with a sentence, and limits wrong ones', async () => {
    // Which remembers them.
    api = await start();
    const wrong = () => post('/api/v1/login', { email: 'mia@example.com', password: 'wrong' });
    expect(await (await wrong()).json()).toMatchObject({ message: 'The e-mail address or the password is wrong.' });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 10; attempt += 1) statuses.push((await wrong()).status);
    expect(statuses).toEqual([...Array<number>(9).fill(401), 429]);
    const limited = await wrong();
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await limited.json()).toMatchObject({ message: expect.stringMatching(/^Too many requests\. Try again in \d+ s\.$/) });
    expect(engine.calls.filter((call) => call.name === 'signIn')).toHaveLength(10);
  });
});

describe('transfers', () => {
  it('passes an upload on with its defaults', async () => {
    const body = { team_id: 't1', paths: ['/media/A001'], package_name: 'Dailies', recipients: [] };
    const reply = await post('/api/v1/uploads', body);
    expect(reply.status).toBe(201);
    expect(await reply.json()).toEqual(fakeTransfer({ id: 'up1', name: 'Dailies' }));
    expect(engine.calls).toEqual([{ name: 'upload', input: { ...body, auto_finalize: true } }]);
  });

  it('downloads, lists, reads and removes', async () => {
    const made = await post('/api/v1/downloads', { url: 'http://127.0.0.1/d/x?secret=y', dst_folder: '/media/in' });
    expect([made.status, (await made.json()).kind]).toEqual([201, 'download']);
    const list = await (await fetch(`${api.url}/api/v1/downloads?state=queued,error&limit=5`)).json();
    expect(list).toMatchObject({ metadata: { total: 1 }, records: [{ id: 'down1' }] });
    expect(engine.calls.at(-1)).toEqual({
      name: 'list',
      input: { kind: 'download', query: { page: 1, limit: 5, state: ['queued', 'error'] } },
    });
    expect(await (await fetch(`${api.url}/api/v1/transfers/down1`)).json()).toMatchObject({ dst_folder: '/media/in' });
    expect(await (await fetch(`${api.url}/api/v1/transfers/down1/files?page=2`)).json()).toEqual({ metadata: { total: 0 }, records: [] });
    expect(engine.calls.at(-1)).toEqual({ name: 'files', input: { id: 'down1', page: { page: 2, limit: 100 } } });
    expect((await fetch(`${api.url}/api/v1/transfers/down1`, { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(`${api.url}/api/v1/transfers/down1`)).status).toBe(404);
  });

  it('finds an upload and a download each under its own path, and not under the other', async () => {
    engine.store.set('u', fakeTransfer({ id: 'u' }));
    engine.store.set('d', fakeTransfer({ id: 'd', kind: 'download' }));
    const status = async (path: string, method = 'GET') => (await fetch(`${api.url}/api/v1/${path}`, { method })).status;
    expect([await status('uploads/u'), await status('uploads/u/files'), await status('downloads/d')]).toEqual([200, 200, 200]);
    for (const path of ['uploads/d', 'uploads/d/files', 'downloads/u', 'downloads/u/files', 'uploads/x'])
      expect(await status(path)).toBe(404);
    expect([await status('uploads/d', 'DELETE'), await status('downloads/u', 'DELETE')]).toEqual([404, 404]);
    expect([...engine.store.keys()]).toEqual(['u', 'd']);
    expect([await status('uploads/u', 'DELETE'), await status('downloads/d', 'DELETE')]).toEqual([204, 204]);
    expect([...engine.store.keys()]).toEqual([]);
  });

  it('reads and sets the speed limit of each direction, and refuses invalid ones', async () => {
    const path = (direction: string) => `${api.url}/api/v1/settings/${direction}_rate_limit`;
    const put = (body: unknown) =>
      fetch(path('upload'), { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const before = await (await fetch(path('upload'))).json();
    expect(before).toMatchObject({ enabled: false, rate_limit_bps: 0, schedule_enabled: false });
    const wanted = { ...before, enabled: true, rate_limit_bps: 12_500_000 };
    const reply = await put(wanted);
    expect([reply.status, await reply.json()]).toEqual([200, wanted]);
    expect(await (await fetch(path('upload'))).json()).toEqual(wanted);
    expect(await (await fetch(path('download'))).json()).toEqual(before);
    for (const wrong of [{ rate_limit_bps: -1 }, { schedule: { mon: { enabled: true, start: '8:00', end: '18:00' } } }, { enabled: 'yes' }])
      expect((await put({ ...wanted, ...wrong })).status).toBe(400);
  });

  it('passes on what is done to a transfer, under its own path and the common one', async () => {
    engine.store.set('u', fakeTransfer({ id: 'u' }));
    engine.store.set('d', fakeTransfer({ id: 'd', kind: 'download' }));
    const put = async (path: string) => (await fetch(`${api.url}/api/v1/${path}`, { method: 'PUT' })).status;
    for (const path of ['uploads/u', 'downloads/d', 'transfers/u']) {
      const id = path.at(-1);
      for (const verb of ['pause', 'resume', 'retry', 'finalize']) {
        expect(await put(`${path}/${verb}`)).toBe(204);
        expect(engine.calls.at(-1)).toMatchObject({ name: verb, input: { id } });
      }
    }
    expect(await put('uploads/u/pause?hours=2.5')).toBe(204);
    expect(engine.calls.at(-1)).toEqual({ name: 'pause', input: { id: 'u', hours: 2.5 } });
    for (const path of ['uploads/d/pause', 'downloads/u/resume', 'transfers/x/pause?hours=0', 'transfers/u/pause?hours=soon'])
      expect([400, 404]).toContain(await put(path));
    engine.failNext('retry', new AgentError('transfer_conflict', { detail: 'This upload is complete, so it cannot be tried again.' }));
    expect(await put('uploads/u/retry')).toBe(409);
  });

  it('pauses and resumes all', async () => {
    const put = async (path: string) => (await fetch(`${api.url}/api/v1/transfers/${path}`, { method: 'PUT' })).status;
    expect([await put('pause'), await put('pause?hours=1'), await put('resume')]).toEqual([204, 204, 204]);
    expect(engine.calls).toEqual([
      { name: 'pauseAll', input: {} },
      { name: 'pauseAll', input: { hours: 1 } },
      { name: 'resumeAll', input: {} },
    ]);
  });

  it('changes the place in the queue, and adds files to uploads alone', async () => {
    engine.store.set('u', fakeTransfer({ id: 'u' }));
    engine.store.set('d', fakeTransfer({ id: 'd', kind: 'download' }));
    const send = (method: string, path: string, body: unknown) =>
      fetch(`${api.url}/api/v1/${path}`, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const changed = await send('PATCH', 'uploads/u', { priority: 'high', position: 0 });
    expect([changed.status, (await changed.json()).priority]).toEqual([200, 'high']);
    expect((await send('PATCH', 'downloads/u', { priority: 'high' })).status).toBe(404);
    expect((await send('PATCH', 'downloads/d', { priority: 'urgent' })).status).toBe(400);
    expect((await send('POST', 'uploads/u/files', { paths: ['/media/A002'] })).status).toBe(200);
    expect(engine.calls.at(-1)).toEqual({ name: 'addFiles', input: { id: 'u', paths: ['/media/A002'] } });
    expect((await send('POST', 'uploads/d/files', { paths: ['/media/A002'] })).status).toBe(404);
  });

  it('passes an upload through a Portal on, without a session', async () => {
    engine = fakeEngine({ signedIn: false });
    api = await start();
    const body = {
      subdomain: 'northlight',
      sender: 'mia@example.com',
      package_name: 'Day 12',
      package_description: '',
      paths: ['/media/A001'],
    };
    expect((await post('/api/v1/uploads/portal', body)).status).toBe(201);
    expect(engine.calls).toEqual([{ name: 'portalUpload', input: { ...body, auto_finalize: true } }]);
    expect((await post('/api/v1/uploads/portal', { ...body, subdomain: 'No Such Name' })).status).toBe(400);
  });

  it('gives and changes settings', async () => {
    const settings = await (await fetch(`${api.url}/api/v1/settings`)).json();
    expect(settings).toMatchObject({ max_concurrent_transfers: 4, order: 'shared' });
    const put = (body: unknown) =>
      fetch(`${api.url}/api/v1/settings`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    expect(await (await put({ order: 'strict' })).json()).toEqual({ ...settings, order: 'strict' });
    expect((await put({ max_concurrent_transfers: 0 })).status).toBe(400);
  });

  it.each<[string, unknown, string]>([
    ['a missing field', { paths: ['/a'], package_name: 'x', recipients: [] }, 'The field team_id is missing.'],
    ['no path', { team_id: 't', paths: [], package_name: 'x', recipients: [] }, 'The field paths must not be empty.'],
    [
      'a bad address',
      { team_id: 't', paths: ['/a'], package_name: 'x', recipients: ['mia'] },
      'The field recipients[0] must be an e-mail address.',
    ],
    ['a number for a text', { team_id: 1, paths: ['/a'], package_name: 'x', recipients: [] }, 'The field team_id must be of type string.'],
    ['a list for an object', [], 'The body must be of type object.'],
  ])('refuses %s, naming the field', async (_, body, message) => {
    const reply = await post('/api/v1/uploads', body);
    expect([reply.status, await reply.json()]).toEqual([400, { code: 65537, message }]);
    expect(engine.calls).toEqual([]);
  });

  it.each([
    ['no HTTP', 'HELLO\r\n\r\n', 400, 'The request is not valid HTTP, or its head is too large.'],
    [
      'two lengths of a body',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'not valid HTTP',
    ],
    ['a head that is too large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`, 400, 'too large'],
    ['an address that is none', 'GET /api/v1/%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400, 'not a valid url'],
  ])('refuses %s as it refuses anything', async (_, request, status, message) => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.end(request);
    const [head, body] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*content-type: application/json`, 'i'));
    expect(JSON.parse(body!)).toEqual({ code: 65537, message: expect.stringContaining(message) });
  });

  it('has nothing at paths that lead out of its pages', async () => {
    const guiDir = join(folder, 'outside');
    await mkdir(guiDir, { recursive: true });
    api = await start({ guiDir });
    const { port } = new URL(api.url);
    for (const path of ['/../secret', '/%2e%2e/secret', '/a%00b']) {
      const { status, text: body } = await raw({ host: '127.0.0.1', port, path });
      expect([path, status, JSON.parse(body)]).toMatchObject([path, 404, { code: 65541 }]);
    }
  });

  it('refuses an invalid query', async () => {
    const reply = await fetch(`${api.url}/api/v1/transfers?limit=many`);
    expect([reply.status, await reply.json()]).toEqual([
      400,
      { code: 65537, message: 'The field limit of the query must be of type integer.' },
    ]);
  });

  it("gives the engine's own refusals as they are", async () => {
    engine.failNext('upload', new AgentError('path_not_found', { path: '/nowhere' }));
    const reply = await post('/api/v1/uploads', { team_id: 't1', paths: ['/nowhere'], package_name: 'x', recipients: [] });
    expect([reply.status, (await reply.json()).message]).toEqual([400, 'There is no file or folder at /nowhere.']);
  });

  it('passes on the id under which a service has its refusal', async () => {
    const refused = new ServiceError('state_conflict', { detail: 'It is on hold.' }, { answered: 409, traceId: 'a'.repeat(32) });
    engine.failNext('upload', refused);
    const reply = await post('/api/v1/uploads', { team_id: 't1', paths: ['/a'], package_name: 'x', recipients: [] });
    expect([reply.status, reply.headers.get(traceIdName)]).toEqual([409, 'a'.repeat(32)]);
  });

  it('answers an unexpected failure with an id that the log contains', async () => {
    engine.failNext('upload', new Error('SQLITE_CORRUPT at /home/mia/secret'));
    const reply = await post('/api/v1/uploads', { team_id: 't1', paths: ['/a'], package_name: 'x', recipients: [] });
    const { message } = await reply.json();
    expect(reply.status).toBe(500);
    expect(message).not.toContain('SQLITE');
    expect(logged).toHaveLength(1);
    expect(message).toContain(logged[0]!.id);
    expect(reply.headers.get(traceIdName)).toBe(logged[0]!.id);
  });

  it('has an unexpected failure under the id of the trace that the caller named', async () => {
    const id = '4bf92f3577b34da6a3ce929d0e0e4736';
    engine.failNext('upload', new Error('broken'));
    const headers = { [traceparentName]: `00-${id}-00f067aa0ba902b7-00` };
    const reply = await post('/api/v1/uploads', { team_id: 't1', paths: ['/a'], package_name: 'x', recipients: [] }, headers);
    expect([reply.status, reply.headers.get(traceIdName), logged[0]!.id]).toEqual([500, id, id]);
  });

  it('works for a call under its trace, and not after it', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';
    const seen: (string | null)[] = [];
    const after = Promise.withResolvers<void>();
    const { upload } = engine.transfers;
    Object.assign(engine.transfers, {
      upload: async (...given: Parameters<typeof upload>) => {
        seen.push(callTraceparent());
        setTimeout(() => {
          seen.push(callTraceparent());
          after.resolve();
        });
        return upload(...given);
      },
    });
    await post('/api/v1/uploads', { team_id: 't1', paths: ['/a'], package_name: 'x', recipients: [] }, { [traceparentName]: traceparent });
    await after.promise;
    expect(seen).toEqual([traceparent, null]);
  });
});

describe('bodies', () => {
  const send = (body: string, type?: string) =>
    raw(`${api.url}/api/v1/downloads`, { method: 'POST', headers: type ? { 'content-type': type } : {}, body });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', undefined])(
    'of type %s are refused: a page could send them without asking first',
    async (type) => {
      const reply = await send('{"url":"http://h/d/x?secret=y","dst_folder":"/tmp"}', type);
      expect(reply.status).toBe(415);
      expect(engine.calls).toEqual([]);
    },
  );

  it.each(['', '{', '{"a":1}}'])('%j is not accepted', async (body) => {
    const reply = await send(body, 'application/json');
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.text).code).toBe(65538);
  });

  it('of more than the limit are refused', async () => {
    const reply = await send(`{"url":"${'x'.repeat(4 * 1024 * 1024)}"}`, 'application/json').catch((error: NodeJS.ErrnoException) => error);
    // The answer may be lost when the connection ends before the whole body went out.
    if (reply instanceof Error) expect(['ECONNRESET', 'EPIPE']).toContain(reply.code);
    else expect(reply.status).toBe(413);
    expect(engine.calls).toEqual([]);
  });
});

describe('callers', () => {
  it.each(['evil.example', 'localhost.evil.example', '192.168.1.20'])('under the host %s are refused', async (host) => {
    const reply = await raw(`${api.url}/api/v1/transfers`, { headers: { host } });
    expect([reply.status, JSON.parse(reply.text).code]).toEqual([403, 65543]);
  });

  it.each(['/', '/docs', '/api/v1/status', '/nowhere'])('under a foreign host get nothing, not even %s', async (path) => {
    expect((await raw(api.url + path, { headers: { host: 'evil.example' } })).status).toBe(403);
  });

  it.each(['https://evil.example', 'http://localhost:3000', 'null'])('from the origin %s are refused', async (origin) => {
    const reply = await post('/api/v1/downloads', { url: 'http://h/d/x?secret=y', dst_folder: '/tmp' }, { origin });
    expect([reply.status, (await reply.json()).code]).toEqual([403, 65542]);
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    expect(engine.calls).toEqual([]);
  });

  it('from another page get no answer to their preflight', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const reply = await raw(`${api.url}/api/v1/downloads`, { method: 'OPTIONS', headers });
    expect(reply.status).toBe(403);
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each([
    '/api/v1/status',
    '/%61pi/v1/status',
    '/%61%70%69/v1/%73tatus',
    '/metri%63s',
    '/api%2Fv1/status',
    '//api/v1/status',
    '/nowhere/../api/v1/nowhere',
    '/%zz',
  ])('led to %s from another site are refused, however it is written', async (path) => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const { port } = new URL(api.url);
    // As it stands: a URL would be put in order first.
    const status = await new Promise((resolve, reject) => {
      const asked = httpRequest({ host: '127.0.0.1', port, path, headers, agent: false }, (reply) => resolve(reply.resume().statusCode));
      asked.on('error', reject).end();
    });
    expect(status).toBe(path === '/%zz' ? 400 : 403);
  });

  it('from its own page are accepted', async () => {
    expect((await fetch(`${api.url}/api/v1/status`, { headers: { origin: api.url } })).status).toBe(200);
  });

  it('beyond this machine show the token', async () => {
    api = await start({ host: '0.0.0.0' });
    const url = api.url.replace('0.0.0.0', '127.0.0.1');
    const token = (await readFile(api.tokenFile!, 'utf8')).trim();
    for (const authorization of ['', 'Bearer wrong', `Basic ${token}`]) {
      const reply = await fetch(`${url}/api/v1/transfers`, { headers: authorization ? { authorization } : {} });
      expect([reply.status, (await reply.json()).code]).toEqual([401, 262150]);
    }
    expect((await fetch(`${url}/api/v1/transfers`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    for (const path of ['/healthz', '/docs', '/openapi.json']) expect((await fetch(url + path)).status).toBe(200);
    expect((await fetch(`${url}/api/v1/nowhere`, { method: 'POST' })).status).toBe(401);
  });
});

describe('the pages', () => {
  it('say what to do when they are not built', async () => {
    const reply = await fetch(api.url);
    expect([reply.status, await reply.text()]).toEqual([503, expect.stringContaining('npm run build')]);
  });

  it('are served from the folder, and nothing beside it, under a strict policy', async () => {
    const gui = join(folder, 'dist');
    await mkdir(join(gui, 'assets'), { recursive: true });
    await writeFile(join(gui, 'index.html'), '<!doctype html><title>Longshore</title>');
    await writeFile(join(gui, 'assets/app-1a2b.js'), 'export {};');
    await writeFile(join(folder, 'secret.txt'), 'secret');
    api = await start({ guiDir: gui });

    const page = await fetch(`${api.url}/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'self';img-src 'self' data:;object-src 'none';base-uri 'none';form-action 'self';frame-ancestors 'none'",
    );
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect((await fetch(`${api.url}/assets/app-1a2b.js`)).headers.get('cache-control')).toContain('immutable');
    const content = 'export const words = 1;'.repeat(100);
    await writeFile(join(gui, 'assets/large-1a2b.js'), content);
    await writeFile(join(gui, 'assets/large-1a2b.js.br'), brotliCompressSync(content));
    const compressed = await fetch(`${api.url}/assets/large-1a2b.js`, { headers: { 'accept-encoding': 'br' } });
    expect([compressed.headers.get('content-encoding'), await compressed.text()]).toEqual(['br', content]);
    const plain = await fetch(`${api.url}/assets/large-1a2b.js`, { headers: { 'accept-encoding': 'identity' } });
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, content]);
    for (const path of ['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/assets/..%5c..%5csecret.txt']) {
      const reply = await raw(api.url + path);
      expect(reply.text).not.toContain('secret\n');
      expect([400, 403, 404]).toContain(reply.status);
    }
  });

  it('describe the API', async () => {
    const docs = await fetch(`${api.url}/docs`);
    expect([docs.status, docs.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await docs.text()).toContain('/api/v1/uploads');
    expect((await fetch(`${api.url}/docs.css`)).headers.get('content-type')).toContain('text/css');
    const spec = await (await fetch(`${api.url}/openapi.json`)).json();
    expect(spec.openapi).toBe('3.1.0');
    expect(Object.keys(spec.paths)).toContain('/api/v1/transfers/{id}');
  });

  it('know where they end', async () => {
    const reply = await fetch(`${api.url}/api/v1/nowhere`);
    expect([reply.status, (await reply.json()).message]).toEqual([
      404,
      'There is no endpoint GET /api/v1/nowhere. The API is described at /docs.',
    ]);
  });
});

describe('listening', () => {
  it('says that a port is taken', async () => {
    const port = Number(new URL(api.url).port);
    await expect(start({ port })).rejects.toThrow(ListenError);
    await expect(start({ port })).rejects.toThrow(`127.0.0.1:${port} is taken by another program`);
  });

  it("says that an address is not this machine's", async () => {
    await expect(start({ host: '203.0.113.7' })).rejects.toThrow('203.0.113.7:0 is not an address of this machine');
  });

  it('works by IPv6 too', async () => {
    api = await start({ host: '::1' });
    expect(api.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
  });
});

describe('HEAD', () => {
  it('answers as GET does, without the body', async () => {
    const paths = Object.values<Route>(agentRoutes)
      .filter(({ method, reply }) => method === 'GET' && !('stream' in reply && reply.stream === 'application/zip'))
      .map(({ path }) => path.replace(/\{\w+\}/g, 'none'));
    for (const path of [...new Set([...paths, '/', '/docs', '/healthz'])]) {
      const stream = path.endsWith('/events');
      const stop = new AbortController();
      const get = await fetch(api.url + path, { signal: stop.signal, redirect: 'manual' });
      if (stream) stop.abort();
      else await get.arrayBuffer();
      const head = await fetch(api.url + path, { method: 'HEAD', redirect: 'manual' });
      expect([path, head.status, head.headers.get('content-type'), await head.text()]).toEqual([
        path,
        get.status,
        get.headers.get('content-type'),
        '',
      ]);
    }
  });
});

describe('what a browser sends', () => {
  const put = (body: BodyInit, headers: Record<string, string> = { 'content-type': 'application/octet-stream' }) =>
    fetch(`${api.url}/api/v1/drops/drop1/files?path=A001%2Fa.mov&size=5&offset=0`, { method: 'PUT', headers, body });

  it('is passed on as bytes, larger than any other body may be', async () => {
    const text = 'x'.repeat(3 * 1024 * 1024);
    expect(await (await put(text)).json()).toEqual({ bytes: 5, whole: true });
    expect(engine.calls.at(-1)).toEqual({
      name: 'putDroppedFile',
      input: { id: 'drop1', slice: { path: 'A001/a.mov', size: 5, offset: 0 }, text },
    });
    expect(await (await put('')).json()).toEqual({ bytes: 5, whole: true });
  });

  it('is bytes there, and nowhere else', async () => {
    expect((await put('{}', { 'content-type': 'application/json' })).status).toBe(415);
    const elsewhere = { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: '{}' };
    expect((await fetch(`${api.url}/api/v1/uploads`, elsewhere)).status).toBe(415);
    expect(engine.calls).toEqual([]);
  });
});
