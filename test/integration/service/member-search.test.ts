import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '#protocol/hosted/members.ts';
import type { Teamspace } from '#protocol/hosted/teamspaces.ts';
import { limits } from '#protocol/limits.ts';
import { type Role, roles } from '#protocol/roles.ts';
import { createCredentialUsage } from '#service/credentials/credential-usage.ts';
import { newId } from '#service/ids.ts';
import { createLogger } from '#service/log.ts';
import { startProgramSession } from '#service/sessions/sessions.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, type TestUser } from '#test/support/service/users.ts';

let at: TestService;
beforeAll(async () => {
  at = await startTestService({ limits: { signInsPerAddress: 10_000, refusalsPerAddress: 10_000 } });
});
afterAll(() => at?.close());

const unset = '0001-01-01T00:00:00.000Z';
const as = ({ token }: Pick<TestUser, 'token'>) => ({ 'x-user-token': token });
interface Found {
  readonly metadata: { readonly total: number };
  readonly records: Member[];
  readonly next: string;
}
const find = (who: TestUser, team: string, query: Readonly<Record<string, string>> = {}) =>
  at.call<Found & { message: string }>('GET', `/v1.1/teams/${team}/members?${new URLSearchParams(query)}`, { headers: as(who) });
const namesIn = ({ records }: Found) => records.map(({ name }) => name);

async function named(team: string, role: Role, name: string): Promise<TestUser> {
  const user = await addUser(at, role, team);
  await at.service.services.db.updateTable('users').set({ name }).where('id', '=', user.userId).execute();
  return user;
}

async function team(): Promise<{ readonly id: string; readonly owner: TestUser }> {
  const id = await addTeam(at, 'A Team');
  return { id, owner: await named(id, 'owner', 'Mia Sandberg') };
}

const invite = (who: TestUser, id: string, body: object) => at.call('POST', `/v1/teams/${id}/members`, { headers: as(who), body });
const newSpace = async (who: TestUser, id: string, name: string, members: readonly string[]) =>
  (await at.call<Teamspace>('POST', `/v1/teams/${id}/spaces`, { headers: as(who), body: { name, member_ids: members } })).body;

/** Many members at once, as `Person 00000` and so on. */
async function addMany(id: string, count: number): Promise<void> {
  const { db, now } = at.service.services;
  const ids = Array.from({ length: count }, () => newId());
  await sql`
    insert into users (id, email, name, password_hash, created_at, updated_at)
    select new.id, 'p-' || new.id || '@example.com', 'Person ' || lpad((new.n - 1)::text, 5, '0'), '', ${now()}, ${now()}
    from unnest(${ids}::uuid[]) with ordinality as new (id, n)`.execute(db);
  await sql`
    insert into memberships (id, team_id, user_id, role, created_at)
    select id, ${id}::uuid, id, 'member', ${now()} from unnest(${ids}::uuid[]) as new (id)`.execute(db);
}

