import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '#protocol/hosted/accounts.ts';
import type { OperatorLogEntry, ServiceOverview } from '#protocol/hosted/operator.ts';
import { nameOperators } from '#service/operator/operators.ts';
import { ownerEmail, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addUser, passwordResetToken, type TestUser } from '#test/support/service/users.ts';

/** Operators: who is one, and what they see of the service (contract/operator.md §1, §2, §3). */

let at: TestService;
let person: TestUser;
beforeAll(async () => {
  at = await startTestService({ operators: [ownerEmail.toUpperCase(), 'ops@example.com'] });
  person = await addUser(at, 'owner');
});
afterAll(() => at?.close());

const as = (token: string) => ({ headers: { 'x-user-token': token } });
const overview = (token = at.userToken) => at.call<ServiceOverview & { message: string }>('GET', '/v1/operator/overview', as(token));
const quiet = { info: () => undefined };

describe('operators', () => {
  it('are named at the start, and know it by their profile', async () => {
    expect((await at.call<Account>('GET', '/v1/users/me', as(at.userToken))).body.user.operator).toBe(true);
    expect((await at.call<Account>('GET', '/v1/users/me', as(person.token))).body.user).not.toHaveProperty('operator');
    // A key acts in its Team alone.
    expect((await at.call<Account>('GET', '/v1/users/me', { headers: { 'x-api-key': at.apiKey } })).body.user).not.toHaveProperty(
      'operator',
    );
    expect((await overview()).status).toBe(200);
  });

  it('refuse everybody else, whatever their role, and API keys of their own', async () => {
    const refused = await overview(person.token);
    expect([refused.status, refused.body.message]).toEqual([403, 'Only operators of this service may do that.']);
    expect((await at.call('GET', '/v1/operator/overview', { headers: { 'x-api-key': at.apiKey } })).status).toBe(401);
  });

  it('whose address had no user yet have one, which nobody can take, and choose a password by mail', async () => {
    const taken = await at.call<{ message: string }>('PUT', `/v1/users/${at.userId}/email`, {
      ...as(at.userToken),
      body: { email: 'ops@example.com', password: 'correct horse battery staple' },
    });
    expect(taken.status).toBe(409);
    const token = await passwordResetToken(at, 'ops@example.com');
    const password = 'four words are easy to keep';
    expect((await at.call('POST', `/v1/auth/password_reset/${token}`, { body: { password } })).status).toBe(204);
    const signedIn = await at.call<{ token: string; teams: unknown[] }>('POST', '/v1/auth', {
      body: { email: 'ops@example.com', password },
    });
    expect([signedIn.status, signedIn.body.teams]).toEqual([200, []]);
    expect((await overview(signedIn.body.token)).status).toBe(200);
  });

  it('are written down once, however often the service starts', async () => {
    const { db, now } = at.service.services;
    await nameOperators(db, ['OPS@example.com'], now(), quiet);
    const { body } = await at.call<{ records: OperatorLogEntry[] }>('GET', '/v1/operator/log', as(at.userToken));
    expect(body.records.map(({ action, actor, target }) => [action, actor.kind, target?.name])).toEqual([
      ['operator.added', 'service', 'ops@example.com'],
      ['operator.added', 'service', ownerEmail],
    ]);
  });

  it('are asked for a second factor where the service wants one', async () => {
    const strict = await startTestService({ operators: [ownerEmail], operatorMfa: true });
    try {
      const see = () => strict.call<{ message: string }>('GET', '/v1/operator/overview', as(strict.userToken));
      const refused = await see();
      expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('second factor')]);
      await strict.service.services.db.updateTable('users').set({ mfa_since: new Date() }).where('id', '=', strict.userId).execute();
      expect((await see()).status).toBe(200);
    } finally {
      await strict.close();
    }
  });
});

