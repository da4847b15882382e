import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEntry, AuditVerification } from '#protocol/hosted/audit.ts';
import type { Tag } from '#protocol/hosted/tags.ts';
import { chainPending } from '#service/audit/chain.ts';
import { removeOldEntries } from '#service/audit/retention.ts';
import type { Database } from '#service/database/schema/database.ts';
import { newId } from '#service/ids.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { managing, putPackage } from '#test/support/service/packages.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, type TestUser } from '#test/support/service/users.ts';

let t: TestService;
let db: Kysely<Database>;
beforeAll(async () => {
  t = await startTestService();
  db = t.service.services.db;
});
afterAll(() => t?.close());

/** A Team of its own for each test, so that its log holds nothing else. */
let team: string;
let owner: TestUser;
beforeEach(async () => {
  team = await addTeam(t, 'Loggers');
  owner = await addUser(t, 'owner', team);
});

const as = (user: { readonly token: string }) => ({ 'x-user-token': user.token, 'user-agent': 'Test/1.0' });
const ask = <T = unknown>(method: string, path: string, body?: unknown, user = owner) =>
  t.call<T>(method, path.replace('{team}', `/v1/teams/${team}`), { headers: as(user), ...(body !== undefined && { body }) });
const log = async (query = '', user = owner) =>
  (await ask<{ records: AuditEntry[]; next?: string }>('GET', `{team}/audit_log${query}`, undefined, user)).body;
const verify = async (query = '') => (await ask<AuditVerification>('GET', `{team}/audit_log/verification${query}`)).body;
const makeTag = async (name: string) => (await ask<Tag>('POST', '{team}/tags', { name })).body;

