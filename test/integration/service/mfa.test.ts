import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import type { Mfa } from '#protocol/hosted/mfa.ts';
import { newId } from '#service/ids.ts';
import { totpCode } from '#service/mfa/totp.ts';
import { lightHash } from '#test/support/service/light-hash.ts';
import { softwarePasskey } from '#test/support/service/software-passkey.ts';
import { startTestService, type TestAnswer, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

let at: TestService;
/** Moves the service's clock on: a code is good once, so tests go on to the next. */
let clockOffset = 0;
beforeAll(async () => {
  at = await startTestService({
    limits: { signInsPerAddress: 10_000, refusalsPerAddress: 10_000 },
    now: () => new Date(Date.now() + clockOffset),
  });
});
afterAll(() => at?.close());
const nextStep = () => {
  clockOffset += 30_000;
};
beforeEach(nextStep);

const password = 'chosen by herself';
const page = { 'x-longshore-page': '1', 'sec-fetch-site': 'same-origin' };
const wrong = { code: 131082 };
const required = { code: 131081 };
const db = () => at.service.services.db;

interface Person {
  readonly userId: string;
  readonly email: string;
  readonly team: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function person(): Promise<Person> {
  const team = await addTeam(at, `Team ${newId()}`);
  const { userId, email } = await addUser(at, 'owner', team);
  await db()
    .updateTable('users')
    .set({ password_hash: await lightHash(password) })
    .where('id', '=', userId)
    .execute();
  return { userId, email, team, headers: await signedIn(email) };
}

const auth = (email: string, more: object = {}, headers: Record<string, string> = {}) =>
  at.call<AuthResult & { code?: number; message?: string }>('POST', '/v1/auth', { body: { email, password, ...more }, headers });
const signedIn = async (email: string, more: object = {}) => ({ 'x-user-token': (await auth(email, more)).body.token });
const ask = <T = { code?: number }>(
  { headers }: Pick<Person, 'headers'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<TestAnswer<T>> => at.call<T>(method, path, { headers, ...(body !== undefined && { body }) });
const codeNow = (secret: string) => totpCode(secret, new Date(Date.now() + clockOffset));
const mfaOf = async (who: Pick<Person, 'headers'>) => (await ask<Mfa>(who, 'GET', '/v1/mfa')).body;
const mailsTo = async (email: string) =>
  (await db().selectFrom('messages').select('kind').where('recipient', '=', email).orderBy('id').execute()).map(({ kind }) => kind);

async function withTotp(): Promise<Person & { readonly secret: string; readonly recovery: readonly string[] }> {
  const who = await person();
  const { secret } = (await ask<{ secret: string }>(who, 'POST', '/v1/mfa/totp', { password })).body;
  const confirmed = await ask<{ recovery_codes: string[] }>(who, 'POST', '/v1/mfa/totp/confirm', { code: codeNow(secret) });
  expect(confirmed.status).toBe(200);
  nextStep();
  return { ...who, secret, recovery: confirmed.body.recovery_codes };
}

async function withPasskey(passkey = softwarePasskey()) {
  const who = await person();
  const { options } = (await ask<{ options: Record<string, unknown> }>(who, 'POST', '/v1/mfa/passkeys/challenge', { password })).body;
  const response = passkey.create(options, at.url);
  const added = await ask<{ passkey: { id: string }; recovery_codes: string[] }>(who, 'POST', '/v1/mfa/passkeys', {
    name: 'Laptop',
    response,
  });
  return { ...who, passkey, options, response, added };
}
const challenge = async () => (await at.call<{ options: Record<string, unknown> }>('POST', '/v1/sessions/passkey/challenge')).body.options;
const openByPasskey = (passkey: unknown, headers: Record<string, string> = page) =>
  at.call<{ user: { email: string } }>('POST', '/v1/sessions/passkey', { headers, body: { passkey } });

describe('an authenticator app', () => {
  it('is asked for by sign-in once a code of it was shown, and each code is good once', async () => {
    const who = await person();
    const begun = await ask<{ secret: string; uri: string }>(who, 'POST', '/v1/mfa/totp', { password });
    expect(begun.body.uri).toMatch(/^otpauth:\/\/totp\/Longshore%20127\.0\.0\.1.*secret=[A-Z2-7]{32}/);
    // Not confirmed: nobody is locked out by a code that was never scanned.
    expect((await auth(who.email)).status).toBe(200);
    const code = codeNow(begun.body.secret);
    const confirmed = await ask<{ recovery_codes: string[] }>(who, 'POST', '/v1/mfa/totp/confirm', { code });
    expect(confirmed.body.recovery_codes).toHaveLength(10);
    const asked = await auth(who.email);
    expect([asked.status, asked.body]).toEqual([
      401,
      { code: 131081, message: 'This account asks for a second proof besides the password. It has: totp, recovery_code.' },
    ]);
    expect(await auth(who.email, { code })).toMatchObject({ status: 401, body: wrong });
    nextStep();
    const next = codeNow(begun.body.secret);
    expect((await auth(who.email, { code: `${next.slice(0, 3)} ${next.slice(3)}` })).status).toBe(200);
    expect(await auth(who.email, { code: next })).toMatchObject({ status: 401, body: wrong });
    expect(await mfaOf(who)).toEqual({ enabled: true, totp: true, passkeys: [], recovery_codes_left: 10 });
    expect(await mailsTo(who.email)).toEqual(['factor_added']);
  });

  it('is good for one of two calls that come at once', async () => {
    const { email, secret } = await withTotp();
    const code = codeNow(secret);
    const both = await Promise.all([auth(email, { code }), auth(email, { code })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  it('has its secret sealed, and recovery codes as hashes', async () => {
    const { userId, secret, recovery } = await withTotp();
    const row = await db().selectFrom('totp_secrets').selectAll().where('user_id', '=', userId).executeTakeFirstOrThrow();
    expect(row.sealed!.includes(secret)).toBe(false);
    const stored = await db().selectFrom('recovery_codes').select('code_hash').where('user_id', '=', userId).execute();
    expect(stored.some(({ code_hash }) => recovery.some((code) => code_hash.includes(code)))).toBe(false);
  });

  it('ends the sessions that a stolen password may have begun', async () => {
    const who = await person();
    const thief = { headers: await signedIn(who.email) };
    const { secret } = (await ask<{ secret: string }>(who, 'POST', '/v1/mfa/totp', { password })).body;
    await ask(who, 'POST', '/v1/mfa/totp/confirm', { code: codeNow(secret) });
    expect((await ask(thief, 'GET', '/v1/users/me')).status).toBe(401);
    expect((await ask(who, 'GET', '/v1/users/me')).status).toBe(200);
  });

  it('is added, replaced and removed only by who proves themselves anew', async () => {
    const who = await withTotp();
    expect(await ask(who, 'POST', '/v1/mfa/totp', { password: 'stolen token' })).toMatchObject({ status: 401, body: { code: 131075 } });
    expect(await ask(who, 'POST', '/v1/mfa/totp', { password })).toMatchObject({ status: 401, body: required });
    expect(await ask(who, 'POST', '/v1/mfa/passkeys/challenge', { password })).toMatchObject({ status: 401, body: required });
    expect(await ask(who, 'POST', '/v1/mfa/recovery_codes', { password })).toMatchObject({ status: 401, body: required });
    expect(await ask(who, 'POST', '/v1/mfa/totp/remove', { password })).toMatchObject({ status: 401, body: required });
    const mine = `/v1/users/${who.userId}`;
    expect(await ask(who, 'PUT', `${mine}/email`, { email: 'thief@example.com', password })).toMatchObject({ status: 401, body: required });
    const change = { current_password: password, password: 'another password' };
    expect(await ask(who, 'POST', `${mine}/password`, change)).toMatchObject({ status: 401, body: required });

    // The app in use counts until the new one is confirmed.
    const { secret } = (await ask<{ secret: string }>(who, 'POST', '/v1/mfa/totp', { password, code: codeNow(who.secret) })).body;
    nextStep();
    expect((await auth(who.email, { code: codeNow(secret) })).status).toBe(401);
    expect((await auth(who.email, { code: codeNow(who.secret) })).status).toBe(200);
    expect((await ask(who, 'POST', '/v1/mfa/totp/confirm', { code: codeNow(secret) })).body).toEqual({ recovery_codes: [] });
    nextStep();
    expect((await auth(who.email, { code: codeNow(who.secret) })).status).toBe(401);
    expect((await ask(who, 'POST', '/v1/mfa/totp/remove', { password, code: codeNow(secret) })).status).toBe(204);
    expect((await auth(who.email)).status).toBe(200);
    expect(await mfaOf(who)).toEqual({ enabled: false, totp: false, passkeys: [], recovery_codes_left: 0 });
    expect(await mailsTo(who.email)).toEqual(['factor_added', 'factor_added', 'factor_removed']);
    nextStep();
    expect((await ask(who, 'POST', `${mine}/password`, change)).status).toBe(204);
  });

  it('is not confirmed after a quarter of an hour', async () => {
    const who = await person();
    const { secret } = (await ask<{ secret: string }>(who, 'POST', '/v1/mfa/totp', { password })).body;
    clockOffset += 15 * 60_000;
    expect((await ask(who, 'POST', '/v1/mfa/totp/confirm', { code: codeNow(secret) })).status).toBe(409);
  });

  it('cannot be guessed by who knows the password: neither their codes nor their address get limits of their own', async () => {
    const { email, secret } = await withTotp();
    const statuses = [];
    for (let i = 0; i < 11; i += 1) statuses.push((await auth(email, { code: 'aaaaaa' })).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    // Not even the right one is tried any more, and the password alone was never enough to become a known device.
    expect((await auth(email, { code: codeNow(secret) }, { 'x-device-secret': 'the thief’s own device'.replace('’', "'") })).status).toBe(
      429,
    );
  });
});

describe('a recovery code', () => {
  it('stands in for a lost factor, once, however it is typed', async () => {
    const who = await withTotp();
    const [first, second] = who.recovery;
    expect((await auth(who.email, { code: first!.toUpperCase().replaceAll('-', ' ') })).status).toBe(200);
    expect(await auth(who.email, { code: first })).toMatchObject({ status: 401, body: wrong });
    expect((await mfaOf(who)).recovery_codes_left).toBe(9);
    // Of another person it is worth nothing.
    const other = await withTotp();
    expect((await auth(other.email, { code: second })).status).toBe(401);
    const fresh = await ask<{ recovery_codes: string[] }>(who, 'POST', '/v1/mfa/recovery_codes', { password, code: codeNow(who.secret) });
    expect(fresh.body.recovery_codes).toHaveLength(10);
    expect((await auth(who.email, { code: second })).status).toBe(401);
    expect((await auth(who.email, { code: fresh.body.recovery_codes[0] })).status).toBe(200);
  });

  it('is not made without a factor', async () => {
    expect((await ask(await person(), 'POST', '/v1/mfa/recovery_codes', { password })).status).toBe(409);
  });
});

describe('a passkey', () => {
  it('signs in without a password, on the pages of the service alone', async () => {
    const { email, passkey, added, ...who } = await withPasskey();
    expect(added).toMatchObject({ status: 200, body: { passkey: { name: 'Laptop' } } });
    expect(added.body.recovery_codes).toHaveLength(10);
    expect(await auth(email)).toMatchObject({ status: 401, body: required });
    const opened = await openByPasskey(passkey.prove(await challenge(), at.url));
    expect(opened).toMatchObject({ status: 200, body: { user: { email } } });
    expect(opened.headers.get('set-cookie')).toMatch(/^__Host-longshore=/);
    expect((await openByPasskey(passkey.prove(await challenge(), at.url), {})).status).toBe(400);
    expect((await mfaOf(who)).passkeys).toMatchObject([{ name: 'Laptop' }]);
  });

  it('is the second factor of a change, which a passkey of somebody else is not', async () => {
    const who = await withPasskey();
    const other = await withPasskey();
    const path = `/v1/mfa/passkeys/${who.added.body.passkey.id}/remove`;
    const proof = async ({ passkey }: typeof who) => ({ password, passkey: passkey.prove(await challenge(), at.url) });
    expect(await ask(who, 'POST', path, await proof(other))).toMatchObject({ status: 401, body: wrong });
    expect((await ask(other, 'POST', path, await proof(other))).status).toBe(404);
    expect((await ask(who, 'POST', path, await proof(who))).status).toBe(204);
    expect((await auth(who.email)).status).toBe(200);
  });

  it('is refused when its proof is played again, is of another page, or does not ask for its owner', async () => {
    const { passkey } = await withPasskey(softwarePasskey({ counts: false }));
    const proof = passkey.prove(await challenge(), at.url);
    expect((await openByPasskey(proof)).status).toBe(200);
    expect((await openByPasskey(proof)).status).toBe(401);
    expect((await openByPasskey(passkey.prove(await challenge(), 'https://phish.example.com'))).status).toBe(401);
    expect((await openByPasskey(passkey.prove({ challenge: 'bWFkZSB1cA' }, at.url))).status).toBe(401);
    const old = await challenge();
    clockOffset += 5 * 60_000 + 1_000;
    expect((await openByPasskey(passkey.prove(old, at.url))).status).toBe(401);
    const careless = await withPasskey(softwarePasskey({ verifies: false }));
    expect(careless.added.status).toBe(401);
  });

  it('is added by the options of its own user, once', async () => {
    const who = await withPasskey();
    const other = await person();
    const add = (by: Person, response: unknown) => ask(by, 'POST', '/v1/mfa/passkeys', { name: 'Again', response });
    expect((await add(who, who.response)).status).toBe(401);
    expect((await add(other, softwarePasskey().create(who.options, at.url))).status).toBe(401);
    // The challenge of a sign-in, which anybody can ask for, adds nothing.
    expect((await add(other, softwarePasskey().create(await challenge(), at.url))).status).toBe(401);
  });
});

describe('a Team that asks its members for a second factor', () => {
  it('lets a member without one do nothing but enrol; API keys go on', async () => {
    const who = await person();
    const key = await ask<{ id: string; key: string }>(who, 'POST', `/v1/teams/${who.team}/api_keys`, { name: 'Farm', state: 'active' });
    // Whoever demands one has one.
    expect(await ask(who, 'PUT', `/v1/teams/${who.team}`, { mfa_required: true })).toMatchObject({ status: 409 });
    await db().updateTable('users').set({ mfa_since: new Date() }).where('id', '=', who.userId).execute();
    expect(await ask(who, 'PUT', `/v1/teams/${who.team}`, { mfa_required: true })).toMatchObject({
      status: 200,
      body: { mfa_required: true },
    });
    await db().updateTable('users').set({ mfa_since: null }).where('id', '=', who.userId).execute();
    const calls = [
      ['GET', `/v1/teams/${who.team}/packages`],
      ['GET', `/v1/teams/${who.team}/members`],
      ['GET', `/v1/teams/${who.team}/api_keys`],
      ['PUT', `/v1/api_keys/${key.body.id}/inactive`],
    ] as const;
    for (const [method, path] of calls) expect(await ask(who, method, path), path).toMatchObject({ status: 403, body: { code: 131083 } });
    expect((await at.call('GET', `/v1/teams/${who.team}/packages`, { headers: { 'x-api-key': key.body.key } })).status).toBe(200);
    expect((await ask(who, 'GET', '/v1/users/me')).status).toBe(200);
    const { secret } = (await ask<{ secret: string }>(who, 'POST', '/v1/mfa/totp', { password })).body;
    expect((await ask(who, 'POST', '/v1/mfa/totp/confirm', { code: codeNow(secret) })).status).toBe(200);
    expect((await ask(who, 'GET', `/v1/teams/${who.team}/packages`)).status).toBe(200);
  });
});
