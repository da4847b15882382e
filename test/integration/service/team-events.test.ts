import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { Check } from 'typebox/value';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Account } from '#protocol/hosted/accounts.ts';
import { type TeamChange, TeamEvent, type TeamTopic } from '#protocol/hosted/team-events.ts';
import type { Database } from '#service/database/schema/database.ts';
import { newId } from '#service/ids.ts';
import { startBrowserSession } from '#service/sessions/sessions.ts';
import { managing, putPackage } from '#test/support/service/packages.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { emptyTestDatabase } from '#test/support/service/postgres.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { putConnection, putTransfer } from '#test/support/service/transfers.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';
import { type EventReader, readEvents } from '#test/support/system/event-reader.ts';

/** What changes in a Team, told to who may read it: contract/event-streams.md §4. */

let postgres: Awaited<ReturnType<typeof emptyTestDatabase>>;
let t: TestService;
let db: TestService['service']['services']['db'];
const open: EventReader<TeamEvent>[] = [];
beforeAll(async () => {
  postgres = await emptyTestDatabase();
  t = await startTestService({ processes: 2, databaseUrl: postgres.url });
  db = t.service.services.db;
});
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(async () => {
  await t?.close();
  await postgres?.close();
});

const patient = { timeout: 30_000 };
const byKey = () => ({ 'x-api-key': t.apiKey });
/** Listens at the second process, and resolves once it is told of all that follows. */
async function listen(
  headers: Readonly<Record<string, string>> = byKey(),
  teamId = t.teamId,
  since?: string,
): Promise<EventReader<TeamEvent>> {
  const query = since === undefined ? '' : `?since=${since}`;
  const reader = await readEvents<TeamEvent>(`${t.services[1]!.url}/v1/teams/${teamId}/events${query}`, headers);
  open.push(reader);
  await expect.poll(() => reader.events.length, patient).toBeGreaterThan(0);
  return reader;
}
const heardBy = (reader: EventReader<TeamEvent>): TeamChange[] => reader.events.flatMap(({ changes }) => changes);
const hears = (reader: EventReader<TeamEvent>, change: TeamChange) => expect.poll(() => heardBy(reader), patient).toContainEqual(change);
/** Watches at the second process, as a stream does; resolves with what has changed once that is among it. */
async function watchTeam(): Promise<(what: TeamTopic, id?: string) => Promise<TeamTopic[]>> {
  const subscription = await t.services[1]!.services.events.subscribeTeam(t.teamId);
  onTestFinished(() => subscription.close());
  return async (what, id) => {
    const heard: TeamTopic[] = [];
    while (await subscription.wait(patient.timeout, new AbortController().signal)) {
      const changes = subscription.take()!;
      heard.push(...changes.keys());
      if (changes.has(what) && (id === undefined || changes.get(what)!.has(id))) return heard;
    }
    throw new Error(`Nobody told of ${what}, only of ${heard.join(', ')}.`);
  };
}
async function addTag(): Promise<void> {
  const now = new Date();
  await db.insertInto('tags').values({ id: newId(), team_id: t.teamId, name: newId(), created_at: now, updated_at: now }).execute();
}
/** What has changed so far is told late to who listens next; resolves once the second process has heard of all of it. */
async function allIsTold(): Promise<void> {
  const told = await watchTeam();
  await addTag();
  await told('tags');
}
/** A change that everybody in the Team hears of, after which all before has been told. */
async function markEnd(reader: EventReader<TeamEvent>, teamId = t.teamId): Promise<void> {
  const before = heardBy(reader).filter(({ what }) => what === 'tags').length;
  const now = new Date();
  await db.insertInto('tags').values({ id: newId(), team_id: teamId, name: newId(), created_at: now, updated_at: now }).execute();
  await expect.poll(() => heardBy(reader).filter(({ what }) => what === 'tags').length, patient).toBeGreaterThan(before);
}
const manage = async (id: string, method: string, path: string, body?: unknown) =>
  (
    await t.call<{ id: string }>(method, `/v1/packages/${id}${path}`, {
      headers: await managing(t, id),
      ...(body !== undefined && { body }),
    })
  ).body;

