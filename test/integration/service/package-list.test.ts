import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Package, packageSorts, packageStates } from '#protocol/hosted/packages.ts';
import type { Role } from '#protocol/roles.ts';
import { newId } from '#service/ids.ts';
import { matching, type Query, type Row } from '#test/support/service/package-list-model.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, type TestUser } from '#test/support/service/users.ts';

/** The Team's list against a small model (test/support/service/package-list-model.ts). */

type Listing = { metadata: { total: number }; records: Package[] };

let t: TestService;
let rows: Row[];
let member: TestUser;
let guest: TestUser;
const teamspaces = [newId(), newId()].sort();
const tags = [newId(), newId()];

beforeAll(async () => {
  t = await startTestService();
  const { db, now } = t.service.services;
  const times = { created_at: now(), updated_at: now() };
  [member, guest] = [await addUser(t, 'member'), await addUser(t, 'guest')];
  await db
    .insertInto('teamspaces')
    .values(teamspaces.map((id, index) => ({ id, team_id: t.teamId, name: `Space ${index}`, ...times })))
    .execute();
  await db
    .insertInto('tags')
    .values(tags.map((id, index) => ({ id, team_id: t.teamId, name: `Tag ${index}`, ...times })))
    .execute();
  await db
    .insertInto('teamspace_members')
    .values([member, guest].map(({ userId }) => ({ id: newId(), teamspace_id: teamspaces[0]!, user_id: userId, created_at: now() })))
    .execute();

  const pick = <T>(values: readonly T[], index: number, step: number): T => values[Math.floor(index / step) % values.length]!;
  rows = Array.from({ length: 130 }, (_, index): Row => {
    const expiry = index % 7 === 0 ? null : new Date(Date.UTC(2026, 11, 1 + (index % 9), 12));
    return {
      id: newId(),
      name: pick(['alpha', 'Alpha', 'beta_100%', 'beta 100', 'Gamma\\x', 'délta'], index, 1),
      sender: pick(['Mia@example.com', 'mia@example.com', 'tom@example.com'], index, 2),
      state: pick(packageStates, index, 3),
      size: (index * 37) % 11,
      usage_total_bytes: (index * 17) % 5,
      created_at: new Date(Date.UTC(2026, 9, 1 + (index % 20), index % 24, 30)),
      expiry,
      custom_expiry: index % 4 === 1,
      unlimited_storage: expiry === null,
      teamspace_id: pick([null, teamspaces[0]!, teamspaces[1]!], index, 5),
      tag_id: pick([null, tags[0]!, tags[1]!], index, 4),
      created_by: index % 6 === 0 ? member.userId : t.userId,
    };
  });
  await db
    .insertInto('packages')
    .values(
      rows.map((row) => ({
        ...row,
        team_id: t.teamId,
        description: '',
        recipients: ['a@x.org'],
        access_limit: 0,
        chunk_size: 0,
        updated_at: row.created_at,
      })),
    )
    .execute();
});
afterAll(async () => {
  await t?.close();
});

