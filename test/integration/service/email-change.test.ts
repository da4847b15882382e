import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import { hashPassword } from '#service/accounts/passwords.ts';
import { newId } from '#service/ids.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addUser, emailConfirmationToken, passwordResetToken, putEmailChange, type TestUser } from '#test/support/service/users.ts';

const password = 'an old password';
const [hour, day] = [3_600_000, 24 * 3_600_000];

let at: TestService;
/** Moves the service's clock on. */
let clockOffset = 0;
beforeAll(async () => {
  at = await startTestService({
    limits: { signInsPerAddress: 10_000, refusalsPerAddress: 10_000 },
    now: () => new Date(Date.now() + clockOffset),
  });
});
afterAll(() => at?.close());

async function person(): Promise<TestUser> {
  const made = await addUser(at, 'member');
  await at.service.services.db
    .updateTable('users')
    .set({ password_hash: await hashPassword(password) })
    .where('id', '=', made.userId)
    .execute();
  return made;
}

const as = (token: string) => ({ 'x-user-token': token });
const ask = (who: TestUser, email: string, word = password) =>
  at.call<AuthResult['user']>('PUT', `/v1/users/${who.userId}/email`, { headers: as(who.token), body: { email, password: word } });
const resend = (who: TestUser) => at.call('POST', `/v1/users/${who.userId}/email/resend`, { headers: as(who.token) });
const cancel = (who: TestUser) => at.call('DELETE', `/v1/users/${who.userId}/email/pending`, { headers: as(who.token) });
const confirm = (token: string) => at.call('POST', `/v1/email_changes/${token}/confirm`);
const stateOf = async (who: TestUser, token = who.token) =>
  (await at.call<{ email: string; pending?: { email: string } }>('GET', `/v1/users/${who.userId}/email`, { headers: as(token) })).body;
const signIn = (email: string, word = password) => at.call<AuthResult>('POST', '/v1/auth', { body: { email, password: word } });
const works = async (token: string) => (await at.call('GET', '/v1/users/me', { headers: as(token) })).status;
const kindsTo = async (email: string) =>
  (await at.service.services.db.selectFrom('messages').select('kind').where('recipient', '=', email).orderBy('id').execute()).map(
    ({ kind }) => kind,
  );
const statesTo = async (email: string) =>
  (await at.service.services.db.selectFrom('messages').select('state').where('recipient', '=', email).execute()).map(({ state }) => state);
const audited = async (who: TestUser) =>
  (
    await at.service.services.db
      .selectFrom('audit_entries')
      .select(['action', 'details'])
      .where('actor_id', '=', who.userId)
      .where('action', 'in', ['user.email_change_asked', 'user.email_change_cancelled', 'user.email_changed'])
      .orderBy('id')
      .execute()
  ).map(({ action, details }) => [action, details]);
const wished = () => `Wished-${newId()}@example.com`;