describe('an entry', () => {
  it('tells who did what to what, from where', async () => {
    const tag = await makeTag('Season 2');
    await ask('DELETE', `/v1/tags/${tag.id}`);
    const { records } = await log();
    expect(records).toMatchObject([
      { action: 'tag.deleted', target: { kind: 'tag', id: tag.id, name: 'Season 2' } },
      {
        action: 'tag.created',
        actor: { kind: 'user', id: owner.userId, name: owner.email },
        address: '127.0.0.1',
        user_agent: 'Test/1.0',
        target: { kind: 'tag', id: tag.id, name: 'Season 2' },
      },
    ]);
  });

  it('names an API key and the user it acts for', async () => {
    const key = await ask<{ id: string; key: string }>('POST', '{team}/api_keys', { name: 'Nightly', state: 'active' });
    await t.call('POST', `/v1/teams/${team}/tags`, { headers: { 'x-api-key': key.body.key }, body: { name: 'By key' } });
    const { records } = await log();
    expect(records[0]!.actor).toEqual({ kind: 'api_key', id: owner.userId, api_key_id: key.body.id, name: 'Nightly' });
    expect(records[1]).toMatchObject({ action: 'api_key.created', target: { name: 'Nightly' } });
    expect(JSON.stringify(records)).not.toContain(key.body.key);
  });

  it('is not there if the call fails', async () => {
    await makeTag('Once');
    expect((await ask('POST', '{team}/tags', { name: 'once' })).status).toBe(409);
    expect((await log()).records).toHaveLength(1);
  });

  it('is there once for an Idempotency-Key', async () => {
    const call = () =>
      t.call('POST', `/v1/teams/${team}/tags`, { headers: { ...as(owner), 'idempotency-key': 'k1' }, body: { name: 'Same' } });
    expect([(await call()).status, (await call()).status]).toEqual([201, 201]);
    expect((await log()).records).toHaveLength(1);
  });

  it('has settings before and after, and of what may be secret names only', async () => {
    await ask('PUT', '{team}', { max_expiry_days: 30, custom_expiry_default: 20 });
    const secret = 'sesame-4711';
    const portal = await ask<{ id: string }>('POST', '{team}/portals', { name: 'P', subdomain: `p-${newId()}`, access_code: secret });
    await ask('PUT', `/v1/portals/${portal.body.id}`, { download_password: secret, active: true });
    const hook = {
      active: true,
      events: ['package.created'],
      method: 'POST',
      url: `https://93.184.216.34/${secret}`,
      headers: { 'X-Key': secret },
    };
    const webhook = await ask<{ id: string }>('POST', '{team}/custom_webhooks', hook);
    await ask('PUT', `/v1/custom_webhooks/${webhook.body.id}`, { ...hook, active: false });
    await ask('DELETE', `/v1/custom_webhooks/${webhook.body.id}`);
    const { records } = await log();
    expect(records.map(({ action, details }) => [action, details])).toEqual([
      ['webhook.deleted', {}],
      ['webhook.changed', { events: ['package.created'], active: false, new_address: false }],
      ['webhook.created', { events: ['package.created'], active: true }],
      ['portal.changed', { fields: ['active', 'download_password'] }],
      ['portal.created', { fields: ['access_code', 'name', 'subdomain'] }],
      ['team.changed', { max_expiry_days: { before: 0, after: 30 }, custom_expiry_default: { before: 10, after: 20 } }],
    ]);
    expect(records.slice(0, 3).map(({ target }) => target?.name)).toEqual(['93.184.216.34', '93.184.216.34', '93.184.216.34']);
    expect(JSON.stringify(records)).not.toContain(secret);
  });

  it('tells of members and roles', async () => {
    const person = await addUser(t, 'member', team);
    const { id } = await db.selectFrom('memberships').select('id').where('user_id', '=', person.userId).executeTakeFirstOrThrow();
    await ask('POST', '{team}/members', { email: 'new@example.com', role: 'guest' });
    await ask('PUT', `/v1/members/${id}`, { role: 'admin' });
    await ask('DELETE', `/v1/members/${id}`);
    expect((await log()).records.map(({ action, target, details }) => [action, target?.name, details])).toEqual([
      ['member.removed', person.email, { role: 'admin' }],
      ['member.role_changed', person.email, { before: 'member', role: 'admin' }],
      ['member.invited', 'new@example.com', { role: 'guest' }],
    ]);
  });

  it('tells of links, expiry and the end of packages, by whom the token was given to', async () => {
    const id = await putPackage(t, { team_id: team, created_by: owner.userId, name: 'Dailies' });
    const headers = await managing(t, id, owner.userId);
    const link = await t.call<{ id: string }>('POST', `/v1/packages/${id}/links`, {
      headers,
      body: { email: 'a@example.com', password: 'open sesame' },
    });
    await t.call('DELETE', `/v1/packages/${id}/links/${link.body.id}`, { headers });
    await t.call('PUT', `/v1/packages/${id}/expiry`, { headers, body: { unlimited_storage: true } });
    await t.call('DELETE', `/v1/packages/${id}`, { headers });
    const { records } = await log();
    expect(records.map(({ action, target }) => [action, target?.name])).toEqual([
      ['package.deleted', 'Dailies'],
      ['package.expiry_changed', 'Dailies'],
      ['link.ended', 'a@example.com'],
      ['link.created', 'a@example.com'],
    ]);
    expect(records[3]!.details).toMatchObject({ package_id: id, package: 'Dailies', password: true });
    expect(new Set(records.map(({ actor }) => actor.name))).toEqual(new Set([owner.email]));
  });
});

