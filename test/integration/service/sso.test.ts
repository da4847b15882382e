import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '#protocol/hosted/accounts.ts';
import type { AuditEntry } from '#protocol/hosted/audit.ts';
import type { Session } from '#protocol/hosted/sessions.ts';
import type { SetSso, Sso, SsoDomain } from '#protocol/hosted/sso.ts';
import type { SsoFinished } from '#protocol/hosted/sso-sign-in.ts';
import { newId } from '#service/ids.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';
import { type OidcProvider, startOidcProvider } from '#test/support/sso/oidc-provider.ts';

/** Against a real provider: what its owners set, who gets in, and where a session counts. */

let t: TestService;
let oidc: OidcProvider;
const records = new Map<string, string[]>();
beforeAll(async () => {
  t = await startTestService({
    allowPrivateSso: true,
    limits: { signInsPerAddress: 10_000, refusalsPerAddress: 10_000 },
    resolveTxt: async (name) => records.get(name) ?? [],
  });
  oidc = await startOidcProvider([t.service.services.urls.ssoCallback(t.teamId)], {});
});
afterAll(async () => {
  await t?.close();
  await oidc?.close();
});

const page = { 'x-longshore-page': '1', 'sec-fetch-site': 'same-origin' };
const domain = 'harbour.example';
type Refused = { readonly code?: number; readonly message?: string };
const asOwner = <T = Refused>(method: string, path: string, body?: unknown) =>
  t.call<T & Refused>(method, path.replace('{team}', `/v1/teams/${t.teamId}`), {
    headers: { ...page, 'x-user-token': t.userToken },
    ...(body !== undefined && { body }),
  });
const settings = (more: Partial<SetSso> = {}): SetSso => ({
  ...{ issuer: oidc.issuer, client_id: oidc.clientId, client_secret: oidc.clientSecret },
  ...{ scopes: ['openid', 'email', 'profile', 'groups'], group_claim: 'groups', group_roles: [] },
  ...{ default_role: 'member', enabled: true, sso_only: false },
  ...more,
});
const set = (more: Partial<SetSso> = {}) => asOwner<Sso>('PUT', '{team}/sso', settings(more));
/** Changes who gets in, and leaves the client as it is. */
const change = (more: Partial<SetSso>) => {
  const { client_secret: _, ...rest } = settings(more);
  return asOwner<Sso>('PUT', '{team}/sso', rest);
};

function person(name: string, more: object = {}): string {
  const id = `${name}-${newId()}`;
  oidc.accounts[id] = { email: `${id}@${domain}`, email_verified: true, name, groups: [], ...more };
  return id;
}

const cookieOf = (answer: { readonly headers: Headers }, name: string) =>
  answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0]!)
    .find((one) => one.startsWith(`${name}=`));

async function signIn(account: string, start: object = {}) {
  const begun = await t.call<{ url: string }>('POST', '/v1/sso/start', { headers: page, body: { company: `x@${domain}`, ...start } });
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  return await finish(cookieOf(begun, '__Host-longshore-sso')!, await oidc.signIn(begun.body.url, account));
}
async function finish(cookie: string, answer: string) {
  const done = await t.call<SsoFinished & Refused>('POST', '/v1/sso/finish', {
    headers: { ...page, cookie },
    body: { team_id: t.teamId, answer },
  });
  return { ...done, browser: { ...page, cookie: cookieOf(done, '__Host-longshore') ?? '' } };
}
const roleOf = async (userId: string, team = t.teamId) =>
  (
    await t.service.services.db
      .selectFrom('memberships')
      .select('role')
      .where('user_id', '=', userId)
      .where('team_id', '=', team)
      .executeTakeFirst()
  )?.role;
const log = async () =>
  (await asOwner<{ records: AuditEntry[] }>('GET', '{team}/audit_log?limit=50')).body.records.map(({ action, details, actor }) => ({
    action,
    details,
    actor: actor.name,
  }));