describe('the list of members with search', () => {
  it('is in the order of names, whatever their case, and goes on where a page ended', async () => {
    const { id, owner } = await team();
    for (const name of ['zoe', 'Anna', 'anna', 'Ömer', 'Bo']) await named(id, 'member', name);
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { body } = await find(owner, id, { limit: '2', ...(after && { after }) });
      expect(body.metadata.total).toBe(6);
      seen.push(...namesIn(body));
      after = body.next;
      if (after === '') break;
    }
    expect(seen.map((name) => name.toLowerCase())).toEqual(['anna', 'anna', 'bo', 'mia sandberg', 'zoe', 'ömer']);
    expect(new Set(seen).size).toBe(6);
  });

  it('finds parts of names and addresses literally, by role, state and Teamspace', async () => {
    const { id, owner } = await team();
    const guest = await named(id, 'guest', '100% sure_thing \\ "<b>');
    await named(id, 'admin', 'Jonas');
    await invite(owner, id, { email: 'Late@Example.com', role: 'guest', name: 'Late' });
    const namesFor = async (query: Readonly<Record<string, string>>) => namesIn((await find(owner, id, query)).body);
    for (const search of ['100%', 'E_T', '\\ "<', guest.email.slice(3, 30).toUpperCase()]) {
      expect(await namesFor({ search })).toEqual(['100% sure_thing \\ "<b>']);
    }
    expect(await namesFor({ search: '1_0' })).toEqual([]);
    expect(await namesFor({ search: 'late@EXAMPLE' })).toEqual(['Late']);
    expect(await namesFor({ role: 'guest' })).toEqual(['100% sure_thing \\ "<b>', 'Late']);
    expect(await namesFor({ role: 'guest', state: 'invited' })).toEqual(['Late']);
    expect(await namesFor({ state: 'active' })).toEqual(['100% sure_thing \\ "<b>', 'Jonas', 'Mia Sandberg']);

    const [{ id: memberId }] = (await find(owner, id, { search: 'Jonas' })).body.records as [Member];
    const space = await newSpace(owner, id, 'Northlight', [memberId]);
    expect(await namesFor({ space_id: space.id })).toEqual(['Jonas']);
    expect((await find(owner, id, { search: 'Jonas' })).body.records[0]!.teamspaces).toEqual([{ id: space.id, name: 'Northlight' }]);
    // A Teamspace that they do not see is not there for them, neither as a filter nor at people.
    expect((await find(guest, id, { space_id: space.id })).status).toBe(404);
    expect((await find(guest, id, { search: 'Jonas' })).body.records[0]!.teamspaces).toEqual([]);
    const other = await team();
    const foreign = await newSpace(other.owner, other.id, 'Elsewhere', []);
    for (const spaceId of [foreign.id, newId(), 'x']) expect((await find(owner, id, { space_id: spaceId })).status).toBe(404);
  });

  it('shows who is invited, and when people were last seen, to those who manage members alone', async () => {
    const { id, owner } = await team();
    await invite(owner, id, { email: 'late@example.com', role: 'guest', name: 'Late' });
    for (const role of roles) {
      const who = await named(id, role, `A ${role}`);
      const { body } = await find(who, id);
      const manages = role === 'owner' || role === 'admin';
      expect(namesIn(body).includes('Late')).toBe(manages);
      for (const one of body.records) {
        const shown = manages && one.state === 'active';
        expect([one.last_seen_at, one.mfa]).toEqual(shown ? [unset, false] : [undefined, undefined]);
      }
      const table = await fetch(`${at.url}/v1/teams/${id}/members/csv`, { headers: as(who) });
      expect(table.status).toBe(manages ? 200 : 403);
      await table.body?.cancel();
    }
    expect((await find((await team()).owner, id)).status).toBe(404);
  });

  it('tells when somebody used the service with a session, and not with an API key', async () => {
    const { id, owner } = await team();
    const before = at.service.services.now();
    const { sessionId } = await startSession(owner);
    const token = await at.service.services.tokens.sign('user', { userId: owner.userId, version: 1, sessionId });
    const seen = async () => (await find({ ...owner, token }, id)).body.records[0]!.last_seen_at!;
    expect(Date.parse(await seen())).toBeGreaterThanOrEqual(before.getTime());
    const { db } = at.service.services;
    const setSeen = (seen_at: Date) => db.updateTable('users').set({ seen_at }).where('id', '=', owner.userId).execute();
    const usage = createCredentialUsage(db, createLogger('silent'));
    const later = new Date(before.getTime() + 3_600_000);
    usage.sessionUsed(sessionId, later);
    usage.keyUsed(newId(), later);
    await usage.flush();
    expect(await seen()).toBe(later.toISOString());
    // To the minute, and never back.
    for (const other of [later.getTime() + 30_000, before.getTime()]) {
      usage.sessionUsed(sessionId, new Date(other));
      await usage.flush();
      expect(await seen()).toBe(later.toISOString());
    }
    // Another process that writes it at the same moment is not waited for.
    await setSeen(new Date(0));
    await db.transaction().execute(async (trx) => {
      await trx.selectFrom('users').select('id').where('id', '=', owner.userId).forUpdate().execute();
      usage.sessionUsed(sessionId, later);
      await usage.flush();
    });
    expect(await seen()).toBe(new Date(0).toISOString());
  });

  it('refuses a cursor that it has not made', async () => {
    const { id, owner } = await team();
    for (const after of ['x', Buffer.from('["a"]').toString('base64url'), Buffer.from('["a","b"]').toString('base64url')]) {
      expect([(await find(owner, id, { after })).status, (await find(owner, id, { after })).body.message]).toEqual([
        400,
        expect.stringContaining('after'),
      ]);
    }
  });

  it('holds 10,000 members: its pages, its search and its table, which has each once', async () => {
    const { id, owner } = await team();
    await addMany(id, 10_000);
    const limit = String(limits.membersPageSize);
    const first = (await find(owner, id, { limit })).body;
    const second = (await find(owner, id, { limit, after: first.next })).body;
    expect([first.metadata.total, second.metadata.total]).toEqual([10_001, 10_001]);
    expect(new Set([...first.records, ...second.records].map((one) => one.id)).size).toBe(2 * limits.membersPageSize);
    expect(namesIn((await find(owner, id, { search: 'person 09999' })).body)).toEqual(['Person 09999']);
    const table = await (await fetch(`${at.url}/v1/teams/${id}/members/csv`, { headers: as(owner) })).text();
    const lines = table.trimEnd().split('\r\n');
    expect([lines.length, new Set(lines).size]).toEqual([10_002, 10_002]);
  });
});

async function startSession(who: TestUser): Promise<{ readonly sessionId: string }> {
  const { db, now } = at.service.services;
  return await startProgramSession(db, {
    userId: who.userId,
    version: 1,
    source: { userAgent: 'test', address: '127.0.0.1' },
    byPasswordAlone: false,
    ssoTeamId: null,
    at: now(),
  });
}

describe('the table of members', () => {
  it('has a line for each person, and no formula', async () => {
    const { id, owner } = await team();
    const evil = await named(id, 'member', '=HYPERLINK("https://example.com","x")');
    await invite(owner, id, { email: 'late@example.com', role: 'guest', name: 'Late, "really"' });
    const answer = await fetch(`${at.url}/v1/teams/${id}/members/csv`, { headers: as(owner) });
    expect(answer.headers.get('content-type')).toContain('text/csv');
    const lines = (await answer.text()).split('\r\n');
    expect(lines[0]).toBe('name,email,role,state,mfa,teamspaces,created_at,last_seen_at,expires_at');
    expect(lines[1]).toMatch(new RegExp(`^"'=HYPERLINK\\(""https://example\\.com"",""x""\\)",${evil.email},member,active,no,,\\S+,,$`));
    expect(lines[2]).toMatch(/^"Late, ""really""",late@example\.com,guest,invited,,,\S+,,\S+$/);
  });
});
