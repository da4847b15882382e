import { readdir, readFile } from 'node:fs/promises';
import { join as pathOf } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import { resetPassword } from '#service/admin/users.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { parseMail } from '#test/support/service/mail-server.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addUser, emailConfirmationToken, passwordResetToken, type TestUser } from '#test/support/service/users.ts';
import { eventually } from '#test/support/system/processes.ts';

let at: TestService;
/** Moves the service's clock on. */
let clockOffset = 0;
beforeAll(async () => {
  at = await startTestService({
    limits: { signInsPerAddress: 10_000, passwordResetsPerAddress: 10_000 },
    now: () => new Date(Date.now() + clockOffset),
  });
});
afterAll(() => at?.close());

const hour = 3_600_000;
const newPassword = 'chosen anew by herself';
const as = (token: string) => ({ 'x-user-token': token });
const ask = (email: string, headers = {}) => at.call('POST', '/v1/auth/password_reset', { body: { email }, headers });
const choose = (token: string, password = newPassword) => at.call('POST', `/v1/auth/password_reset/${token}`, { body: { password } });
const signIn = (email: string, password: string) => at.call<AuthResult>('POST', '/v1/auth', { body: { email, password } });
const me = async (who: TestUser) => (await at.call('GET', '/v1/users/me', { headers: as(who.token) })).status;
const mailsTo = (email: string) =>
  at.service.services.db.selectFrom('messages').selectAll().where('recipient', '=', email).orderBy('id').execute();
const kindsTo = async (email: string) => (await mailsTo(email)).map(({ kind }) => kind);

async function letter(messageId: string) {
  const folder = pathOf(at.dataDir, 'outbox');
  await eventually('a letter', async () => (await readdir(folder).catch((): string[] => [])).includes(`${messageId}.eml`));
  return parseMail(await readFile(pathOf(folder, `${messageId}.eml`), 'utf8'));
}

/** With a password that she has forgotten but one test. */
async function mia(): Promise<TestUser> {
  const who = await addUser(at, 'admin');
  expect((await choose(await passwordResetToken(at, who.email), 'her first password')).status).toBe(204);
  const { body } = await signIn(who.email, 'her first password');
  await at.service.services.db.deleteFrom('messages').where('recipient', '=', who.email).execute();
  return { ...who, token: body.token };
}

describe('asking', () => {
  it('answers the same whether there is such a user, and looks nobody up before the answer', async () => {
    const who = await mia();
    const { db } = at.service.services;
    const answers = [await ask(who.email), await ask('nobody-at-all@example.com'), await ask(who.email.toUpperCase())];
    for (const { status, body, headers } of answers) {
      expect([status, body, [...headers.keys()]]).toEqual([202, {}, [...answers[0]!.headers.keys()]]);
    }
    const jobs = await sql<{ count: number }>`
      select count(*)::integer as count from jobs.job where name = 'accounts.password_reset' and data->>'email' in
      (${who.email}, ${who.email.toUpperCase()}, 'nobody-at-all@example.com')`.execute(db);
    expect(jobs.rows).toEqual([{ count: 3 }]);
    await eventually('both are mailed', async () => (await mailsTo(who.email)).length === 2);
    expect(await mailsTo('nobody-at-all@example.com')).toEqual([]);
  });

  it('mails a way that is good for an hour, in the language of who asks; its token is kept nowhere', async () => {
    const who = await mia();
    await ask(who.email, { 'accept-language': 'de' });
    await eventually('a message', async () => (await mailsTo(who.email)).length === 1);
    const [message] = await mailsTo(who.email);
    const mail = await letter(message!.id);
    const token = at.service.services.mailedTokens.of(message!.id);
    expect(mail.headers.get('subject')).toBe('Neues Passwort wählen');
    expect(mail.text).toContain(`${at.url}/password#${token}`);
    expect(mail.html).toContain(`href="${at.url}/password#${token}"`);
    const tables = await sql<{ stored: string }>`
      select concat((select json_agg(t) from password_resets t)::text, (select json_agg(t) from messages t)::text,
        (select json_agg(t.data) from jobs.job t)::text) as stored`.execute(at.service.services.db);
    expect(tables.rows[0]!.stored).not.toContain(token);
  });

  it('mails at most three in an hour, also for concurrent requests', async () => {
    const who = await mia();
    const forgotten = () => runJob(at.service.services, 'accounts.password_reset', { email: who.email, language: 'en' });
    await Promise.all(Array.from({ length: 8 }, forgotten));
    expect(await kindsTo(who.email)).toEqual(['password_reset', 'password_reset', 'password_reset']);
    clockOffset = hour + 1_000;
    await forgotten();
    expect(await mailsTo(who.email)).toHaveLength(4);
    clockOffset = 0;
  });

  it('too often from one address is refused, for whatever account', async () => {
    const strict = await startTestService({ limits: { passwordResetsPerAddress: 2 } });
    try {
      const statuses: number[] = [];
      for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) {
        statuses.push((await strict.call('POST', '/v1/auth/password_reset', { body: { email } })).status);
      }
      expect(statuses).toEqual([202, 202, 429]);
    } finally {
      await strict.close();
    }
  });
});