describe('a domain', () => {
  it('counts once its TXT record is there, for one Team at a time', async () => {
    const added = await asOwner<SsoDomain>('POST', '{team}/sso/domains', { domain: ' @Harbour.Example' });
    expect(added).toMatchObject({ status: 201, body: { domain, state: 'pending', record: { name: domain } } });
    expect((await asOwner('POST', '{team}/sso/domains', { domain })).status).toBe(409);
    const check = () => asOwner<SsoDomain>('POST', `{team}/sso/domains/${added.body.id}/check`);
    expect(await check()).toMatchObject({ status: 409, body: { message: expect.stringContaining('no such TXT record yet') } });
    records.set(domain, ['v=spf1 -all', added.body.record.value]);
    expect(await check()).toMatchObject({ status: 200, body: { state: 'verified' } });

    const other = await addTeam(t, 'Quay');
    const owner = await addUser(t, 'owner', other);
    const asOther = <T>(path: string, body?: unknown) =>
      t.call<T & Refused>('POST', `/v1/teams/${other}/sso/domains${path}`, { headers: { 'x-user-token': owner.token }, body });
    const theirs = await asOther<SsoDomain>('', { domain });
    records.get(domain)!.push(theirs.body.record.value);
    expect(await asOther(`/${theirs.body.id}/check`)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('another Team') },
    });
    expect((await asOther(`/${added.body.id}/check`)).status).toBe(404);
    expect((await log()).slice(0, 2).map(({ action }) => action)).toEqual(['sso.domain_verified', 'sso.domain_added']);
  });
});

describe('the settings', () => {
  it('show no secret, and seal it', async () => {
    expect(await set()).toMatchObject({
      status: 200,
      body: { connection: { has_client_secret: true, enabled: true }, callback_url: expect.any(String) },
    });
    const { body } = await asOwner<Sso>('GET', '{team}/sso');
    expect(JSON.stringify(body)).not.toContain(oidc.clientSecret);
    const row = await t.service.services.db.selectFrom('sso_connections').selectAll().executeTakeFirstOrThrow();
    expect(row.sealed_secret!.includes(oidc.clientSecret)).toBe(false);
  });

  it('read a real provider’s discovery document', async () => {
    const found = await asOwner('POST', '{team}/sso/discovery', { issuer: oidc.issuer });
    expect(found).toMatchObject({ status: 200, body: { issuer: oidc.issuer, authorization_endpoint: `${oidc.issuer}/auth` } });
  });

  it.each([
    [{ issuer: 'harbour' }, 'issuer'],
    [{ issuer: 'https://mia:secret@login.example' }, 'issuer'],
    [{ group_claim: '', group_roles: [{ group: 'a', role: 'member' as const }] }, 'group_claim'],
    [
      {
        group_roles: [
          { group: 'a', role: 'member' as const },
          { group: 'a', role: 'guest' as const },
        ],
      },
      'group_roles',
    ],
    [{ group_roles: [{ group: 'a', role: 'owner' as never }] }, 'role'],
    [{ enabled: false, sso_only: true }, 'sso_only'],
  ])('refuse %j', async (more, field) => {
    expect(await change(more)).toMatchObject({ status: 400, body: { message: expect.stringContaining(field) } });
  });

  it('do not become the only way in before a sign-in has worked', async () => {
    expect(await change({ sso_only: true })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('Try the sign-in first') },
    });
    const begun = await asOwner<{ url: string }>('POST', '{team}/sso/trial');
    const account = person('Trial', { groups: ['crew'] });
    const done = await finish(cookieOf(begun, '__Host-longshore-sso')!, await oidc.signIn(begun.body.url, account));
    expect(done.body).toEqual({
      next: `/t/${t.teamId}/sso`,
      trial: {
        subject: account,
        email: `${account}@${domain}`,
        email_verified: true,
        name: 'Trial',
        groups: ['crew'],
        role: 'member',
        problem: '',
      },
    });
    // Nobody was signed in, and nobody was made.
    expect(done.browser.cookie).toBe('');
    const made = await t.service.services.db.selectFrom('users').select('id').where('email', '=', `${account}@${domain}`).execute();
    expect(made).toEqual([]);
    expect((await change({ sso_only: true })).status).toBe(200);
    expect((await change({})).status).toBe(200);
  });
});