async function list(query: Query, token?: string): Promise<Listing> {
  const answer = await t.call<Listing>('GET', `/v1.1/teams/${t.teamId}/packages?${new URLSearchParams(query)}`, {
    headers: token === undefined ? { 'x-api-key': t.apiKey } : { 'x-user-token': token },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

function model(query: Query, sees: (row: Row) => boolean): { total: number; ids: string[] } {
  const found = matching(rows, query, sees);
  const limit = Number(query['limit'] ?? 50);
  const start = (Number(query['page'] ?? 1) - 1) * limit;
  return { total: found.length, ids: found.slice(start, start + limit).map((row) => row.id) };
}

const everyone = () => true;

async function expectAsModel(query: Query, token?: string, sees: (row: Row) => boolean = everyone): Promise<Listing> {
  const listing = await list(query, token);
  const expected = model(query, sees);
  expect(listing.metadata.total).toBe(expected.total);
  expect(listing.records.map((record) => record.id)).toEqual(expected.ids);
  return listing;
}

describe("a Team's packages", () => {
  it.each(packageSorts)('sort by %s, page by page, each once', async (sort) => {
    const seen: string[] = [];
    for (let page = 1; page <= 4; page++) {
      const { records } = await expectAsModel({ sort, page: String(page), limit: '40', status: packageStates.join(',') });
      seen.push(...records.map((record) => record.id));
    }
    expect(new Set(seen).size).toBe(rows.length);
  });

  it.each<[string, Query]>([
    ['nothing asked: finalized and expired, newest first, 50', {}],
    ['one status', { status: 'new' }],
    ['part of a name, regardless of case', { name: 'ALPH' }],
    ['a name with what LIKE would take for wildcards', { name: '_100%' }],
    ['a backslash', { name: 'a\\x' }],
    ['a sender', { sender: 'MIA@example.com' }],
    ['tags', { tags: tags.join(',') }],
    ['one Teamspace', { teamspaces: teamspaces[0]! }],
    ['ids that are none', { tags: 'x', teamspaces: ',,' }],
    ['a day to a day', { created_at_start: '2026-10-05', created_at_end: '2026-10-07' }],
    ['a moment to a moment', { created_at_start: '2026-10-05T05:30:00.000Z', created_at_end: '2026-10-06T06:30:00Z' }],
    ['an expiry', { expiry_start: '2026-12-03', expiry_end: '2026-12-05T12:00:00Z' }],
    ['kept longer than usual', { extra_storage: 'true' }],
    ['kept for the usual time', { extra_storage: 'false' }],
    ['a page beyond the last', { page: '99' }],
  ])('filter by %s', async (_, query) => {
    await expectAsModel(query);
  });

  it('match the model for any combination of filters, sort and page', async () => {
    const days = fc.integer({ min: 1, max: 21 }).map((day) => `2026-10-${String(day).padStart(2, '0')}`);
    const expiries = fc.integer({ min: 1, max: 9 }).map((day) => `2026-12-0${day}T12:00:00.000Z`);
    const query = fc.record(
      {
        sort: fc.constantFrom(...packageSorts),
        status: fc.subarray([...packageStates], { minLength: 1 }).map((states) => states.join(',')),
        name: fc.constantFrom('a', '100', '%', 'É'),
        sender: fc.constantFrom('tom@example.com', 'nobody@example.com'),
        tags: fc.subarray(tags, { minLength: 1 }).map((ids) => ids.join(',')),
        teamspaces: fc.subarray(teamspaces, { minLength: 1 }).map((ids) => ids.join(',')),
        created_at_start: days,
        created_at_end: days,
        expiry_start: expiries,
        expiry_end: expiries,
        extra_storage: fc.constantFrom('true', 'false'),
        page: fc.integer({ min: 1, max: 4 }).map(String),
        limit: fc.integer({ min: 1, max: 50 }).map(String),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        await expectAsModel(asked as Query);
      }),
      { numRuns: 120 },
    );
  });

  it.each(['page=0', 'limit=51', 'limit=0', 'sort=password', 'status=gone', 'created_at_start=yesterday', 'extra_storage=maybe'])(
    'refuse %s, naming it',
    async (query) => {
      const answer = await t.call<{ message: string }>('GET', `/v1.1/teams/${t.teamId}/packages?${query}`, {
        headers: { 'x-api-key': t.apiKey },
      });
      expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(query.split('=')[0]!) } });
    },
  );

  it('show their tag, Teamspace and recipients', async () => {
    const { records } = await list({ status: packageStates.join(','), limit: '50' });
    for (const record of records) {
      const row = rows.find((one) => one.id === record.id)!;
      expect(record.tag).toEqual(row.tag_id === null ? undefined : { id: row.tag_id, name: `Tag ${tags.indexOf(row.tag_id)}` });
      expect(record.teamspace).toEqual(
        row.teamspace_id === null ? undefined : { id: row.teamspace_id, name: `Space ${teamspaces.indexOf(row.teamspace_id)}` },
      );
      expect(record).toMatchObject({ recipients: ['a@x.org'], state: row.state, size: row.size, password: '' });
    }
  });
});

describe('who sees which packages', () => {
  it.each<[Role, boolean]>([
    ['owner', true],
    ['admin', true],
    ['integration_manager', false],
    ['member', false],
    ['guest', false],
  ])('%s sees all: %s', async (role, all) => {
    const person = await addUser(t, role);
    await expectAsModel({}, person.token, () => all);
  });

  it("a member sees their own and their Teamspaces', and may manage them", async () => {
    const query = { status: packageStates.join(',') };
    const sees = (row: Row) => row.created_by === member.userId || row.teamspace_id === teamspaces[0];
    const { records } = await expectAsModel(query, member.token, sees);
    for (const record of records.slice(0, 10)) {
      const links = await t.call('GET', `/v1/packages/${record.id}/links`, { headers: { 'x-package-token': record.access_token } });
      expect(links.status).toBe(200);
    }
  });

  it("a guest sees their Teamspaces', and may only read them", async () => {
    const { records } = await expectAsModel({ status: 'finalized' }, guest.token, (row) => row.teamspace_id === teamspaces[0]);
    const [record] = records;
    const headers = { 'x-package-token': record!.access_token };
    const at = `/v1/packages/${record!.id}`;
    expect((await t.call('GET', at, { headers })).status).toBe(200);
    expect((await t.call('GET', `${at}/files`, { headers })).status).toBe(200);
    for (const [method, path] of [
      ['GET', `${at}/links`],
      ['POST', `${at}/finalize`],
      ['GET', `${at}/files/${newId()}/download`],
    ] as const) {
      expect((await t.call(method, path, { headers })).status).toBe(403);
    }
  });

  it('a user of another Team sees none', async () => {
    const other = await addTeam(t, 'Elsewhere');
    const stranger = await addUser(t, 'owner', other);
    const at = (team: string) => `/v1.1/teams/${team}/packages`;
    expect((await t.call('GET', at(t.teamId), { headers: { 'x-user-token': stranger.token } })).status).toBe(404);
    const own = await t.call<Listing>('GET', at(other), { headers: { 'x-user-token': stranger.token } });
    expect(own.body).toEqual({ metadata: { total: 0 }, records: [] });
  });
});

it('a token from the list manages the package as the one from its creation does', async () => {
  const sender = await newSender(t, { name: 'from the list' });
  const { records } = await list({ status: 'new', name: 'from the list' });
  expect(records).toHaveLength(1);
  const made = await t.call('POST', `/v1/packages/${sender.package.id}/files`, {
    headers: { 'x-package-token': records[0]!.access_token },
    body: { kind: 'directory', name: 'a', path: '', last_modified: '2026-01-01T00:00:00Z' },
  });
  expect(made.status).toBe(201);
});