describe('sign-ins', () => {
  const ownLog = async (query: string) =>
    (await t.call<{ records: AuditEntry[] }>('GET', `/v1/teams/${t.teamId}/audit_log${query}`, { headers: { 'x-api-key': t.apiKey } })).body
      .records;
  const signIn = (password: string) => t.call<{ token: string }>('POST', '/v1/auth', { body: { email: ownerEmail, password } });

  it('and refused ones are in the log of each Team of the user', async () => {
    const other = await addTeam(t, 'Second');
    await db
      .insertInto('memberships')
      .values({ id: newId(), team_id: other, user_id: t.userId, role: 'owner', created_at: new Date() })
      .execute();
    expect((await signIn('wrong')).status).toBe(401);
    expect((await signIn(ownerPassword)).status).toBe(200);
    await expect.poll(async () => (await ownLog('?action=session.refused')).length, { timeout: 30_000 }).toBe(1);
    const second = await t.call<{ records: AuditEntry[] }>('GET', `/v1/teams/${other}/audit_log`, {
      headers: { 'x-user-token': t.userToken },
    });
    expect(second.body.records.map(({ action }) => action).toSorted()).toEqual(['session.refused', 'session.started']);
    expect((await ownLog('?action=session.started'))[0]).toMatchObject({ actor: { name: ownerEmail }, details: { kind: 'program' } });
  });

  it('of nobody leave nothing', async () => {
    await runJob(t.service.services, 'audit.sign_in_refused', {
      email: 'nobody@example.com',
      address: '127.0.0.1',
      user_agent: '',
      at: new Date().toISOString(),
      reason: 'password',
    });
    expect((await log()).records).toEqual([]);
  });

  it('end, one or all others', async () => {
    const [one, , own] = [(await signIn(ownerPassword)).body, (await signIn(ownerPassword)).body, (await signIn(ownerPassword)).body];
    const headers = { 'x-user-token': own.token };
    const sessions = await t.call<{ records: { id: string; current: boolean }[] }>('GET', '/v1/sessions', {
      headers: { 'x-user-token': one.token },
    });
    const { id } = sessions.body.records.find(({ current }) => current)!;
    expect((await t.call('DELETE', `/v1/sessions/${id}`, { headers })).status).toBe(204);
    expect((await t.call('DELETE', '/v1/sessions', { headers })).status).toBe(200);
    const ended = await ownLog('?action=session.ended');
    expect(ended.map(({ details }) => Object.keys(details).toSorted())).toEqual([['others'], ['of', 'own']]);
  });
});

describe('reading the log', () => {
  it('is for owners and admins of the Team', async () => {
    for (const role of ['integration_manager', 'member', 'guest'] as const) {
      expect((await ask('GET', '{team}/audit_log', undefined, await addUser(t, role, team))).status).toBe(403);
    }
    expect((await ask('GET', '{team}/audit_log', undefined, await addUser(t, 'admin', team))).status).toBe(200);
    expect((await ask('GET', '{team}/audit_log', undefined, await addUser(t, 'owner', await addTeam(t, 'Elsewhere')))).status).toBe(404);
  });

  it('goes from page to page without a gap or a repetition', async () => {
    for (let n = 0; n < 7; n += 1) await makeTag(`T${n}`);
    const seen: string[] = [];
    for (let query = '?limit=3'; ; ) {
      const { records, next } = await log(query);
      seen.push(...records.map(({ target }) => target!.name));
      if (next === undefined) break;
      query = `?limit=3&cursor=${encodeURIComponent(next)}`;
    }
    expect(seen).toEqual(['T6', 'T5', 'T4', 'T3', 'T2', 'T1', 'T0']);
  });

  it('is narrowed by actor, action, target and time', async () => {
    const admin = await addUser(t, 'admin', team);
    const mine = await makeTag('Mine');
    await ask('POST', '{team}/tags', { name: 'Theirs' }, admin);
    await ask('DELETE', `/v1/tags/${mine.id}`, undefined, admin);
    const names = async (query: string) => (await log(query)).records.map(({ action, target }) => `${action} ${target!.name}`);
    expect(await names(`?actor_id=${owner.userId}`)).toEqual(['tag.created Mine']);
    expect(await names(`?target_id=${mine.id}`)).toEqual(['tag.deleted Mine', 'tag.created Mine']);
    expect(await names('?action=tag.deleted')).toEqual(['tag.deleted Mine']);
    expect(await names('?action=tag')).toHaveLength(3);
    expect(await names('?action=ta')).toEqual([]);
    expect(await names('?action=%25')).toEqual([]);
    const today = t.service.services.now().toISOString().slice(0, 10);
    expect(await names(`?from=${today}&to=${today}`)).toHaveLength(3);
    expect(await names('?to=2020-01-01')).toEqual([]);
    expect(await names('?actor_id=nobody')).toEqual([]);
  });

  it.each(['?cursor=x', '?cursor=1.2.3', '?from=yesterday', '?limit=1000', `?cursor=9999999999999999.${newId()}`])(
    'refuses %s',
    async (query) => {
      expect((await ask('GET', `{team}/audit_log${query}`)).status).toBe(400);
    },
  );
});

