import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '#protocol/hosted/audit.ts';
import type { OperatorLogEntry, ServiceOverview } from '#protocol/hosted/operator.ts';
import type { FailedJob, ListedFailedMail } from '#protocol/hosted/operator-failures.ts';
import type { OperatedTeam } from '#protocol/hosted/operator-teams.ts';
import { newId } from '#service/ids.ts';
import { hurryJobs } from '#test/support/service/jobs.ts';
import { putPackage } from '#test/support/service/packages.ts';
import { ownerEmail, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';
import { eventually } from '#test/support/system/processes.ts';

/** What operators do: Teams, and what failed for good (contract/operator.md §4, §5). */

let at: TestService;
beforeAll(async () => {
  at = await startTestService({ operators: [ownerEmail] });
});
afterAll(() => at?.close());

const call = <T>(method: string, path: string, body?: unknown) =>
  at.call<T>(method, `/v1/operator/${path}`, { headers: { 'x-user-token': at.userToken }, ...(body !== undefined && { body }) });
const teams = async (query = '') => (await call<{ records: OperatedTeam[]; next?: string }>('GET', `teams${query}`)).body;
const lastActs = async () => (await call<{ records: OperatorLogEntry[] }>('GET', 'log?limit=3')).body.records;

describe('Teams', () => {
  it('are listed with what they take, found by name, page by page', async () => {
    const id = await addTeam(at, 'Needle & Thread 100%');
    const { email } = await addUser(at, 'owner', id);
    for (const bytes of [700, 300]) {
      await putPackage(at, { team_id: id, created_by: null, state: 'finalized', size: bytes, usage_total_bytes: bytes });
    }
    const found = await teams(`?search=${encodeURIComponent('thread 100%')}`);
    expect(found).toEqual({
      records: [
        {
          ...{ id, name: 'Needle & Thread 100%', subdomain: `t-${id}`, state: 'active', created_at: expect.any(String) },
          ...{ owners: [email], members: 1, packages: 2, bytes: 1_000, quotas: {} },
        },
      ],
    });
    expect((await teams('?search=100_')).records).toEqual([]);
    expect((await teams(`?search=${id}`)).records).toHaveLength(1);
    const first = await teams('?limit=1');
    const second = await teams(`?limit=1&cursor=${first.next}`);
    expect([first.records[0]!.id, second.records[0]!.id]).toEqual([id, at.teamId]);
    expect(second).not.toHaveProperty('next');
    expect((await call('GET', 'teams?cursor=nonsense')).status).toBe(400);
  });

  it('are suspended with a reason, which both logs have, and go on when they are active again', async () => {
    const { db } = at.service.services;
    const list = () => at.call('GET', `/v1/teams/${at.teamId}/tags`, { headers: { 'x-api-key': at.apiKey } });
    const reason = 'The invoice of October is open.';
    const suspended = await call<OperatedTeam>('POST', `teams/${at.teamId}/suspend`, { reason });
    expect([suspended.status, suspended.body.state]).toEqual([200, 'inactive']);
    expect((await list()).status).toBe(402);
    expect((await teams('?state=inactive')).records.map(({ id }) => id)).toEqual([at.teamId]);
    // Again: nothing changes, and nothing is written.
    expect((await call('POST', `teams/${at.teamId}/suspend`, { reason: 'Another' })).status).toBe(200);
    expect((await call<OperatedTeam>('POST', `teams/${at.teamId}/reactivate`)).body.state).toBe('active');
    expect((await list()).status).toBe(200);
    const { body } = await at.call<{ records: AuditEntry[] }>('GET', `/v1/teams/${at.teamId}/audit_log?action=team`, {
      headers: { 'x-user-token': at.userToken },
    });
    expect(body.records.map(({ action, actor, address, details }) => [action, actor, address, details])).toEqual([
      ['team.activated', { kind: 'operator', name: ownerEmail }, '', {}],
      ['team.suspended', { kind: 'operator', name: ownerEmail }, '', { reason }],
    ]);
    const acts = (await lastActs()).slice(0, 2);
    expect(acts.map(({ action, actor, target, details }) => [action, actor.name, target?.id, details])).toEqual([
      ['team.activated', ownerEmail, at.teamId, {}],
      ['team.suspended', ownerEmail, at.teamId, { reason }],
    ]);
    expect(await db.selectFrom('operator_log').select('address').where('action', '=', 'team.suspended').executeTakeFirst()).toEqual({
      address: '127.0.0.1',
    });
  });

  it('that there are not are 404', async () => {
    expect((await call('POST', `teams/${newId()}/reactivate`)).status).toBe(404);
  });
});

describe('jobs that failed for good', () => {
  const list = async (query = '') =>
    (await call<{ kinds: { kind: string; count: number }[]; records: FailedJob[]; next?: string }>('GET', `failed_jobs${query}`)).body;

  /** Jobs that cannot be done: the database refuses their id. */
  async function fail(names: readonly string[]): Promise<void> {
    const { db, jobs } = at.service.services;
    for (const name of names) await jobs.add(db, 'packages.free', { package_id: name });
    await eventually('the jobs have failed for good', async () => {
      await sql`update jobs.job set retry_count = retry_limit - 1 where name = 'packages.free' and state = 'retry'`.execute(db);
      await hurryJobs(db, 'packages.free');
      const found = await list('?kind=packages.free');
      return names.every((name) => found.records.some(({ about }) => about['package_id'] === name));
    });
  }

  it('are listed in one line each, and done again singly or by kind', async () => {
    const { db } = at.service.services;
    await fail(['no id', 'none, too', 'nor this']);
    const { kinds, records } = await list();
    expect(kinds).toEqual([{ kind: 'packages.free', count: 3 }]);
    expect(records[0]).toMatchObject({ kind: 'packages.free', attempts: 51, reason: expect.stringContaining('uuid') });
    expect(records[0]!.reason).not.toContain('\n');
    const page = await list('?limit=2');
    expect([...page.records, ...(await list(`?limit=2&cursor=${page.next}`)).records].map(({ id }) => id)).toEqual(
      records.map(({ id }) => id),
    );
    expect((await call<ServiceOverview>('GET', 'overview')).body.jobs.failed).toBe(3);

    const one = await call('POST', 'failed_jobs/retry', { ids: [records[1]!.id, newId(), 'nonsense'] });
    expect(one.body).toEqual({ retried: 1 });
    expect((await call('POST', 'failed_jobs/retry', { ids: ['nonsense'] })).body).toEqual({ retried: 0 });
    const { rows } = await sql<{ data: unknown; state: string }>`
      select data from jobs.job where name = 'packages.free' and state in ('created', 'retry', 'active')`.execute(db);
    expect(rows).toEqual([{ data: { package_id: records[1]!.about['package_id'] } }]);
    expect((await call('POST', 'failed_jobs/retry', { kind: 'packages.free' })).body).toEqual({ retried: 2 });
    expect((await list()).records).toEqual([]);
    expect((await lastActs()).slice(0, 2).map(({ action, details }) => [action, details])).toEqual([
      ['jobs.retried', { count: 2, kind: 'packages.free' }],
      ['jobs.retried', { count: 1 }],
    ]);
    // They run: as hopeless as before.
    await eventually('they were tried again', async () => {
      const { rows: tried } = await sql`select 1 from jobs.job where name = 'packages.free' and state = 'retry'`.execute(db);
      return tried.length === 3;
    });
  });

  it('are asked for by ids or by kind', async () => {
    expect((await call('POST', 'failed_jobs/retry', {})).status).toBe(400);
    expect((await call('POST', 'failed_jobs/retry', { ids: [newId()], kind: 'mail.send' })).status).toBe(400);
  });

  it('tell no secret of an address', async () => {
    const { db } = at.service.services;
    const output = JSON.stringify({ message: 'connect failed: https://user:key@hooks.example.com/T0/secret?token=1 refused\n at line 2' });
    await sql`
      insert into jobs.job_common (name, data, source_name, source_id, source_retry_count, source_output)
      values ('failed', '{"webhook_id": "w", "occasion": {"object": {"id": "p", "name": "Secret project"}}}', 'webhooks.deliver', gen_random_uuid(), 2, ${output}::jsonb)`.execute(
      db,
    );
    expect((await list('?kind=webhooks.deliver')).records).toMatchObject([
      { reason: 'connect failed: https://hooks.example.com/… refused', attempts: 3, about: { webhook_id: 'w', object_id: 'p' } },
    ]);
  });
});

describe('mails that failed', () => {
  it('are listed, the latest first, and sent again once', async () => {
    const { db, now } = at.service.services;
    const ids = [newId(), newId(), newId()];
    for (const [index, id] of ids.entries()) {
      const time = new Date(now().getTime() - 60_000 * index);
      await db
        .insertInto('messages')
        .values({
          ...{ id, kind: 'password_changed', package_id: null, link_id: null, recipient: ownerEmail, state: 'gave_up', attempts: 51 },
          ...{ last_error: 'connect ECONNREFUSED', created_at: time, updated_at: time },
        })
        .execute();
    }
    const list = async (query = '') => (await call<{ records: ListedFailedMail[]; next?: string }>('GET', `failed_mails${query}`)).body;
    const page = await list('?limit=2');
    const rest = await list(`?limit=2&cursor=${page.next}`);
    expect([...page.records, ...rest.records].map(({ id }) => id)).toEqual(ids);
    expect(page.records[0]).toMatchObject({ recipient: ownerEmail, state: 'gave_up', attempts: 51, reason: 'connect ECONNREFUSED' });
    expect((await call('POST', 'failed_mails/retry', { ids: [ids[0], ids[0], newId(), 'none'] })).body).toEqual({ retried: 1 });
    await eventually('the mail is sent', async () => {
      const row = await db.selectFrom('messages').select('state').where('id', '=', ids[0]!).executeTakeFirstOrThrow();
      return row.state === 'sent';
    });
    expect((await list()).records.map(({ id }) => id)).toEqual(ids.slice(1));
    expect((await lastActs())[0]).toMatchObject({ action: 'mails.retried', details: { count: 1 } });
  });
});
