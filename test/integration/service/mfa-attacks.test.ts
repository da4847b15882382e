import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import { resetMfa } from '#service/admin/users.ts';
import { newId } from '#service/ids.ts';
import { totpCode } from '#service/mfa/totp.ts';
import { lightHash } from '#test/support/service/light-hash.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';
import { eventually } from '#test/support/system/processes.ts';

/** Second factors, as a thief of the password meets them. */

let at: TestService;
let clockOffset = 0;
beforeAll(async () => {
  at = await startTestService({
    limits: { signInsPerAddress: 10_000, refusalsPerAddress: 10_000 },
    now: () => new Date(Date.now() + clockOffset),
  });
});
afterAll(() => at?.close());
/** A code is good once, so tests go on to the next. */
const nextStep = () => {
  clockOffset += 30_000;
};
beforeEach(nextStep);

const password = 'chosen by herself';
const db = () => at.service.services.db;
const codeNow = (secret: string) => totpCode(secret, new Date(Date.now() + clockOffset));
const auth = (email: string, more: object = {}, headers: Record<string, string> = {}) =>
  at.call<AuthResult & { code?: number }>('POST', '/v1/auth', { body: { email, password, ...more }, headers });

async function person() {
  const { userId, email } = await addUser(at, 'owner', await addTeam(at, `Team ${newId()}`));
  await db()
    .updateTable('users')
    .set({ password_hash: await lightHash(password) })
    .where('id', '=', userId)
    .execute();
  return { userId, email, headers: { 'x-user-token': (await auth(email)).body.token } };
}
type Person = Awaited<ReturnType<typeof person>>;

const begin = async ({ headers }: Pick<Person, 'headers'>) =>
  (await at.call<{ secret: string }>('POST', '/v1/mfa/totp', { headers, body: { password } })).body.secret;
const confirm = ({ headers }: Pick<Person, 'headers'>, secret: string) =>
  at.call<{ recovery_codes: string[] }>('POST', '/v1/mfa/totp/confirm', { headers, body: { code: codeNow(secret) } });

async function withTotp(who?: Person) {
  const owner = who ?? (await person());
  const secret = await begin(owner);
  const { body } = await confirm(owner, secret);
  nextStep();
  return { ...owner, secret, recovery: body.recovery_codes };
}

const guesses = async (email: string, count: number, headers: Record<string, string> = {}) => {
  const statuses: number[] = [];
  for (let i = 0; i < count; i += 1) statuses.push((await auth(email, { code: '000000' }, headers)).status);
  return statuses;
};

describe('a recovery code', () => {
  it('lets one of twenty calls in that come at once', async () => {
    const { email, recovery } = await withTotp();
    const answers = await Promise.all(Array.from({ length: 20 }, () => auth(email, { code: recovery[0] })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401 || status === 429)).toHaveLength(19);
  });
});

describe('devices that signed in by the password before there was a second factor', () => {
  it('share one limit for wrong codes with everybody else', async () => {
    const who = await person();
    const devices = Array.from({ length: 3 }, (_, index) => ({ 'x-device-secret': `a device of the thief ${index}` }));
    for (const device of devices) expect((await auth(who.email, {}, device)).status).toBe(200);
    await withTotp(who);
    const statuses = [];
    for (const device of devices) statuses.push(...(await guesses(who.email, 10, device)));
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(20).fill(429)]);
  });

  it('have limits of their own once they have shown a code', async () => {
    const { email, secret } = await withTotp();
    const device = { 'x-device-secret': 'the phone of the owner' };
    expect((await auth(email, { code: codeNow(secret) }, device)).status).toBe(200);
    nextStep();
    await guesses(email, 11, { 'x-device-secret': 'a device of the thief' });
    expect((await auth(email, { code: codeNow(secret) }, device)).status).toBe(200);
  });
});

describe('an operator who removes all factors', () => {
  it('ends sessions, codes, and what was counted of wrong codes', async () => {
    const who = await withTotp();
    const signedIn = { headers: { 'x-user-token': (await auth(who.email, { code: codeNow(who.secret) })).body.token } };
    nextStep();
    expect(await guesses(who.email, 11, { 'x-device-secret': 'a device of the thief' })).toContain(429);
    await resetMfa(db(), who.email, new Date(Date.now() + clockOffset));
    at.service.services.credentials.invalidateUser(who.userId);
    expect((await at.call('GET', '/v1/users/me', signedIn)).status).toBe(401);

    const again = { ...who, headers: { 'x-user-token': (await auth(who.email)).body.token } };
    const { secret } = await withTotp(again);
    expect((await auth(who.email, { code: who.recovery[0] }, { 'x-device-secret': 'a new phone, not known' })).status).toBe(401);
    expect((await auth(who.email, { code: codeNow(secret) }, { 'x-device-secret': 'a new phone, not known' })).status).toBe(200);
  });
});

const sessionsHeld = 131_081;

/** From now on a session of this user begins once nobody holds the lock `sessionsHeld`. */
async function holdNewSessions(userId: string): Promise<void> {
  await sql`
    create or replace function wait_for_test() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(${sql.lit(sessionsHeld)});
      return new;
    end $$`.execute(db());
  await sql`
    create or replace trigger wait_for_test before insert on sessions
    for each row when (new.user_id = ${sql.lit(userId)}) execute function wait_for_test()`.execute(db());
}

describe('a sign-in by the password alone', () => {
  it.each([
    ['of a program', () => ({ path: '/v1/auth', headers: {} })],
    ['of a browser', () => ({ path: '/v1/sessions', headers: { 'x-longshore-page': '1', 'sec-fetch-site': 'same-origin' } })],
  ])('%s begins nothing once the first factor is there, also where both happen at once', async (_, whence) => {
    const who = await person();
    const secret = await begin(who);
    const { path, headers } = whence();
    await holdNewSessions(who.userId);
    const signedIn = await db()
      .connection()
      .execute(async (holder) => {
        await sql`select pg_advisory_lock(${sessionsHeld})`.execute(holder);
        const answer = at.call<{ code?: number }>('POST', path, { headers, body: { email: who.email, password } });
        try {
          // It has read what it judges by: at that time there is no factor.
          await eventually('the sign-in waits', async () => {
            const { rows } = await sql`
              select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`.execute(db());
            return rows.length > 0;
          });
          expect((await confirm(who, secret)).status).toBe(200);
        } finally {
          await sql`select pg_advisory_unlock(${sessionsHeld})`.execute(holder);
        }
        return answer;
      });
    expect(await signedIn).toMatchObject({ status: 401, body: { code: 131081 } });
    const left = await db().selectFrom('sessions').select('id').where('user_id', '=', who.userId).execute();
    expect(left).toHaveLength(1);
  });
});
