import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account, AuthResult } from '#protocol/hosted/accounts.ts';
import type { Session } from '#protocol/hosted/sessions.ts';
import { limits } from '#protocol/limits.ts';
import { newId } from '#service/ids.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { accept, addTeam, addUser } from '#test/support/service/users.ts';
import { eventually } from '#test/support/system/processes.ts';

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

const day = 24 * 3_600_000;
/** As a page of the service sends its calls. */
const page = { 'x-longshore-page': '1', 'sec-fetch-site': 'same-origin' };
const password = 'chosen by herself';

interface Browser {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A person with a password, in a Team of her own. */
async function person(): Promise<string> {
  const team = await addTeam(at, 'A Team');
  const owner = await addUser(at, 'owner', team);
  const email = `mia-${newId()}@example.com`;
  const invited = await at.call<{ id: string }>('POST', `/v1/teams/${team}/members`, {
    headers: { 'x-user-token': owner.token },
    body: { email, role: 'member' },
  });
  const accepted = await accept(at, invited.body.id, { name: 'Mia', password });
  // To accept is a sign-in, too.
  expect((await at.call('DELETE', '/v1/sessions', { headers: { 'x-user-token': accepted.body.token } })).body).toEqual({ ended: 0 });
  await at.service.services.db.deleteFrom('sessions').where('user_id', '=', accepted.body.user.id).execute();
  return email;
}

const open = (email: string, headers: Record<string, string> = page, secret = password) =>
  at.call<{ session_id: string; token?: string }>('POST', '/v1/sessions', { headers, body: { email, password: secret } });

async function browser(email: string, agent = 'Mozilla/5.0'): Promise<Browser> {
  const { status, headers, body } = await open(email, { ...page, 'user-agent': agent });
  expect(status).toBe(200);
  const [cookie] = headers.get('set-cookie')!.split(';');
  return { id: body.session_id, headers: { ...page, cookie: cookie! } };
}

async function program(email: string): Promise<{ readonly headers: Record<string, string> }> {
  const { body } = await at.call<AuthResult>('POST', '/v1/auth', { headers: { 'user-agent': 'longshore/1' }, body: { email, password } });
  return { headers: { 'x-user-token': body.token } };
}

const who = ({ headers }: Pick<Browser, 'headers'>) => at.call<Account>('GET', '/v1/users/me', { headers });
const list = async ({ headers }: Pick<Browser, 'headers'>) =>
  (await at.call<{ records: Session[] }>('GET', '/v1/sessions', { headers })).body.records;

describe('a browser’s session', () => {
  it('signs in by a cookie that scripts cannot read, and answers no token', async () => {
    const email = await person();
    const answer = await open(email);
    expect(answer.body).toMatchObject({ user: { email }, teams: [{ name: 'A Team' }] });
    expect(answer.body.token).toBeUndefined();
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-longshore=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const [cookie] = answer.headers.get('set-cookie')!.split(';');
    expect((await who({ headers: { ...page, cookie: cookie! } })).body.user.email).toBe(email);
  });

  it('stands for nobody in calls of other pages, or of programs', async () => {
    const { headers } = await browser(await person());
    const { cookie } = headers;
    const others: Record<string, string>[] = [
      {},
      { 'x-longshore-page': '1', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-origin' },
    ];
    for (const other of others) {
      expect(await who({ headers: { ...other, cookie: cookie! } })).toMatchObject({
        status: 401,
        body: { message: expect.stringContaining('user token') },
      });
    }
  });

  it('is not begun by other pages or programs', async () => {
    const email = await person();
    for (const headers of [{}, { ...page, 'sec-fetch-site': 'same-site' }]) {
      const answer = await open(email, headers as Record<string, string>);
      expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('POST /v1/auth') } });
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    expect(await open(email, page, 'wrong')).toMatchObject({ status: 401 });
  });

  it('stores no secret', async () => {
    const { id, headers } = await browser(await person());
    const row = await at.service.services.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const secret = headers['cookie']!.split('.').at(-1)!;
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(row.secret_hash!.includes(Buffer.from(secret, 'base64url'))).toBe(false);
  });

  it('signs out: the cookie is taken away, and worth nothing', async () => {
    const here = await browser(await person());
    const answer = await at.call('DELETE', `/v1/sessions/${here.id}`, { headers: here.headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-longshore=; Max-Age=0; /);
    expect(await who(here)).toMatchObject({ status: 401, body: { message: expect.stringContaining('Cookie') } });
  });

  it('ends a week after the last call, and a month after the sign-in', async () => {
    const email = await person();
    const [used, unused] = [await browser(email), await browser(email)];
    try {
      for (let days = 6; days < 30; days += 6) {
        clockOffset = days * day;
        at.service.services.credentials.invalidateAll();
        expect((await who(used)).status).toBe(200);
        await at.service.services.db
          .updateTable('sessions')
          .set({ last_seen_at: at.service.services.now() })
          .where('id', '=', used.id)
          .execute();
      }
      expect((await who(unused)).status).toBe(401);
      expect(await list(used)).toMatchObject([{ id: used.id, current: true }]);
      clockOffset = 30 * day + 1_000;
      expect((await who(used)).status).toBe(401);
      await runJob(at.service.services, 'accounts.sweep', {});
      expect(await at.service.services.db.selectFrom('sessions').select('id').where('id', 'in', [used.id, unused.id]).execute()).toEqual(
        [],
      );
    } finally {
      clockOffset = 0;
      at.service.services.credentials.invalidateAll();
    }
  });
});

describe('a user’s sessions', () => {
  it('are listed with what signed in, and from where', async () => {
    const email = await person();
    const agent = await program(email);
    const here = await browser(email, 'Mozilla/5.0 (Macintosh)');
    const records = await list(here);
    expect(records).toMatchObject([
      { id: here.id, kind: 'browser', user_agent: 'Mozilla/5.0 (Macintosh)', address: '127.0.0.1', current: true },
      { kind: 'program', user_agent: 'longshore/1', current: false },
    ]);
    expect((await list(agent)).find(({ current }) => current)).toMatchObject({ kind: 'program' });
  });

  it('end one by one, a program’s too, and nobody else’s', async () => {
    const email = await person();
    const [here, agent] = [await browser(email), await program(email)];
    const other = await browser(await person());
    const { id } = (await list(here)).find(({ kind }) => kind === 'program') ?? {};
    expect((await at.call('DELETE', `/v1/sessions/${id}`, { headers: other.headers })).status).toBe(404);
    expect((await who(agent)).status).toBe(200);
    expect((await at.call('DELETE', `/v1/sessions/${id}`, { headers: here.headers })).status).toBe(204);
    expect(await who(agent)).toMatchObject({ status: 401, body: { message: expect.stringContaining('X-User-Token') } });
    expect((await who(here)).status).toBe(200);
  });

  it('end all but the one that asks', async () => {
    const email = await person();
    const [here, there, agent] = [await browser(email), await browser(email), await program(email)];
    expect((await at.call('DELETE', '/v1/sessions', { headers: here.headers })).body).toEqual({ ended: 2 });
    for (const ended of [there, agent]) expect((await who(ended)).status).toBe(401);
    expect((await who(here)).status).toBe(200);
  });

  it('end with a changed password, in every process', async () => {
    const email = await person();
    const [here, agent] = [await browser(email), await program(email)];
    const { user } = (await who(here)).body;
    const body = { current_password: password, password: 'chosen anew by herself' };
    expect((await at.call('POST', `/v1/users/${user.id}/password`, { headers: here.headers, body })).status).toBe(204);
    for (const ended of [here, agent]) await eventually('its end', async () => (await who(ended)).status === 401);
  });

  it('are bounded: the one that was not used for the longest time ends first', async () => {
    const email = await person();
    const here = await browser(email);
    const { db, now } = at.service.services;
    const { user } = (await who(here)).body;
    await db
      .insertInto('sessions')
      .values(
        Array.from({ length: limits.sessionsPerUser }, (_, index) => ({
          id: newId(),
          user_id: user.id,
          kind: 'program' as const,
          secret_hash: null,
          token_version: 1,
          user_agent: '',
          address: `198.51.100.${index}`,
          created_at: now(),
          last_seen_at: new Date(now().getTime() - (index + 1) * 60_000),
          expires_at: new Date(now().getTime() + day),
        })),
      )
      .execute();
    await program(email);
    const left = await list(here);
    expect(left).toHaveLength(limits.sessionsPerUser);
    expect(left.map(({ address }) => address)).not.toContain(`198.51.100.${limits.sessionsPerUser - 1}`);
    expect(left.some(({ current }) => current)).toBe(true);
  });
});

it('the owner’s own token has a session, too', async () => {
  const { body } = await at.call<AuthResult>('POST', '/v1/auth', { body: { email: ownerEmail, password: ownerPassword } });
  expect((await list({ headers: { 'x-user-token': body.token } })).filter(({ current }) => current)).toHaveLength(1);
});