describe('who signs in through the company', () => {
  it('is made a member at the first time, and is the same person later', async () => {
    const mia = person('Mia');
    const first = await signIn(mia, { next: '/t/x/packages' });
    expect(first).toMatchObject({
      status: 200,
      body: { next: '/t/x/packages', session: { user: { name: 'Mia', email: `${mia}@${domain}` } } },
    });
    const { user } = first.body.session!;
    expect(await roleOf(user.id)).toBe('member');
    // The address is not what they are known by.
    oidc.accounts[mia] = { ...oidc.accounts[mia], email: 'somebody@elsewhere.example', email_verified: false };
    expect((await signIn(mia)).body.session!.user.id).toBe(user.id);
    expect((await log()).slice(0, 4)).toMatchObject([
      { action: 'session.started', details: { kind: 'browser', sso: true } },
      { action: 'session.started' },
      { action: 'member.joined', details: { role: 'member', sso: true } },
      { action: 'sso.changed' },
    ]);
  });

  it('gets the highest role of their groups, anew each time, and never owner', async () => {
    await change({
      default_role: 'guest',
      group_roles: [
        { group: 'crew', role: 'member' },
        { group: 'leads', role: 'admin' },
      ],
    });
    const jon = person('Jon', { groups: ['crew', 'leads', 'owner'] });
    const { id } = (await signIn(jon)).body.session!.user;
    expect(await roleOf(id)).toBe('admin');
    oidc.accounts[jon] = { ...oidc.accounts[jon], groups: 'crew' };
    await signIn(jon);
    expect(await roleOf(id)).toBe('member');
    oidc.accounts[jon] = { ...oidc.accounts[jon], groups: [] };
    await signIn(jon);
    expect(await roleOf(id)).toBe('guest');
    await change({ default_role: 'none', group_roles: [{ group: 'crew', role: 'member' }] });
    expect(await signIn(jon)).toMatchObject({ status: 403, body: { message: expect.stringContaining('None of your groups') } });
    expect((await log())[0]).toMatchObject({ action: 'session.refused', actor: `${jon}@${domain}`, details: { reason: 'sso' } });
    await change({});
  });

  it('stays owner if they are one', async () => {
    const owner = await addUser(t, 'owner');
    const account = person('Olga', { email: owner.email.replace('example.com', domain) });
    await t.service.services.db
      .updateTable('users')
      .set({ email: owner.email.replace('example.com', domain) })
      .where('id', '=', owner.userId)
      .execute();
    await change({ group_roles: [{ group: 'crew', role: 'guest' }], default_role: 'none' });
    oidc.accounts[account] = { ...oidc.accounts[account], groups: ['crew'] };
    expect((await signIn(account)).body.session!.user.id).toBe(owner.userId);
    expect(await roleOf(owner.userId)).toBe('owner');
    await change({});
  });

  it.each([
    ['without a word about the address', { email: undefined }, 'claim email'],
    ['with an address that was not verified', { email_verified: false }, 'email_verified'],
    ['with an address of a domain that is not the Team’s', { email: `x-${newId()}@elsewhere.example` }, 'elsewhere.example'],
  ])('is refused %s', async (_, more, says) => {
    expect(await signIn(person('Eve', more))).toMatchObject({
      status: 403,
      body: { code: 131085, message: expect.stringContaining(says) },
    });
  });

  it('does not take over who had the address before them', async () => {
    const first = person('Anna');
    expect((await signIn(first)).status).toBe(200);
    const second = person('Anna the second', { email: `${first}@${domain}` });
    expect(await signIn(second)).toMatchObject({ status: 403, body: { message: expect.stringContaining('another account') } });
  });

  it('does not come back after a removal, but by a group or an invitation', async () => {
    const kim = person('Kim');
    const { id } = (await signIn(kim)).body.session!.user;
    const remove = async () => {
      const row = await t.service.services.db.selectFrom('memberships').select('id').where('user_id', '=', id).executeTakeFirstOrThrow();
      expect((await asOwner('DELETE', `/v1/members/${row.id}`)).status).toBe(204);
    };
    await remove();
    expect(await signIn(kim)).toMatchObject({ status: 403, body: { message: expect.stringContaining('You were removed') } });
    expect((await asOwner('POST', '{team}/members', { email: `${kim}@${domain}`, role: 'guest' })).status).toBe(201);
    expect((await signIn(kim)).status).toBe(200);
    expect(await roleOf(id)).toBe('guest');
    await remove();
    await change({ group_roles: [{ group: 'crew', role: 'integration_manager' }] });
    oidc.accounts[kim] = { ...oidc.accounts[kim], groups: ['crew'] };
    expect((await signIn(kim)).status).toBe(200);
    expect(await roleOf(id)).toBe('integration_manager');
    await change({});
  });

  it('is told what the provider refuses', async () => {
    expect(await signIn('nobody')).toMatchObject({ status: 403, body: { message: expect.stringContaining('no such account') } });
  });
});

