import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureLog } from '#test/support/service/captured-log.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

let at: TestService;
beforeAll(async () => {
  at = await startTestService();
});
afterAll(() => at?.close());

const keysOfTeam = () => `/v1/teams/${at.teamId}/api_keys`;
const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(at.url + keysOfTeam(), { method: 'POST', headers: { 'x-user-token': at.userToken, ...headers }, body });

describe('bodies', () => {
  it('must be JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml']) {
      const answer = await post('{}', { 'content-type': type });
      expect([answer.status, await answer.json()]).toEqual([415, { code: 65539, message: 'Send the body as application/json.' }]);
    }
  });

  it('are not unpacked', async () => {
    const packed = gzipSync(JSON.stringify({ name: 'Packed', state: 'active' }));
    const answer = await fetch(at.url + keysOfTeam(), {
      method: 'POST',
      headers: { 'x-user-token': at.userToken, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: packed,
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 65538 }]);
  });

  it('may name a charset', async () => {
    const answer = await post('{"name":"Charset","state":"active"}', { 'content-type': 'application/json; charset=utf-8' });
    expect(answer.status).toBe(201);
  });

  it.each([
    ['{', 400, 65538],
    ['', 400, 65537],
    ['[]', 400, 65537],
    ['null', 400, 65537],
    ['"text"', 400, 65537],
  ])('%s is %i', async (body, status, code) => {
    const answer = await post(body, { 'content-type': 'application/json' });
    expect([answer.status, ((await answer.json()) as { code: number }).code]).toEqual([status, code]);
  });

  it.each([
    '"__proto__":{"state":"inactive","name":"poison"}',
    '"__proto__":null',
    '"\\u005f_proto__":{"name":"poison"}',
    '"constructor":{"prototype":{"state":"inactive"}}',
    '"constructor":1,"prototype":{"a":1},"toString":{"__proto__":{"b":1}},"nested":[{"__proto__":{"c":1}}]',
  ])('ignore %s as any other unknown field', async (fields) => {
    const answer = await post(`{"name":"Known","state":"active",${fields}}`, { 'content-type': 'application/json' });
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({ name: 'Known', state: 'active' });
    // A required field is not found in what was taken out.
    const without = await post(`{"name":"Known","__proto__":{"state":"active"}}`, { 'content-type': 'application/json' });
    expect([without.status, await without.json()]).toEqual([400, { code: 65537, message: 'The field state is missing.' }]);
    expect(({} as Record<string, unknown>)['state']).toBeUndefined();
  });

  const nested = (levels: number, inside = '') =>
    `{"name":"Deep","state":"active","deep":${'['.repeat(levels)}${inside}${']'.repeat(levels)}}`;

  it('may be hundreds of levels deep, and say in short where a text is that cannot be stored', async () => {
    expect((await post(nested(499), { 'content-type': 'application/json', 'idempotency-key': 'deep' })).status).toBe(201);
    const answer = await post(nested(499, '"\\u0000"'), { 'content-type': 'application/json' });
    expect(answer.status).toBe(400);
    const { message } = (await answer.json()) as { message: string };
    expect(message).toMatch(/^The field deep(\[0\])+.*… must not contain NUL characters\.$/);
    expect(message.length).toBeLessThan(300);
  });

  // A call that is kept for being asked again, or that stores what it is sent, writes its body out.
  it.each([500, 6_000, 1_000_000])('are refused with %i levels, before anything reads them level by level', async (levels) => {
    for (const key of [{}, { 'idempotency-key': `deep ${levels}` }] as Record<string, string>[]) {
      const answer = await post(nested(levels), { 'content-type': 'application/json', ...key });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { code: 65537, message: 'The body is nested more than 500 levels deep.' },
      ]);
    }
  });

  it('may contain escaped text', async () => {
    const answer = await post('{"name":"\\ud834\\udd1e \\\\u0000","state":"active"}', { 'content-type': 'application/json' });
    expect(await answer.json()).toMatchObject({ name: '𝄞 \\u0000' });
  });

  it('have a limit', async () => {
    const answer = await post(JSON.stringify({ name: 'x'.repeat(5_000_000) }), { 'content-type': 'application/json' });
    expect(answer.status).toBe(413);
  });

  it('may hold unknown fields, which are ignored', async () => {
    const answer = await post('{"name":"Extra","state":"active","colour":"red"}', { 'content-type': 'application/json' });
    expect(answer.status).toBe(201);
    expect(await answer.json()).not.toHaveProperty('colour');
  });

  it('are not read from somebody without a credential', async () => {
    const answer = await fetch(at.url + keysOfTeam(), { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' });
    expect(answer.status).toBe(401);
  });
});

