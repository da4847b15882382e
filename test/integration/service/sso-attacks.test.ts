import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import type { SsoDomain } from '#protocol/hosted/sso.ts';
import type { SsoFinished } from '#protocol/hosted/sso-sign-in.ts';
import { newId } from '#service/ids.ts';
import { createSsoHttp } from '#service/sso/http.ts';
import { discover } from '#service/sso/provider.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam } from '#test/support/service/users.ts';
import { putSso } from '#test/support/sso/connection.ts';
import { type ScriptedProvider, startScriptedProvider } from '#test/support/sso/scripted-provider.ts';

/** What attackers, faulty providers and lost domains do to single sign-on. */

let t: TestService;
let provider: ScriptedProvider;
const records = new Map<string, readonly string[] | Error>();
let clockOffset = 0;
beforeAll(async () => {
  provider = await startScriptedProvider();
  t = await startTestService({
    allowPrivateSso: true,
    limits: { signInsPerAddress: 10_000, refusalsPerAddress: 10_000 },
    now: () => new Date(Date.now() + clockOffset),
    async resolveTxt(name) {
      const found = records.get(name) ?? [];
      if (found instanceof Error) throw found;
      return found;
    },
  });
  await putSso(t, t.teamId, { issuer: provider.issuer, domain });
});
afterAll(async () => {
  await t?.close();
  await provider?.close();
});
afterEach(() => {
  provider.misbehaves = {};
  clockOffset = 0;
});

const domain = 'harbour.example';
const page = { 'x-longshore-page': '1', 'sec-fetch-site': 'same-origin' };
type Refused = { readonly code?: number; readonly message?: string };
const refused = (says: string) => ({ status: 403, body: { code: 131085, message: expect.stringContaining(says) } });
const failed = (says: string) => ({ status: 502, body: { code: 131086, message: expect.stringContaining(says) } });
const mia = () => ({ sub: newId(), email: `mia-${newId()}@${domain}`, email_verified: true });

async function start(more: object = {}, address = `x@${domain}`) {
  const begun = await t.call<{ url: string } & Refused>('POST', '/v1/sso/start', { headers: page, body: { company: address, ...more } });
  const cookie = begun.headers
    .getSetCookie()
    .find((one) => one.startsWith('__Host-longshore-sso='))
    ?.split(';')[0];
  return { ...begun, cookie: cookie ?? '', url: begun.body.url };
}
const finish = (cookie: string, answer: string, team = t.teamId, headers: object = page) =>
  t.call<SsoFinished & Refused>('POST', '/v1/sso/finish', { headers: { ...headers, cookie }, body: { team_id: team, answer } });
const altered = (answer: string, changes: Record<string, string>) => {
  const query = new URLSearchParams(answer);
  for (const [name, value] of Object.entries(changes)) query.set(name, value);
  return query.toString();
};

describe('the start', () => {
  it('leads to the provider with PKCE, state and nonce, in a cookie that scripts cannot read', async () => {
    const { url, headers } = await start();
    const sent = Object.fromEntries(new URL(url).searchParams);
    expect(sent).toMatchObject({
      ...{ response_type: 'code', client_id: 'longshore', scope: 'openid email profile', code_challenge_method: 'S256' },
      redirect_uri: `${t.url}/sso/callback/${t.teamId}`,
    });
    expect([sent['state']!.length, sent['nonce']!.length, sent['code_challenge']!.length]).toEqual([43, 43, 43]);
    expect(headers.getSetCookie()[0]).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  });

  it('says the same of a domain without single sign-on, one that is pending or off, and what is no domain', async () => {
    const other = await addTeam(t, 'Quay');
    await putSso(t, other, { issuer: provider.issuer, domain: 'off.example', enabled: false });
    const { db } = t.service.services;
    await db.updateTable('sso_domains').set({ verified_at: null }).where('domain', '=', 'pending.example').execute();
    const answers = await Promise.all(['off.example', 'x@unknown.example', 'nothing', 'a@b@'].map((text) => start({}, text)));
    for (const answer of answers) expect(answer).toMatchObject(refused('There is no sign-in through a company for this address'));
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
  });

  it('is for pages of the service only', async () => {
    for (const headers of [{}, { ...page, 'sec-fetch-site': 'cross-site' }]) {
      expect((await t.call('POST', '/v1/sso/start', { headers, body: { company: domain } })).status).toBe(400);
    }
  });

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'does not lead to %s at its end',
    async (next) => {
      const { cookie, url } = await start({ next });
      expect((await finish(cookie, provider.signIn(url, mia()))).body.next).toBe('/');
    },
  );
});