describe('the export', () => {
  it('holds every entry, the oldest first, and is safe in a spreadsheet', async () => {
    const names = ['=HYPERLINK("https://evil.test","x")', '+1', '@SUM(1)', '-2', 'plain, "quoted"\nand long'];
    for (const name of names) await makeTag(name);
    await verify();
    const json = await ask<string>('GET', '{team}/audit_log/export.jsonl');
    expect(json.headers.get('content-type')).toContain('application/x-ndjson');
    const entries = json.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEntry);
    expect(entries.map(({ target }) => target!.name)).toEqual(names);
    const csv = await ask<string>('GET', '{team}/audit_log/export.csv');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    const rows = parse(csv.body, { columns: true }) as Record<string, string>[];
    expect(rows.map((row) => row['target_name'])).toEqual(names.map((name) => (/^[=+@-]/.test(name) ? `'${name}` : name)));
    expect(rows.map((row) => row['hash'])).toEqual(entries.map(({ hash }) => hash));
    expect((await ask<string>('GET', '{team}/audit_log/export.csv?action=portal')).body.trim().split('\n')).toHaveLength(1);
    expect((await ask('GET', '{team}/audit_log/export.csv?from=x')).status).toBe(400);
  });

  it('can be checked without the service', async () => {
    for (let n = 0; n < 4; n += 1) await makeTag(`T${n}`);
    const { head } = await verify();
    const lines = (await ask<string>('GET', '{team}/audit_log/export.jsonl')).body.trimEnd().split('\n');
    let hash = createHash('sha256').update(`longshore audit log ${team}`).digest();
    for (const line of lines) {
      const { id, at, action, actor, address, user_agent, target } = JSON.parse(line) as AuditEntry;
      const fields = [id, team, at, action, actor.kind, actor.id ?? '', actor.api_key_id ?? '', actor.name, address, user_agent];
      const text = JSON.stringify([...fields, target?.kind ?? '', target?.id ?? '', target?.name ?? '', {}]);
      hash = createHash('sha256').update(hash).update(text).digest();
    }
    expect(head).toEqual({ position: 4, hash: hash.toString('hex') });
  });
});