describe('asking for another address', () => {
  it('changes nothing yet; mails a token to the new address and a notice to the present one', async () => {
    const mia = await person();
    const email = wished();
    const answer = await ask(mia, email);
    expect([answer.status, answer.body]).toMatchObject([200, { id: mia.userId, email: mia.email, level: 'member' }]);
    expect(await stateOf(mia)).toEqual({ email: mia.email, pending: { email, expires_at: expect.any(String) } });
    expect([await works(mia.token), (await signIn(email)).status]).toEqual([200, 401]);
    expect([await kindsTo(email), await kindsTo(mia.email)]).toEqual([['email_confirmation'], ['email_change_asked']]);
    expect(await audited(mia)).toEqual([['user.email_change_asked', { before: mia.email, after: email }]]);
    const token = await emailConfirmationToken(at, email);
    const tables = await sql<{ stored: string }>`
      select concat((select json_agg(t) from email_changes t)::text, (select json_agg(t) from messages t)::text,
        (select json_agg(t.data) from jobs.job t)::text) as stored`.execute(at.service.services.db);
    expect(tables.rows[0]!.stored).not.toContain(token);
  });

  it('refuses a wrong password, what is no address, and one that another has, in whatever case', async () => {
    const [mia, jonas] = [await person(), await person()];
    expect((await ask(mia, wished(), 'wrong')).status).toBe(401);
    expect((await ask(mia, 'new')).body).toMatchObject({ message: 'The field email must be an e-mail address.' });
    const taken = await ask(mia, jonas.email.toUpperCase());
    expect([taken.status, taken.body]).toMatchObject([409, { message: 'Another user has this e-mail address.' }]);
    expect(await stateOf(mia)).toEqual({ email: mia.email });
    expect(await kindsTo(mia.email)).toEqual([]);
  });

  it('mails five times in an hour at most, also at once, and where it is cancelled in between', async () => {
    const mia = await person();
    const email = wished();
    expect((await ask(mia, email)).status).toBe(200);
    await cancel(mia);
    const asked = await Promise.all(Array.from({ length: 4 }, () => ask(mia, email)));
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const again = await Promise.all([resend(mia), ask(mia, email)]);
    expect(again.map(({ status }) => status)).toEqual([429, 429]);
    expect(Number(again[0].headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(await kindsTo(email)).toHaveLength(5);
    clockOffset = hour + 1_000;
    expect((await resend(mia)).status).toBe(202);
    clockOffset = 0;
  });
});

describe('confirming it', () => {
  it('changes the address, ends every token and every password reset, and tells the address before', async () => {
    const mia = await person();
    const email = wished();
    await ask(mia, email);
    const reset = await passwordResetToken(at, mia.email);
    const token = await emailConfirmationToken(at, email);
    const done = await confirm(token);
    expect([done.status, done.body]).toEqual([204, null]);
    expect([await works(mia.token), (await signIn(mia.email)).status]).toEqual([401, 401]);
    const { body } = await signIn(email.toLowerCase());
    expect(await stateOf(mia, body.token)).toEqual({ email });
    expect((await at.call('POST', `/v1/auth/password_reset/${reset}`, { body: { password: 'of whoever reads it' } })).status).toBe(404);
    expect((await kindsTo(mia.email)).at(-1)).toBe('email_changed');
    expect((await audited(mia)).at(-1)).toEqual(['user.email_changed', { before: mia.email, after: email }]);
    expect((await confirm(token)).status).toBe(410);
  });

  it('is no GET, which mail programs make by themselves', async () => {
    const mia = await person();
    const email = wished();
    await ask(mia, email);
    const token = await emailConfirmationToken(at, email);
    await at.call('GET', '/email');
    expect((await at.call('GET', `/v1/email_changes/${token}/confirm`)).status).toBe(404);
    expect(await stateOf(mia)).toMatchObject({ email: mia.email, pending: { email } });
  });

  it('is shown before: which address it is for', async () => {
    const mia = await person();
    const email = wished();
    await ask(mia, email);
    const token = await emailConfirmationToken(at, email);
    const shown = (of: string) => at.call<{ email: string }>('GET', `/v1/email_changes/${of}`);
    expect(await shown(token)).toMatchObject({ status: 200, body: { email, expires_at: expect.any(String) } });
    expect(await stateOf(mia)).toMatchObject({ email: mia.email, pending: { email } });
    await confirm(token);
    expect((await shown(token)).status).toBe(410);
    expect((await shown('never-was-one')).status).toBe(404);
  });

  it('happens once, also when it is asked for at once', async () => {
    const mia = await person();
    const token = await putEmailChange(at, mia.userId);
    const statuses = (await Promise.all([1, 2, 3].map(() => confirm(token)))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([204, 410, 410]);
  });

  it('counts the newest mail only: another wish, another mail and cancelling end the token before', async () => {
    const mia = await person();
    const [first, second] = [wished(), wished()];
    await ask(mia, first);
    const tokens = [await emailConfirmationToken(at, first)];
    await ask(mia, second);
    tokens.push(await emailConfirmationToken(at, second));
    expect((await resend(mia)).status).toBe(202);
    tokens.push(await emailConfirmationToken(at, second));
    expect(new Set(tokens).size).toBe(3);
    const statuses = [(await confirm(tokens[0]!)).status, (await confirm(tokens[1]!)).status];
    expect((await cancel(mia)).status).toBe(204);
    expect([...statuses, (await confirm(tokens[2]!)).status]).toEqual([404, 404, 404]);
    expect(await stateOf(mia)).toEqual({ email: mia.email });
    expect([(await resend(mia)).status, (await cancel(mia)).status]).toEqual([404, 204]);
    expect((await audited(mia)).map(([action]) => action)).toEqual([
      'user.email_change_asked',
      'user.email_change_asked',
      'user.email_change_cancelled',
    ]);
  });

  it.each([
    [
      'chosen by who is signed in',
      (who: TestUser) =>
        at.call('POST', `/v1/users/${who.userId}/password`, {
          headers: as(who.token),
          body: { current_password: password, password: 'a new password' },
        }),
    ],
    [
      'chosen by a mail',
      async (who: TestUser) =>
        at.call('POST', `/v1/auth/password_reset/${await passwordResetToken(at, who.email)}`, { body: { password: 'a new password' } }),
    ],
  ])('is over with a new password, %s', async (_, change) => {
    const mia = await person();
    const token = await putEmailChange(at, mia.userId);
    expect((await change(mia)).status).toBe(204);
    expect((await confirm(token)).status).toBe(404);
    expect((await signIn(mia.email, 'a new password')).status).toBe(200);
  });

  it('is over after a day, and forgotten 30 days later', async () => {
    const mia = await person();
    const email = wished();
    await ask(mia, email);
    const token = await emailConfirmationToken(at, email);
    clockOffset = day + 1_000;
    expect((await confirm(token)).status).toBe(410);
    expect([(await resend(mia)).status, await stateOf(mia)]).toEqual([404, { email: mia.email }]);
    // A mail that still waits to be sent or withdrawn is not swept.
    await expect.poll(() => statesTo(email)).not.toContain('waiting');
    clockOffset = 32 * day;
    await runJob(at.service.services, 'accounts.sweep', {});
    clockOffset = 0;
    expect((await confirm(token)).status).toBe(404);
    expect(await kindsTo(email)).toEqual([]);
  });

  it('gives an address to one of two, and the other keeps what they have', async () => {
    const people = [await person(), await person()];
    const email = wished();
    const tokens = [];
    for (const { userId } of people) tokens.push(await putEmailChange(at, userId, email));
    const statuses = (await Promise.all(tokens.map(confirm))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([204, 409]);
    const late = people[statuses.indexOf(409)]!;
    expect([await works(late.token), (await stateOf(late)).email]).toEqual([200, late.email]);
  });

  it('may change the case of an address', async () => {
    const mia = await person();
    expect((await ask(mia, mia.email.toUpperCase())).status).toBe(200);
    expect((await confirm(await emailConfirmationToken(at, mia.email.toUpperCase()))).status).toBe(204);
    expect((await signIn(mia.email)).body.user.email).toBe(mia.email.toUpperCase());
  });
});