describe("a Team's events", () => {
  it('tell of packages, their links, mails, downloads and transfers, whoever changes them', async () => {
    const told = await watchTeam();
    const reader = await listen();
    expect(reader.events[0]).toMatchObject({ type: 'state', changes: [] });
    const id = await putPackage(t, { expiry: new Date(Date.now() + 5 * 86_400_000) });
    await told('packages', id);
    const link = await manage(id, 'POST', '/links', { email: 'post@example.com' });
    await told('links', id);
    await manage(id, 'POST', `/links/${link.id}/mail`);
    await told('links', id);
    await db.updateTable('messages').where('link_id', '=', link.id).set({ last_error: 'Full.', state: 'refused' }).execute();
    await told('links', id);
    const started = { user_agent: '', address: '', started_at: new Date() };
    await db
      .insertInto('downloads')
      .values({ token_id: newId(), link_id: link.id, package_id: id, team_id: t.teamId, ...started })
      .execute();
    await told('downloads', id);
    await db.updateTable('downloads').set({ whole: true }).where('package_id', '=', id).execute();
    await told('downloads', id);
    await manage(id, 'DELETE', `/links/${link.id}`);
    await told('links', id);
    await manage(id, 'PUT', '/expiry', { unlimited_storage: true });
    await told('packages', id);
    await t.call('PUT', `/v1/teams/${t.teamId}/packages/${id}/hold`, { headers: byKey(), body: { reason: 'Dispute' } });
    await told('packages', id);
    const transfer = await putTransfer(t, { package_id: id, total_bytes: 10 });
    await told('transfers', id);
    await db.updateTable('cloud_transfers').set({ bytes: 5 }).where('id', '=', transfer).execute();
    await told('transfers', id);
    // What nobody sees is not told: the lease of whoever works on it.
    await db.updateTable('cloud_transfers').set({ due_at: new Date() }).where('id', '=', transfer).execute();
    await addTag();
    // A mail that is under way may still tell of its link.
    expect(await told('tags')).not.toContain('transfers');
    await hears(reader, { what: 'transfers', package_id: id });
    expect(reader.events.every((event) => Check(TeamEvent, event))).toBe(true);
  });

  it('tell of Portals, people, Teamspaces and what a Team is connected to', async () => {
    const told = await watchTeam();
    const at = { created_at: new Date(), updated_at: new Date() };
    const call = (method: string, path: string, body?: unknown) =>
      t.call<{ id: string }>(method, path, { headers: byKey(), ...(body !== undefined && { body }) });
    const { id: portal } = await newPortal(t);
    await told('portals');
    const online = sql<Date>`clock_timestamp() + interval '1 hour'`;
    const acts: readonly [TeamTopic, () => Promise<unknown>][] = [
      ['portals', () => call('DELETE', `/v1/portals/${portal}`)],
      ['members', () => addUser(t, 'member')],
      ['members', () => call('POST', `/v1/teams/${t.teamId}/members`, { email: 'new@example.com', role: 'member' })],
      ['teamspaces', () => call('POST', `/v1/teams/${t.teamId}/spaces`, { name: 'Grade' })],
      ['connections', () => putConnection(t)],
      ['connections', () => db.updateTable('cloud_connections').set({ state: 'error', state_message: 'Refused.' }).execute()],
      [
        'filters',
        () =>
          db
            .insertInto('filters')
            .values({ id: newId(), team_id: t.teamId, name: 'RAW', rules: '[]', ...at })
            .execute(),
      ],
      ['gateways', () => call('POST', `/v1/teams/${t.teamId}/storage_gateways`, { name: 'NAS', platform: 'linux', version: '1' })],
      ['gateways', () => db.updateTable('storage_gateways').set({ online_until: online }).execute()],
      ['gateways', () => db.updateTable('storage_gateways').set({ online_until: null }).execute()],
      ['team', () => call('PUT', `/v1/teams/${t.teamId}`, { primary_color: '#1f6feb' })],
      ['audit_log', () => call('PUT', `/v1/teams/${t.teamId}`, { primary_color: '' })],
      [
        'api_keys',
        () =>
          t.call('POST', `/v1/teams/${t.teamId}/api_keys`, {
            headers: { 'x-user-token': t.userToken },
            body: { name: 'Farm', state: 'active' },
          }),
      ],
      ['api_keys', () => db.deleteFrom('api_keys').where('name', '=', 'Farm').execute()],
    ];
    for (const [what, act] of acts) {
      await act();
      expect(await told(what)).toContain(what);
    }
    // They ask for work all the time, which is no news.
    await db.updateTable('storage_gateways').set({ last_seen_at: new Date() }).execute();
    await db.updateTable('api_keys').set({ last_request_at: new Date() }).execute();
    await addTag();
    const heard = await told('tags');
    for (const what of ['gateways', 'api_keys'] as const) expect(heard).not.toContain(what);
  });

  it('tell a member nothing of what they may not read', async () => {
    const [member, guest] = [await addUser(t, 'member'), await addUser(t, 'guest')];
    const space = newId();
    const at = new Date();
    await db.insertInto('teamspaces').values({ id: space, team_id: t.teamId, name: 'Grade', created_at: at, updated_at: at }).execute();
    await allIsTold();
    const [ofMember, ofGuest] = [await listen({ 'x-user-token': member.token }), await listen({ 'x-user-token': guest.token })];
    const hidden = await putPackage(t, { teamspace_id: space });
    await manage(hidden, 'POST', '/links', { email: 'post@example.com' });
    await putTransfer(t, { package_id: hidden });
    await db.updateTable('packages').set({ name: 'Renamed' }).where('id', '=', hidden).execute();
    await newPortal(t);
    await putConnection(t);
    await db.updateTable('teamspaces').set({ name: 'Grading' }).where('id', '=', space).execute();
    const through = await putPackage(t, { through_portal: true });
    await manage(through, 'POST', '/links', { email: 'post@example.com' });
    for (const reader of [ofMember, ofGuest]) await markEnd(reader);
    const facts = (reader: EventReader<TeamEvent>) =>
      [...new Set(heardBy(reader).map(({ what, package_id }) => `${what} ${package_id ?? ''}`))].toSorted();
    expect(facts(ofMember)).toEqual([`links ${through}`, `packages ${through}`, 'tags ']);
    expect(facts(ofGuest)).toEqual([`packages ${through}`, 'tags ']);
    // Who comes into a Teamspace hears of it, and of what is in it from then on.
    await db.insertInto('teamspace_members').values({ id: newId(), teamspace_id: space, user_id: member.userId, created_at: at }).execute();
    await hears(ofMember, { what: 'teamspaces' });
    await db.updateTable('packages').set({ name: 'Renamed again' }).where('id', '=', hidden).execute();
    await hears(ofMember, { what: 'packages', package_id: hidden });
    const before = heardBy(ofMember).length;
    await db.deleteFrom('teamspaces').where('id', '=', space).execute();
    await expect.poll(() => heardBy(ofMember).slice(before), patient).toContainEqual({ what: 'teamspaces' });
    expect(heardBy(ofGuest).some(({ what }) => what === 'teamspaces')).toBe(false);
  });

  it('tell of the log to those who read it, of keys to who made them, and of settings to all', async () => {
    const roles = ['owner', 'admin', 'integration_manager', 'member'] as const;
    const people = await Promise.all(roles.map((role) => addUser(t, role)));
    const readers = await Promise.all(people.map(({ token }) => listen({ 'x-user-token': token })));
    const ofManager = {
      id: newId(),
      team_id: t.teamId,
      created_by: people[2]!.userId,
      name: 'Render farm',
      description: '',
      state: 'active',
    } as const;
    const at = { created_at: new Date(), updated_at: new Date() };
    await db
      .insertInto('api_keys')
      .values({ ...ofManager, secret_hash: randomBytes(32), expiry: null, ...at })
      .execute();
    await t.call('PUT', `/v1/teams/${t.teamId}`, { headers: byKey(), body: { imprint_url: 'https://example.com/imprint' } });
    await hears(readers[0]!, { what: 'audit_log' });
    const facts = [];
    for (const reader of readers) {
      await markEnd(reader);
      // Mails and jobs of other tests may still tell of what they change.
      facts.push(['api_keys', 'audit_log', 'team'].filter((what) => heardBy(reader).some((heard) => heard.what === what)));
    }
    expect(facts).toEqual([['api_keys', 'audit_log', 'team'], ['audit_log', 'team'], ['api_keys', 'team'], ['team']]);
  });

  it('tell nothing of another Team', async () => {
    const teamId = await addTeam(t, 'Northlight');
    const { token } = await addUser(t, 'owner', teamId);
    await allIsTold();
    const reader = await listen({ 'x-user-token': token }, teamId);
    await listen();
    await putPackage(t);
    await markEnd(reader, teamId);
    expect(heardBy(reader)).toEqual([{ what: 'tags' }]);
  });

  it('end for who leaves the Team, for a session that is ended elsewhere, and with the password of a token without one', async () => {
    const [left, out, old] = [await addUser(t, 'member'), await addUser(t, 'member'), await addUser(t, 'member')];
    const at = new Date();
    const source = { userAgent: 'Tests', address: '127.0.0.1' };
    const { sessionId, secret } = await startBrowserSession(db, {
      userId: out.userId,
      version: 1,
      source,
      byPasswordAlone: false,
      ssoTeamId: null,
      at,
    });
    const readers = [
      await listen({ 'x-user-token': left.token }),
      await listen({ cookie: `__Host-longshore=${sessionId}.${secret}`, 'x-longshore-page': '1' }),
      await listen({ 'x-user-token': old.token }),
    ];
    await db.updateTable('users').set({ token_version: 2 }).where('id', '=', old.userId).execute();
    await db.deleteFrom('memberships').where('user_id', '=', left.userId).execute();
    await db.deleteFrom('sessions').where('id', '=', sessionId).execute();
    for (const { services } of t.services) services.credentials.invalidateAll();
    await putPackage(t, { through_portal: true });
    for (const reader of readers) expect(await reader.ended).toBe('in order');
    for (const reader of readers) expect(heardBy(reader).map(({ what }) => what)).not.toContain('packages');
  });

  it('end for an API key that is switched off, and for one whose maker has another role or none', async () => {
    const makers = await Promise.all(['admin', 'admin', 'integration_manager'].map((role) => addUser(t, role as 'admin')));
    const keys = await Promise.all(
      makers.map(({ token }) =>
        t.call<{ id: string; key: string }>('POST', `/v1/teams/${t.teamId}/api_keys`, {
          headers: { 'x-user-token': token },
          body: { name: 'Render farm', description: '', state: 'active' },
        }),
      ),
    );
    const [off, left, lowered] = await Promise.all(keys.map(({ body }) => listen({ 'x-api-key': body.key })));
    await t.call('PUT', `/v1/api_keys/${keys[0]!.body.id}/inactive`, { headers: { 'x-user-token': makers[0]!.token } });
    await db.deleteFrom('memberships').where('user_id', '=', makers[1]!.userId).execute();
    await db.updateTable('memberships').set({ role: 'member' }).where('user_id', '=', makers[2]!.userId).execute();
    await newPortal(t);
    await putPackage(t, { through_portal: true });
    for (const reader of [off!, left!]) expect(await reader.ended).toBe('in order');
    await markEnd(lowered!);
    for (const reader of [off!, left!, lowered!]) expect(heardBy(reader).map(({ what }) => what)).not.toContain('portals');
  });

  describe('that go on from a position', () => {
    const position = async (token: string, watch: string) =>
      (await t.call<Account>('GET', `/v1/users/me?watch=${watch}`, { headers: { 'x-user-token': token } })).body.position;
    /** Others who write at the same time may keep it from being certain. */
    async function certainPosition(token: string, watch: string): Promise<string> {
      await expect.poll(() => position(token, watch), patient).toBeDefined();
      return (await position(token, watch)) ?? (await certainPosition(token, watch));
    }
    /** Of streams that begin anew the first that says from where another goes on: nobody wrote for as long as it waited. */
    async function surely(teamId: string, begin: () => Promise<EventReader<TeamEvent>>): Promise<EventReader<TeamEvent>> {
      for (;;) {
        const reader = await begin();
        if (reader.ids.at(-1)!.startsWith(teamId)) return reader;
        reader.close();
      }
    }

    it('begin with what changed since, at another process too', async () => {
      const [own, other] = [await addTeam(t, 'Own'), await addTeam(t, 'Other')];
      const { token } = await addUser(t, 'member', own);
      const since = await certainPosition(token, '');
      expect(since.startsWith(own)).toBe(true);
      const quiet = await listen({ 'x-user-token': token }, own, since);
      expect(quiet.events[0]).toMatchObject({ type: 'changed', changes: [] });
      const id = await putPackage(t, { team_id: own, created_by: null, through_portal: true });
      await putPackage(t, { team_id: other, created_by: null, through_portal: true });
      await newPortal(t);
      await hears(quiet, { what: 'packages', package_id: id });
      // Portals are for others to hear of.
      const late = await listen({ 'x-user-token': token }, own, since);
      expect(late.events[0]).toMatchObject({ type: 'changed', changes: [{ what: 'packages', package_id: id }] });
      await markEnd(late, own);
    });

    it('begin as others where it is too old, of another Team, of a future or none', async () => {
      const teamId = await addTeam(t, 'Northlight');
      const { token } = await addUser(t, 'member', teamId);
      const since = await certainPosition(token, teamId);
      const old = `${teamId}.${Date.now() - 120_000}`;
      for (const one of [old, since.replace(teamId, t.teamId), `${teamId}.${Date.now() + 60_000}`, 'soon', '']) {
        const reader = await listen({ 'x-user-token': token }, teamId, one);
        expect([one, reader.events[0]!.type]).toEqual([one, 'state']);
        reader.close();
      }
      expect(await position(token, t.teamId)).toBeUndefined();
      expect(await position(token, 'x')).toBeUndefined();
    });

    it('go on where another one ended, at another process too, and tell nothing twice that is old', async () => {
      const teamId = await addTeam(t, 'Northlight');
      const { token } = await addUser(t, 'member', teamId);
      const headers = { 'x-user-token': token };
      await certainPosition(token, teamId);
      const listenAt = async (service: number, since: string) => {
        const reader = await readEvents<TeamEvent>(`${t.services[service]!.url}/v1/teams/${teamId}/events?since=${since}`, headers);
        open.push(reader);
        await expect.poll(() => reader.events.length, patient).toBeGreaterThan(0);
        return reader;
      };
      const first = await surely(teamId, () => listenAt(1, ''));
      expect(first.events[0]!.type).toBe('state');
      const told = await putPackage(t, { team_id: teamId, created_by: null, through_portal: true });
      await hears(first, { what: 'packages', package_id: told });
      first.close();
      // Nobody listens.
      const missed = await putPackage(t, { team_id: teamId, created_by: null, through_portal: true });
      const later = [await listenAt(1, first.ids.at(-1)!), await listenAt(0, first.ids.at(-1)!)];
      for (const reader of later) {
        expect(reader.events[0]!.type).toBe('changed');
        expect(reader.events[0]!.changes).toContainEqual({ what: 'packages', package_id: missed });
      }
    });

    it('begin anew after one that might have missed something', async () => {
      const teamId = await addTeam(t, 'Busy');
      const { token } = await addUser(t, 'member', teamId);
      const headers = { 'x-user-token': token };
      const reader = await db.transaction().execute(async (trx) => {
        await trx.updateTable('teams').set({ name: 'Busier' }).where('id', '=', teamId).execute();
        // It waits two seconds for those who may have looked before it came.
        return await listen(headers, teamId);
      });
      await markEnd(reader, teamId);
      const later = await surely(teamId, () => listen(headers, teamId, reader.ids.at(-1)!));
      expect(later.events[0]!.type).toBe('state');
      // That one was not disturbed.
      const last = await listen(headers, teamId, later.ids.at(-1)!);
      expect(last.events[0]!.type).toBe('changed');
    });

    it('are told that anything may have changed, and begin anew, where nobody watched for a while', async () => {
      const teamId = await addTeam(t, 'Forgotten');
      const { events } = t.services[1]!.services;
      /** One that has a position, as it has unless others write for as long as it waits. */
      const subscribe = async () => {
        for (;;) {
          const one = await events.subscribeTeam(teamId);
          onTestFinished(() => one.close());
          if ((await one.position()) !== null) return one;
        }
      };
      const before = await subscribe();
      await subscribe();
      expect(before.take()).toEqual(new Map());
      // As if the time of a watch had gone by since it was renewed.
      await sql`update team_watches set until = until + interval '2 minutes' where team_id = ${teamId}`.execute(db);
      await subscribe();
      expect(before.take()).toBeNull();
      expect(await before.position()).toBeNull();
    });

    it('have none while somebody writes who may have looked before', async () => {
      const teamId = await addTeam(t, 'Busy');
      const { token } = await addUser(t, 'member', teamId);
      await db.transaction().execute(async (trx) => {
        await trx.updateTable('teams').set({ name: 'Busier' }).where('id', '=', teamId).execute();
        expect(await position(token, '')).toBeUndefined();
      });
      const since = await certainPosition(token, '');
      expect((await listen({ 'x-user-token': token }, teamId, since)).events[0]!.type).toBe('changed');
    });

    it('have one while other programs hold transactions open', async () => {
      const { token } = await addUser(t, 'member', await addTeam(t, 'Shared'));
      await db.transaction().execute(async (trx) => {
        await sql`create temporary table of_another_program on commit drop as select pg_current_xact_id() as id`.execute(trx);
        await certainPosition(token, '');
      });
    });
  });

  it('say that anything may have changed where very much has', async () => {
    const reader = await listen();
    await sql`
      insert into packages (id, team_id, name, description, sender, recipients, unlimited_storage, access_limit, chunk_size, created_at, updated_at)
      select gen_random_uuid(), ${t.teamId}, 'Bulk', '', '', '{}', false, 0, 0, now(), now() from generate_series(1, 2100)`.execute(db);
    await expect
      .poll(() => reader.events.slice(1).some(({ type, changes }) => type === 'state' || changes.length === 1), patient)
      .toBe(true);
    expect(JSON.stringify(reader.events.at(-1)).length).toBeLessThan(10_000);
  });

  it('cost no message while nobody watches, and miss nothing that is under way as somebody comes', async () => {
    const teamId = await addTeam(t, 'Quiet');
    const messages: string[] = [];
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    onTestFinished(() => client.end());
    client.on('error', () => undefined);
    client.on('notification', ({ payload = '' }) => messages.push(payload));
    await client.query('listen longshore_realtime');
    await putPackage(t, { team_id: teamId, created_by: null });
    await client.query(`select pg_notify('longshore_realtime', 'end')`);
    await expect.poll(() => messages, patient).toContain('end');
    expect(messages.filter((text) => text.includes(teamId))).toEqual([]);

    const { token } = await addUser(t, 'owner', teamId);
    const { promise: made, resolve: isMade } = Promise.withResolvers<void>();
    const { promise: commit, resolve: mayCommit } = Promise.withResolvers<void>();
    onTestFinished(() => mayCommit());
    const writing = db.transaction().execute(async (trx) => {
      await putPackage(
        { ...t, service: { ...t.service, services: { ...t.service.services, db: trx as never } } },
        { team_id: teamId, created_by: null },
      );
      isMade();
      await commit;
    });
    await made;
    const reading = readEvents<TeamEvent>(`${t.services[1]!.url}/v1/teams/${teamId}/events`, { 'x-user-token': token });
    // It is written down that somebody watches, and waited for who did not know.
    await expect
      .poll(
        () =>
          db
            .selectFrom('team_watches' as keyof Database)
            .select(sql`1`.as('there'))
            .where(sql`team_id`, '=', teamId)
            .execute(),
        patient,
      )
      .toHaveLength(1);
    mayCommit();
    await writing;
    const reader = await reading;
    open.push(reader);
    await expect.poll(() => reader.events.length, patient).toBeGreaterThan(0);
  });
});