describe('the chain', () => {
  /** Does what the triggers refuse, as somebody who rules the database. */
  const byForce = (work: (trx: Kysely<Database>) => Promise<unknown>) =>
    db.transaction().execute(async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx);
      await work(trx);
    });

  it('is intact, also after appends at the same time', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, n) => makeTag(`T${n}`)));
    await Promise.all([chainPending(db, team), chainPending(db, team), verify()]);
    expect(await verify()).toMatchObject({ intact: true, entries: 12, first_position: 1, head: { position: 12 } });
    const positions = (await log()).records.map(({ position }) => position!);
    expect(positions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
  });

  it('is made by the job that runs every minute', async () => {
    await makeTag('A');
    await runJob(t.service.services, 'audit.chain', {});
    expect((await log()).records[0]).toMatchObject({ position: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('cannot be changed by the service itself', async () => {
    await makeTag('A');
    await chainPending(db, team);
    const statements = [
      sql`update audit_entries set actor_name = 'nobody' where team_id = ${team}`,
      sql`delete from audit_entries where team_id = ${team}`,
      sql`update audit_chain set position = position + 1 where team_id = ${team}`,
      sql`delete from audit_chain where team_id = ${team}`,
      sql`truncate audit_chain`,
      sql`truncate audit_entries cascade`,
    ];
    for (const statement of statements) await expect(statement.execute(db)).rejects.toThrow(/audit log only grows/);
  });

  it.each([
    [
      'an entry was changed',
      (trx: Kysely<Database>) =>
        sql`update audit_entries set actor_name = 'nobody' where target_name = 'T2' and team_id = ${team}`.execute(trx),
      /position 3 is not what/,
    ],
    [
      'an entry was removed',
      (trx: Kysely<Database>) => sql`delete from audit_entries where target_name = 'T2' and team_id = ${team}`.execute(trx),
      /position 3 is missing/,
    ],
    [
      'an entry was removed with its place',
      (trx: Kysely<Database>) =>
        sql`with gone as (delete from audit_entries where target_name = 'T2' and team_id = ${team} returning id) delete from audit_chain where entry_id in (select id from gone)`.execute(
          trx,
        ),
      /position 3 is missing/,
    ],
    [
      'two were exchanged',
      async (trx: Kysely<Database>) => {
        const at = async (position: number) =>
          (
            await sql<{ id: string }>`select entry_id as id from audit_chain where team_id = ${team} and position = ${position}`.execute(
              trx,
            )
          ).rows[0]!.id;
        const put = (position: number, id: string) =>
          sql`update audit_chain set entry_id = ${id} where team_id = ${team} and position = ${position}`.execute(trx);
        const [second, third] = [await at(2), await at(3)];
        await put(2, newId());
        await put(3, second);
        await put(2, third);
      },
      /position 2 is not what/,
    ],
    [
      'one was put in without a place',
      (trx: Kysely<Database>) =>
        sql`insert into audit_entries select ${newId()}, team_id, at, action, actor_kind, actor_id, api_key_id, actor_name, address, user_agent, target_kind, target_id, 'put in', details from audit_entries where target_name = 'T2' and team_id = ${team}`.execute(
          trx,
        ),
      /has no place/,
    ],
  ])('shows that %s', async (_, change, fault) => {
    for (let n = 0; n < 5; n += 1) await makeTag(`T${n}`);
    expect((await verify()).intact).toBe(true);
    await byForce(change);
    expect(await verify()).toMatchObject({ intact: false, fault: expect.stringMatching(fault) });
  });

  it('shows by a noted head that the end was cut off or written anew', async () => {
    for (let n = 0; n < 4; n += 1) await makeTag(`T${n}`);
    const { head } = await verify();
    const noted = `?position=${head.position}&hash=${head.hash}`;
    await makeTag('T4');
    expect(await verify(noted)).toMatchObject({ intact: true, head: { position: 5 } });
    expect(await verify(`?position=${head.position}&hash=${'0'.repeat(64)}`)).toMatchObject({
      intact: false,
      fault: expect.stringContaining('another hash'),
    });
    await byForce((trx) =>
      sql`with gone as (delete from audit_chain where team_id = ${team} and position > 2 returning entry_id) delete from audit_entries where id in (select entry_id from gone)`.execute(
        trx,
      ),
    );
    expect(await verify()).toMatchObject({ intact: true, entries: 2 });
    expect(await verify(noted)).toMatchObject({ intact: false, fault: expect.stringContaining('no position 4') });
    expect((await ask('GET', '{team}/audit_log/verification?position=1')).status).toBe(400);
  });
});

describe('retention', () => {
  it('removes what is older than set, and the rest still verifies', async () => {
    for (let n = 0; n < 5; n += 1) await makeTag(`T${n}`);
    const { head } = await verify();
    expect((await ask('PUT', '{team}', { audit_retention_days: 10 })).status).toBe(400);
    await db.updateTable('teams').set({ audit_retention_days: 30 }).where('id', '=', team).execute();
    const ages = [50, 40, 20, 45, 0];
    for (const [n, age] of ages.entries()) {
      // Written as if they were older, and chained anew.
      await db.transaction().execute(async (trx) => {
        await sql`set local session_replication_role = replica`.execute(trx);
        await sql`update audit_entries set at = now() - make_interval(days => ${age}) where team_id = ${team} and target_name = ${`T${n}`}`.execute(
          trx,
        );
        await sql`delete from audit_chain where team_id = ${team}`.execute(trx);
        await sql`insert into audit_pending select id, team_id from audit_entries where team_id = ${team} on conflict do nothing`.execute(
          trx,
        );
      });
    }
    await removeOldEntries(db, new Date());
    // The fourth is old, too, but stands behind one that is not.
    expect((await log()).records.map(({ target }) => target!.name).toSorted()).toEqual(['T2', 'T3', 'T4']);
    expect(await verify()).toMatchObject({ intact: true, entries: 3, first_position: 3, head: { position: 5 } });
    expect(await verify(`?position=1&hash=${head.hash}`)).toMatchObject({
      intact: false,
      fault: expect.stringContaining('removed by retention'),
    });
    await makeTag('T5');
    expect(await verify()).toMatchObject({ intact: true, entries: 4, head: { position: 6 } });
    // Outside of retention nothing can be deleted again.
    await expect(sql`delete from audit_entries where team_id = ${team}`.execute(db)).rejects.toThrow(/only grows/);
  });
});