describe('choosing a new password', () => {
  it('ends all sessions, the old password and every other reset, and is confirmed by mail', async () => {
    const who = await mia();
    const [first, second] = [await passwordResetToken(at, who.email), await passwordResetToken(at, who.email)];
    const done = await choose(second);
    expect([done.status, done.body]).toEqual([204, null]);
    expect(await me(who)).toBe(401);
    expect((await signIn(who.email, 'her first password')).status).toBe(401);
    expect((await signIn(who.email, newPassword)).status).toBe(200);
    expect([(await choose(first)).status, (await choose(second)).status]).toEqual([404, 410]);
    const messages = await mailsTo(who.email);
    expect(messages.map(({ kind }) => kind)).toEqual(['password_reset', 'password_changed']);
    const mail = await letter(messages[1]!.id);
    expect(mail.headers.get('subject')).toBe('Your password was changed');
    expect(mail.text).toContain(who.email);
    expect(mail.text).toContain(`${at.url}/password\n`);
    expect(mail.text + mail.html).not.toContain(newPassword);
  });

  it('works once, also when it is asked for twice at once', async () => {
    const who = await mia();
    const token = await passwordResetToken(at, who.email);
    const answers = await Promise.all([1, 2, 3].map((n) => choose(token, `password number ${n}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 410, 410]);
    const again = await choose(token);
    expect(again.body).toMatchObject({ message: expect.stringContaining('used already') });
  });

  it('beside a change of the password by who is signed in: one of them goes through, and both end', async () => {
    for (let n = 0; n < 5; n++) {
      const who = await mia();
      const token = await passwordResetToken(at, who.email);
      const change = at.call('POST', `/v1/users/${who.userId}/password`, {
        headers: as(who.token),
        body: { current_password: 'her first password', password: 'changed by hand' },
      });
      const statuses = (await Promise.all([choose(token), change])).map(({ status }) => status);
      expect([204, 404]).toContain(statuses[0]);
      expect([204, 401]).toContain(statuses[1]);
      expect(statuses).toContain(204);
    }
  });

  it('is over after an hour', async () => {
    const token = await passwordResetToken(at, (await mia()).email);
    clockOffset = hour + 1_000;
    const over = await choose(token);
    expect([over.status, over.body]).toMatchObject([410, { message: 'This way to a new password has expired. Ask for a new one.' }]);
    clockOffset = 0;
    expect((await choose(token)).status).toBe(204);
  });

  it('needs a token that was mailed and a password that is one', async () => {
    const token = await passwordResetToken(at, (await mia()).email);
    expect((await choose('never-was-one')).status).toBe(404);
    const short = await choose(token, 'short');
    expect([short.status, short.body]).toMatchObject([400, { message: expect.stringContaining('The field password') }]);
    expect((await choose(token)).status).toBe(204);
  });
});

describe('what was mailed ends', () => {
  const cases: Readonly<Record<string, (who: TestUser) => Promise<unknown>>> = {
    'when the password is changed by who is signed in': (who) =>
      at.call('POST', `/v1/users/${who.userId}/password`, {
        headers: as(who.token),
        body: { current_password: 'her first password', password: 'changed by hand' },
      }),
    'when the operator gives a password': (who) => resetPassword(at.service.services.db, who.email, 'given by the operator', new Date()),
  };

  it.each(Object.entries(cases))('%s', async (_, change) => {
    const who = await mia();
    const token = await passwordResetToken(at, who.email);
    await change(who);
    expect((await choose(token)).status).toBe(404);
  });
});

it('a change of address is mailed to the previous address, and a change of password too', async () => {
  const who = await mia();
  const changed = await at.call('PUT', `/v1/users/${who.userId}/email`, {
    headers: { ...as(who.token), 'accept-language': 'de-CH' },
    body: { email: `new-${who.email}`, password: 'her first password' },
  });
  expect(changed.status).toBe(200);
  const token = await emailConfirmationToken(at, `new-${who.email}`);
  expect((await at.call('POST', `/v1/email_changes/${token}/confirm`, { headers: { 'accept-language': 'de-CH' } })).status).toBe(204);
  const [asked, told] = await mailsTo(who.email);
  const notice = await letter(asked!.id);
  expect(notice.headers.get('subject')).toBe('Eine andere E-Mail-Adresse wurde gewünscht');
  expect(notice.text + notice.html).not.toContain(`new-${who.email}`);
  const mail = await letter(told!.id);
  expect(mail.headers.get('subject')).toBe('Die E-Mail-Adresse Ihres Kontos wurde geändert');
  expect(mail.text + mail.html).not.toContain(`new-${who.email}`);
  const [confirmation] = await mailsTo(`new-${who.email}`);
  const confirming = await letter(confirmation!.id);
  expect(confirming.text).toContain(`${at.url}/email#${token}`);
  expect(confirming.text + confirming.html).not.toMatch(new RegExp(`(?<!new-)${who.email}`));

  const { body } = await signIn(`new-${who.email}`, 'her first password');
  await at.call('POST', `/v1/users/${who.userId}/password`, {
    headers: as(body.token),
    body: { current_password: 'her first password', password: 'changed by hand' },
  });
  expect(await kindsTo(`new-${who.email}`)).toEqual(['email_confirmation', 'password_changed']);
});

it('a signed-in user can find out of ten addresses at most whether they have a user', async () => {
  const who = await mia();
  const change = (email: string) =>
    at.call('PUT', `/v1/users/${who.userId}/email`, { headers: as(who.token), body: { email, password: 'her first password' } });
  const others = await Promise.all(Array.from({ length: 11 }, () => addUser(at, 'guest')));
  const statuses: number[] = [];
  for (const { email } of others) statuses.push((await change(email)).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 409), 429]);
  expect((await at.call('GET', '/v1/users/me', { headers: as(who.token) })).body).toMatchObject({ user: { email: who.email } });
});