describe('an answer', () => {
  it('of another sign-in, another browser or another page is refused, and the person’s own still goes on', async () => {
    const { cookie, url } = await start();
    const other = await start();
    const answer = provider.signIn(url, mia());
    expect(await finish(cookie, altered(answer, { state: 'forged' }))).toMatchObject(refused('belongs to another sign-in'));
    expect(await finish(other.cookie, answer)).toMatchObject(refused('belongs to another sign-in'));
    expect(await finish('', answer)).toMatchObject(refused('another browser'));
    expect(await finish(`${cookie}x`, answer)).toMatchObject(refused('another browser'));
    expect((await finish(cookie, answer, t.teamId, { ...page, 'sec-fetch-site': 'same-site' })).status).toBe(400);
    expect((await finish(cookie, answer)).status).toBe(200);
  });

  it('is good once, also of two that come at once', async () => {
    const { cookie, url } = await start();
    const answer = provider.signIn(url, mia());
    const both = await Promise.all([finish(cookie, answer), finish(cookie, answer)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    expect(await finish(cookie, answer)).toMatchObject(refused('has ended already'));
  });

  it('comes too late after ten minutes', async () => {
    const { cookie, url } = await start();
    const answer = provider.signIn(url, mia());
    clockOffset = 601_000;
    expect(await finish(cookie, answer)).toMatchObject(refused('ten minutes'));
  });

  it('of one Team’s provider does not count at another Team’s callback', async () => {
    const other = await addTeam(t, 'Quay');
    await putSso(t, other, { issuer: provider.issuer });
    const { cookie, url } = await start();
    expect(await finish(cookie, provider.signIn(url, mia()), other)).toMatchObject(refused('another browser'));
  });

  it('that names another issuer, or none, is refused', async () => {
    for (const iss of ['https://evil.example', '']) {
      const { cookie, url } = await start();
      const answer = altered(provider.signIn(url, mia()), { iss });
      expect(await finish(cookie, iss === '' ? answer.replace(/&iss=$/, '') : answer)).toMatchObject(failed('iss'));
    }
  });

  it('does nothing once the settings were changed', async () => {
    const { cookie, url } = await start();
    await t.service.services.db.updateTable('sso_connections').set({ revision: newId() }).where('team_id', '=', t.teamId).execute();
    expect(await finish(cookie, provider.signIn(url, mia()))).toMatchObject(refused('changed meanwhile'));
  });
});

describe('settings that change while the provider holds its answer back', () => {
  const settings = () => t.service.services.db.selectFrom('sso_connections').selectAll().where('team_id', '=', t.teamId);
  const sessions = async () =>
    (await t.service.services.db.selectFrom('sessions').select('id').where('sso_team_id', '=', t.teamId).execute()).length;
  const change = async (changes: object) => {
    const { issuer, client_id, scopes, group_claim, default_role } = await settings().executeTakeFirstOrThrow();
    const same = { issuer, client_id, scopes, group_claim, group_roles: [], default_role, enabled: true, sso_only: false };
    const headers = { 'x-user-token': t.userToken };
    const { status } = await t.call('PUT', `/v1/teams/${t.teamId}/sso`, { headers, body: { ...same, ...changes } });
    expect(status).toBe(200);
  };
  afterEach(() => putSso(t, t.teamId, { issuer: provider.issuer, domain }));

  it.each([
    ['turned off', { enabled: false }, 'turned off meanwhile'],
    ['for another client', { client_id: 'another' }, 'changed meanwhile'],
    ['by another provider', { issuer: 'http://127.0.0.1:9/' }, 'changed meanwhile'],
  ])('%s: nobody is signed in by what they were', async (_, changes, says) => {
    const { cookie, url } = await start();
    const answer = provider.signIn(url, mia());
    provider.misbehaves = {
      answer(path, response) {
        if (path !== '/keys') return false;
        provider.misbehaves = {};
        void change(changes)
          .then(async () => await (await fetch(`${provider.issuer}/keys`)).text())
          .then((keys) => response.writeHead(200, { 'content-type': 'application/json' }).end(keys));
        return true;
      },
    };
    expect(await finish(cookie, answer)).toMatchObject(refused(says));
    expect(await sessions()).toBe(0);
  });

  it.each([
    ['turned off', { enabled: false }, 'turned off meanwhile'],
    ['by another provider', { issuer: 'http://127.0.0.1:9/' }, 'changed meanwhile'],
  ])('%s: the one-time code of a program is worth nothing', async (_, changes, says) => {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const { cookie, url } = await start({
      app: { redirect_uri: 'http://127.0.0.1:49152/in', code_challenge: challenge, state: 'state-of-its-own' },
    });
    const done = await finish(cookie, provider.signIn(url, mia()));
    const code = new URL(done.body.app_redirect!).searchParams.get('code')!;
    await change(changes);
    expect(await t.call('POST', '/v1/sso/token', { body: { code, code_verifier: verifier } })).toMatchObject(refused(says));
    expect(await sessions()).toBe(0);
  });
});

describe('an ID token', () => {
  const now = () => Math.floor(Date.now() / 1000);
  it.each([
    ['of another nonce', { idToken: (claims: object) => ({ ...claims, nonce: 'another' }) }],
    ['of another issuer', { idToken: (claims: object) => ({ ...claims, iss: 'https://evil.example' }) }],
    ['for another client', { idToken: (claims: object) => ({ ...claims, aud: 'another' }) }],
    ['that has expired', { idToken: (claims: object) => ({ ...claims, exp: now() - 120 }) }],
    ['of the future', { idToken: (claims: object) => ({ ...claims, nbf: now() + 120 }) }],
    [
      'with another signature',
      { signed: (token: string) => `${token.slice(0, -10)}${token.endsWith('AAAAAAAAAA') ? 'B' : 'A'.repeat(10)}` },
    ],
    [
      'without a signature',
      { signed: (token: string) => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.` },
    ],
  ])('%s is refused', async (_, misbehaves) => {
    const { cookie, url } = await start();
    const answer = provider.signIn(url, mia());
    provider.misbehaves = misbehaves;
    expect(await finish(cookie, answer)).toMatchObject({ status: 502, body: { code: 131086 } });
  });

  it('may come from a clock that is half a minute off', async () => {
    const { cookie, url } = await start();
    const answer = provider.signIn(url, mia());
    provider.misbehaves = { idToken: (claims) => ({ ...claims, nbf: now() + 30 }) };
    expect((await finish(cookie, answer)).status).toBe(200);
  });
});

describe('a provider', () => {
  it('that says it is another one is refused', async () => {
    provider.misbehaves = { metadata: (usual) => ({ ...usual, issuer: 'https://login.example/{tenantid}/v2.0' }) };
    expect(await start()).toMatchObject(failed('issuer'));
  });

  it('whose answer has no end is cut off', async () => {
    provider.misbehaves = {
      answer(_, response) {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = () => {
          while (!response.destroyed && response.write(`"${'x'.repeat(65_536)}",`));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
        return true;
      },
    };
    expect(await start()).toMatchObject(failed('larger than 524288 bytes'));
  });

  it('that sends on to elsewhere is not followed', async () => {
    const followed: string[] = [];
    const elsewhere = createServer((request, response) => {
      followed.push(request.url!);
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    const { cookie, url } = await start();
    const answer = provider.signIn(url, mia());
    provider.misbehaves = {
      answer(path, response) {
        if (path === '/token') response.writeHead(307, { location }).end();
        return path === '/token';
      },
    };
    expect(await finish(cookie, answer)).toMatchObject({ status: 502 });
    expect(followed).toEqual([]);
    await new Promise((resolve) => elsewhere.close(resolve));
  });

  it('that does not answer in time is not waited for', async () => {
    provider.misbehaves = { answer: () => true };
    await expect(discover(createSsoHttp(true, 200), provider.issuer)).rejects.toMatchObject({
      error: 'sso_provider_failed',
      message: expect.stringContaining('There was no answer within'),
    });
  });

  it('that is away says so', async () => {
    const gone = await startScriptedProvider();
    await gone.close();
    await expect(discover(createSsoHttp(true), gone.issuer)).rejects.toMatchObject({ message: expect.stringContaining('refused') });
  });

  it('in a private network, or without TLS, is not asked unless the operator allows it', async () => {
    await expect(discover(createSsoHttp(false), provider.issuer)).rejects.toMatchObject({ error: 'sso_provider_failed' });
    await expect(discover(createSsoHttp(false), 'https://127.0.0.1:1')).rejects.toMatchObject({
      message: expect.stringContaining('private network'),
    });
    await expect(discover(createSsoHttp(false), 'https://[::ffff:10.0.0.1]/')).rejects.toMatchObject({
      message: expect.stringContaining('private network'),
    });
  });
});

describe('a program', () => {
  const app = () => {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    return {
      verifier,
      app: {
        redirect_uri: 'http://127.0.0.1:49152/signed-in',
        code_challenge: challenge,
        state: 'a state of its own'.replaceAll(' ', '-'),
      },
    };
  };
  const signedIn = async (more: ReturnType<typeof app>) => {
    const { cookie, url } = await start({ app: more.app });
    const done = await finish(cookie, provider.signIn(url, mia()));
    expect(done.status).toBe(200);
    return { done, url: new URL(done.body.app_redirect!) };
  };
  const exchange = (code: string, verifier: string) =>
    t.call<AuthResult & Refused>('POST', '/v1/sso/token', { body: { code, code_verifier: verifier } });

  it('gets a user token for its one-time code, which counts in the Team only', async () => {
    const its = app();
    const { done, url } = await signedIn(its);
    // The browser itself is not signed in.
    expect(done.headers.getSetCookie().some((one) => one.startsWith('__Host-longshore='))).toBe(false);
    expect([url.origin + url.pathname, url.searchParams.get('state')]).toEqual([its.app.redirect_uri, its.app.state]);
    const code = url.searchParams.get('code')!;
    expect(await exchange(code, randomBytes(32).toString('base64url'))).toMatchObject(refused('This code is wrong'));
    const { status, body } = await exchange(code, its.verifier);
    expect([status, body.teams.map(({ id }) => id)]).toEqual([200, [t.teamId]]);
    const headers = { 'x-user-token': body.token };
    expect((await t.call('GET', `/v1/teams/${t.teamId}/members`, { headers })).status).toBe(200);
    const other = await addTeam(t, 'Quay');
    const membership = { id: newId(), team_id: other, user_id: body.user.id, role: 'owner', created_at: new Date() } as const;
    await t.service.services.db.insertInto('memberships').values(membership).execute();
    expect((await t.call('GET', `/v1/teams/${other}/members`, { headers })).status).toBe(404);
    expect(await exchange(code, its.verifier)).toMatchObject(refused('was used already'));
  });

  it('has a minute for that', async () => {
    const its = app();
    const { url } = await signedIn(its);
    clockOffset = 61_000;
    expect(await exchange(url.searchParams.get('code')!, its.verifier)).toMatchObject(refused('too late'));
  });

  it.each([
    'https://evil.example/',
    'http://127.0.0.1.evil.example:80/',
    'http://localhost:80/',
    'http://127.0.0.1:99999/',
    'http://127.0.0.1:80@evil.example/',
  ])('does not wait at %s', async (uri) => {
    expect((await start({ app: { ...app().app, redirect_uri: uri } })).status).toBe(400);
  });
});

describe('a domain whose record is gone', () => {
  const state = async (id: string) => {
    const { body } = await t.call<{ domains: SsoDomain[] }>('GET', `/v1/teams/${t.teamId}/sso`, {
      headers: { 'x-user-token': t.userToken },
    });
    return body.domains.find((one) => one.id === id)!.state;
  };
  const add = async (name: string) => {
    const headers = { 'x-user-token': t.userToken };
    const { body } = await t.call<SsoDomain>('POST', `/v1/teams/${t.teamId}/sso/domains`, { headers, body: { domain: name } });
    records.set(name, [body.record.value]);
    expect((await t.call('POST', `/v1/teams/${t.teamId}/sso/domains/${body.id}/check`, { headers })).status).toBe(200);
    return body.id;
  };
  const check = () => runJob(t.service.services, 'sso.check_domains', {});

  it('counts for three more days, and loses nothing to name servers that fail', async () => {
    const id = await add('moved.example');
    records.set('moved.example', new Error('SERVFAIL'));
    await check();
    expect(await state(id)).toBe('verified');
    records.set('moved.example', []);
    await check();
    expect(await state(id)).toBe('missing');
    expect((await start({}, 'moved.example')).status).toBe(200);
    clockOffset = 3 * 24 * 3_600_000;
    await check();
    expect(await state(id)).toBe('pending');
    expect((await start({}, 'moved.example')).status).toBe(403);
    const { body } = await t.call<{ records: { action: string }[] }>('GET', `/v1/teams/${t.teamId}/audit_log`, {
      headers: { 'x-api-key': t.apiKey },
    });
    expect(body.records.map(({ action }) => action)).toContain('sso.domain_lost');
  });

  it('is at once that of the Team which proves it', async () => {
    const other = await addTeam(t, 'Quay');
    await putSso(t, other, { issuer: provider.issuer, domain: 'sold.example' });
    const id = await add('sold.example');
    expect(await state(id)).toBe('verified');
    const theirs = await t.service.services.db
      .selectFrom('sso_domains')
      .select('verified_at')
      .where('team_id', '=', other)
      .executeTakeFirstOrThrow();
    expect(theirs.verified_at).toBeNull();
  });
});