describe('answers', () => {
  it('to an unknown path or method say so', async () => {
    expect((await at.call('GET', '/v1/nothing?secret=x')).body).toEqual({
      code: 65541,
      message: 'There is no endpoint GET /v1/nothing. The API is described at /docs.',
    });
    expect((await at.call('PATCH', keysOfTeam())).status).toBe(404);
  });

  it('to a malformed address or request are errors of ours', async () => {
    expect((await at.call('GET', '/v1/%zz')).body).toMatchObject({ code: 65537 });
    const raw = await new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(at.url);
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
      socket.on('data', (data) => {
        text += data;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
    expect(raw).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(raw.split('\r\n\r\n')[1]!)).toMatchObject({ code: 65537 });
  });

  it('are not kept, framed, sniffed or passed on by browsers', async () => {
    for (const path of ['/v1/users/me', '/healthz', '/v1/nothing']) {
      const { headers } = await at.call('GET', path);
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it('mask an unexpected failure and log it under the id of its trace, with no number of the request', async () => {
    const { db } = at.service.services;
    await db.schema.alterTable('memberships').renameTo('memberships_away').execute();
    const log = captureLog();
    try {
      const { status, body, headers } = await at.call<{ code: number; message: string }>('GET', '/v1/users/me', {
        headers: { 'x-user-token': at.userToken },
      });
      expect([status, body.code]).toEqual([500, 458753]);
      expect(body.message).not.toContain('memberships');
      const [, id] = /The log has it under ([0-9a-f]{32})/.exec(body.message) ?? [];
      const [line, ...more] = log.lines();
      expect(more).toEqual([]);
      expect(headers.get('x-trace-id')).toBe(id);
      expect(line).toMatchObject({
        trace_id: id,
        err: { message: expect.stringContaining('memberships') },
        msg: 'a request failed unexpectedly',
      });
      expect(Object.keys(line!).sort()).toEqual(['err', 'level', 'msg', 'time', 'trace_id']);
    } finally {
      log.end();
      await db.schema.alterTable('memberships_away').renameTo('memberships').execute();
    }
  });
});

describe('beside the API', () => {
  it('tells that it is well', async () => {
    expect(await at.call('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('tells that it is ready, and by what', async () => {
    expect(await at.call('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ready', checks: { database: { status: 'ok' }, migrations: { status: 'ok' }, storage: { status: 'ok' } } },
    });
  });

  it('describes itself, for programs and people', async () => {
    const description = await at.call<{ openapi: string; servers: { url: string }[] }>('GET', '/openapi.json');
    expect(description.body).toMatchObject({ openapi: '3.1.0', servers: [{ url: at.url }] });
    const docs = await at.call<string>('GET', '/docs');
    expect(docs.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(docs.body).toContain('/v1/teams/{team_id}/api_keys');
    expect(docs.headers.get('content-security-policy')).toContain(`connect-src 'self' ${at.storageUrl}`);
    expect((await at.call('GET', '/docs.css')).headers.get('content-type')).toBe('text/css; charset=utf-8');
  });

  it('serves nothing from outside the page folder', async () => {
    for (const path of ['/assets-web/../../package.json', '/assets-web/..%2f..%2fpackage.json', '/assets-web/%2e%2e/%2e%2e/package.json']) {
      expect([400, 403, 404]).toContain((await at.call('GET', path)).status);
    }
  });
});