describe('the overview', () => {
  it('tells versions, disks and what waits', async () => {
    const { db } = at.service.services;
    const { body } = await overview();
    expect(body).toMatchObject({
      problems: [],
      versions: { service: expect.stringMatching(/^\d/), node: process.versions.node, postgresql: expect.stringMatching(/^\d+\.\d+/) },
      storage: { packages: 0, bytes: 0 },
      mails: { server: false, failed: 0 },
      transfers: { pending: 0, started: 0 },
      gateways: { online: 0, offline: 0 },
    });
    const { rows } = await sql<{ last: string }>`select max(name) as last from kysely_migration`.execute(db);
    expect(body.versions.schema).toBe(rows[0]!.last);
    expect(body.database.size).toBeGreaterThan(1_000_000);
    expect(body.teams.active).toBeGreaterThanOrEqual(1);
    expect(body.disks[0]!.holds).toContain('data');
    expect(body.disks[0]!.total).toBeGreaterThan(body.disks[0]!.free);
    expect(body.jobs.queues.map(({ kind }) => kind)).toContain('mail.send');
  });

  it('says when each scheduled job was done last, and why it failed last', async () => {
    const { db } = at.service.services;
    const run = (state: string, on: string, output: unknown) =>
      sql`
      insert into jobs.job_common (name, state, completed_on, output)
      values ('audit.sweep', ${state}::jobs.job_state, ${on}::timestamptz, ${JSON.stringify(output)}::jsonb)`.execute(db);
    await run('completed', '2026-01-02T04:11:01Z', null);
    await run('failed', '2026-01-01T04:11:01Z', { message: 'an older one' });
    await run('failed', '2026-01-03T04:11:01Z', { message: 'no answer of https://user:key@db.example.com/x\n at line 2' });
    const { scheduled } = (await overview()).body.jobs;
    expect(scheduled.find(({ kind }) => kind === 'audit.sweep')).toEqual({
      kind: 'audit.sweep',
      schedule: '11 4 * * *',
      ran_at: '2026-01-02T04:11:01.000Z',
      failed: { at: '2026-01-03T04:11:01.000Z', reason: 'no answer of https://db.example.com/…' },
    });
    expect(scheduled.find(({ kind }) => kind === 'webhooks.sweep')).toEqual({ kind: 'webhooks.sweep', schedule: '23 3 * * *' });
  });

  it('has what was sent, mails that failed, and the oldest job that waits', async () => {
    const { db, now } = at.service.services;
    const made = { kind: 'password_changed', link_id: null, package_id: null, created_at: now(), updated_at: now() } as const;
    const id = '01890000-0000-7000-8000-000000000001';
    await db
      .insertInto('messages')
      .values({ id, recipient: 'a@example.com', state: 'refused', ...made })
      .execute();
    // No worker takes a kind that there is not.
    await sql`insert into jobs.queue (name, policy, retry_limit, retry_delay, retry_backoff, expire_seconds, retention_seconds, deletion_seconds, partition, table_name)
      select 'nobody', policy, retry_limit, retry_delay, retry_backoff, expire_seconds, retention_seconds, deletion_seconds, partition, table_name
      from jobs.queue where name = 'mail.send'`.execute(db);
    await sql`insert into jobs.job_common (name, start_after) values ('nobody', '2026-01-02T03:04:05Z')`.execute(db);
    const { body } = await overview();
    expect(body.mails.failed).toBe(1);
    expect(body.jobs.oldest_due_at).toBe('2026-01-02T03:04:05.000Z');
  });
});

describe("the operators' log", () => {
  it('goes page by page, and cannot be changed', async () => {
    const { db } = at.service.services;
    const pages: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const path: string = `/v1/operator/log?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { body } = await at.call<{ records: OperatorLogEntry[]; next?: string }>('GET', path, as(at.userToken));
      pages.push(...body.records.map(({ id }) => id));
      cursor = body.next;
    }
    expect(new Set(pages).size).toBe(2);
    await expect(db.deleteFrom('operator_log').execute()).rejects.toThrow('only grows');
  });
});