describe('a session through the company', () => {
  it('counts in its Team only', async () => {
    const sam = person('Sam');
    const { browser, body } = await signIn(sam);
    const { id } = body.session!.user;
    const { db, now } = t.service.services;
    const other = await addTeam(t, 'Quay');
    await db.insertInto('memberships').values({ id: newId(), team_id: other, user_id: id, role: 'owner', created_at: now() }).execute();
    const key = newId();
    await db
      .insertInto('api_keys')
      .values({
        ...{ id: key, team_id: other, created_by: id, name: 'K', description: '', state: 'active', expiry: null },
        ...{ secret_hash: Buffer.from(key), created_at: now(), updated_at: now(), last_request_at: null },
      })
      .execute();
    const ask = async (method: string, path: string, sent?: unknown) =>
      (await t.call(method, path, { headers: browser, ...(sent !== undefined && { body: sent }) })).status;
    expect(await ask('GET', `/v1/teams/${t.teamId}/members`)).toBe(200);
    expect(await ask('GET', `/v1/teams/${other}/members`)).toBe(404);
    expect(await ask('GET', `/v1/teams/${other}/api_keys`)).toBe(404);
    expect(await ask('DELETE', `/v1/api_keys/${key}`)).toBe(404);
    expect(await ask('GET', `/v1/teams/${other}/sso`)).toBe(404);
    expect(await ask('PUT', `/v1/users/${id}`, { name: 'Renamed' })).toBe(403);
    expect(await ask('POST', '/v1/invitations/any/accept', {})).toBe(403);
    const who = (await t.call<Account>('GET', '/v1/users/me', { headers: browser })).body;
    expect(who.teams.map((team) => team.id)).toEqual([t.teamId]);
    // A sign-in by password is not in sight, and cannot be ended.
    const token = await t.service.services.tokens.sign('user', { userId: id, version: 1 });
    const { headers } = await program(id);
    const seen = (await t.call<{ records: Session[] }>('GET', '/v1/sessions', { headers: browser })).body.records;
    expect(seen).toMatchObject([{ sso_team_id: t.teamId, current: true }]);
    expect((await t.call('DELETE', '/v1/sessions', { headers: browser })).body).toEqual({ ended: 0 });
    expect((await t.call('GET', `/v1/teams/${other}/members`, { headers })).status).toBe(200);
    expect((await t.call('GET', `/v1/teams/${other}/members`, { headers: { 'x-user-token': token } })).status).toBe(200);
    expect((await t.call<{ records: Session[] }>('GET', '/v1/sessions', { headers })).body.records).toHaveLength(2);
  });

  it('meets no second factor of its Team, which the company has its own of', async () => {
    const { browser } = await signIn(person('Ida'));
    const { db } = t.service.services;
    await db.updateTable('teams').set({ mfa_required: true }).where('id', '=', t.teamId).execute();
    const plain = await addUser(t, 'member');
    const asked = (headers: Record<string, string>) => t.call('GET', `/v1/teams/${t.teamId}/members`, { headers });
    expect((await asked(browser)).status).toBe(200);
    expect((await asked({ 'x-user-token': plain.token })).status).toBe(403);
    await db.updateTable('teams').set({ mfa_required: false }).where('id', '=', t.teamId).execute();
  });

  it('is the only way in for everybody but owners, where the Team says so', async () => {
    await signIn(person('Any'));
    expect((await change({ sso_only: true })).status).toBe(200);
    const { browser } = await signIn(person('Ben'));
    const admin = await addUser(t, 'admin');
    const asked = (headers: Record<string, string>) => t.call<Refused>('GET', `/v1/teams/${t.teamId}/members`, { headers });
    expect((await asked(browser)).status).toBe(200);
    expect(await asked({ 'x-user-token': admin.token })).toMatchObject({
      status: 403,
      body: { code: 131084, message: expect.stringContaining('Sign in with your company') },
    });
    expect((await t.call('GET', `/v1/teams/${t.teamId}/api_keys`, { headers: { 'x-user-token': admin.token } })).status).toBe(403);
    expect((await asked({ 'x-user-token': t.userToken })).status).toBe(200);
    expect((await asked({ 'x-api-key': t.apiKey })).status).toBe(200);
    await change({});
  });

  it('ends with single sign-on, and with another client', async () => {
    const end = async (how: () => Promise<unknown>) => {
      await set();
      const { browser } = await signIn(person('Leo'));
      const asked = () => t.call('GET', '/v1/users/me', { headers: browser });
      expect((await asked()).status).toBe(200);
      await how();
      expect((await asked()).status).toBe(401);
    };
    await end(() => change({ enabled: false }));
    await end(() => set({ client_id: 'another' }));
    await end(() => asOwner('DELETE', '{team}/sso'));
    expect((await log())[0]).toMatchObject({ action: 'sso.removed' });
    await set();
  });
});

/** A sign-in by password of a program. */
async function program(userId: string) {
  const { db, tokens, now } = t.service.services;
  const { startProgramSession } = await import('#service/sessions/sessions.ts');
  const source = { userAgent: 'test', address: '127.0.0.1' };
  const { sessionId } = await startProgramSession(db, { userId, version: 1, source, byPasswordAlone: false, ssoTeamId: null, at: now() });
  return { headers: { 'x-user-token': await tokens.sign('user', { userId, version: 1, sessionId }) } };
}
