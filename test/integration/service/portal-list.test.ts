import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Portal, portalSorts } from '#protocol/hosted/portals.ts';
import { newId } from '#service/ids.ts';
import { stored } from '#service/portals/manage.ts';
import { defaultSettings } from '#service/portals/settings.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam } from '#test/support/service/users.ts';

/** The Team's list against a small model: the same Portals in memory, filtered, sorted and paged by plain code. */

interface Row {
  readonly id: string;
  readonly name: string;
  readonly subdomain: string;
  readonly active: boolean;
  readonly created_at: Date;
  readonly tag_id: string | null;
  readonly teamspace_id: string | null;
}

type Listing = { metadata: { total: number }; records: Portal[]; next: string };
type Query = Readonly<Record<string, string>>;

let t: TestService;
let rows: Row[];
const tags = [newId(), newId()];
const teamspaces = [newId(), newId()];

beforeAll(async () => {
  t = await startTestService();
  const { db, now } = t.service.services;
  const times = { created_at: now(), updated_at: now() };
  const other = await addTeam(t, 'Other');
  await db
    .insertInto('tags')
    .values(tags.map((id, index) => ({ id, team_id: t.teamId, name: `Tag ${index}`, ...times })))
    .execute();
  await db
    .insertInto('teamspaces')
    .values(teamspaces.map((id, index) => ({ id, team_id: t.teamId, name: `Space ${index}`, ...times })))
    .execute();
  const pick = <T>(values: readonly T[], index: number, step: number): T => values[Math.floor(index / step) % values.length]!;
  rows = Array.from({ length: 117 }, (_, index) => ({
    id: newId(),
    name: pick(['dailies', 'Dailies', 'grade_100%', 'grade 100', 'Ton\\x', 'élan'], index, 1),
    subdomain: `${pick(['north', 'south', 'no'], index, 2)}-${index}`,
    active: index % 3 === 0,
    created_at: new Date(Date.UTC(2026, 9, 1 + (index % 11), 12)),
    tag_id: pick([null, tags[0]!, tags[1]!], index, 4),
    teamspace_id: pick([null, teamspaces[0]!, teamspaces[1]!], index, 5),
  }));
  const whole = (row: Row, team_id: string) => ({
    ...stored({ ...defaultSettings, name: row.name, subdomain: row.subdomain, active: row.active }),
    id: row.id,
    team_id,
    tag_id: row.tag_id,
    teamspace_id: row.teamspace_id,
    created_at: row.created_at,
    updated_at: row.created_at,
  });
  await db
    .insertInto('portals')
    .values([
      ...rows.map((row) => whole(row, t.teamId)),
      whole({ ...rows[0]!, id: newId(), subdomain: 'north-of-others', tag_id: null, teamspace_id: null }, other),
    ])
    .execute();
});
afterAll(() => t?.close());

async function list(query: Query): Promise<Listing> {
  const answer = await t.call<Listing>('GET', `/v1.1/teams/${t.teamId}/portals?${new URLSearchParams(query)}`, {
    headers: { 'x-api-key': t.apiKey },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

const keys: Readonly<Record<string, (row: Row) => string | number>> = {
  name: (row) => row.name.toLowerCase(),
  created_at: (row) => row.created_at.getTime(),
  active: (row) => Number(row.active),
};
const compare = (a: string | number, b: string | number): number => (a === b ? 0 : a < b ? -1 : 1);

function model(query: Query): { total: number; ids: string[] } {
  const matching = rows.filter(
    (row) =>
      (query['name'] === undefined || row.name.toLowerCase().includes(query['name'].toLowerCase())) &&
      (query['subdomain'] === undefined || row.subdomain.includes(query['subdomain'].toLowerCase())) &&
      (query['tags'] === undefined || query['tags'].split(',').includes(row.tag_id ?? '-')) &&
      (query['teamspaces'] === undefined || query['teamspaces'].split(',').includes(row.teamspace_id ?? '-')),
  );
  const sort = query['sort'] ?? '-created_at';
  const direction = sort.startsWith('-') ? -1 : 1;
  const key = keys[sort.replace('-', '')]!;
  matching.sort((a, b) => direction * (compare(key(a), key(b)) || compare(a.id, b.id)));
  const limit = Number(query['limit'] ?? 50);
  const start = (Number(query['page'] ?? 1) - 1) * limit;
  return { total: matching.length, ids: matching.slice(start, start + limit).map((row) => row.id) };
}

async function expectAsModel(query: Query): Promise<Listing> {
  const listing = await list(query);
  const expected = model(query);
  expect(listing.metadata.total).toBe(expected.total);
  expect(listing.records.map((record) => record.id)).toEqual(expected.ids);
  return listing;
}

describe("a Team's Portals", () => {
  it.each(portalSorts)('sort by %s, page by page, each once', async (sort) => {
    const seen: string[] = [];
    for (let page = 1; page <= 4; page++) {
      const { records } = await expectAsModel({ sort, page: String(page), limit: '37' });
      seen.push(...records.map((record) => record.id));
    }
    expect(new Set(seen).size).toBe(rows.length);
  });

  it.each<[string, Query]>([
    ['nothing asked: the newest first, 50', {}],
    ['part of a name, regardless of case', { name: 'DAIL' }],
    ['a name with what LIKE would take for wildcards', { name: '_100%' }],
    ['a backslash', { name: 'n\\x' }],
    ['part of a subdomain', { subdomain: 'orth-1' }],
    ['a subdomain in capitals', { subdomain: 'NORTH' }],
    ['tags', { tags: tags.join(',') }],
    ['one Teamspace', { teamspaces: teamspaces[0]! }],
    ['ids that are none', { tags: 'x', teamspaces: ',,' }],
    ['a page beyond the last', { page: '99' }],
  ])('filter by %s', async (_, query) => {
    await expectAsModel(query);
  });

  it('match the model for any combination of filters, sort and page', async () => {
    const query = fc.record(
      {
        sort: fc.constantFrom(...portalSorts),
        name: fc.constantFrom('a', '100', '%', 'É', '\\'),
        subdomain: fc.constantFrom('no', 'south', '-', '1'),
        tags: fc.subarray(tags, { minLength: 1 }).map((ids) => ids.join(',')),
        teamspaces: fc.subarray(teamspaces, { minLength: 1 }).map((ids) => ids.join(',')),
        page: fc.integer({ min: 1, max: 4 }).map(String),
        limit: fc.integer({ min: 1, max: 50 }).map(String),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        await expectAsModel(asked as Query);
      }),
      { numRuns: 100 },
    );
  });

  /** From answer to answer by `next`, `between` the first two. */
  async function walk(query: Query, between?: () => Promise<void>): Promise<string[]> {
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { metadata, records, next } = await list({ ...query, ...(after && { after }) });
      expect(metadata.total).toBeGreaterThanOrEqual(records.length);
      seen.push(...records.map(({ id }) => id));
      if (next === '') return seen;
      if (after === '') await between?.();
      after = next;
    }
  }

  it('count no further than is asked', async () => {
    expect((await list({ count_up_to: '116', limit: '1' })).metadata).toEqual({ total: 116, at_least: true });
    expect((await list({ count_up_to: '117', limit: '1' })).metadata).toEqual({ total: 117 });
  });

  it.each(portalSorts)('go on from answer to answer in the order of %s, as by pages', async (sort) => {
    expect(await walk({ sort, limit: '13' })).toEqual(model({ sort, limit: '1000' }).ids);
    expect(await walk({ sort, limit: '50', name: 'a', teamspaces: teamspaces[0]! })).toEqual(
      model({ sort, limit: '1000', name: 'a', teamspaces: teamspaces[0]! }).ids,
    );
    // A page is a way to begin.
    const { next } = await list({ sort, limit: '13', page: '2' });
    expect((await list({ sort, limit: '13', after: next })).records.map(({ id }) => id)).toEqual(
      model({ sort, limit: '13', page: '3' }).ids,
    );
  });

  it.each([
    ['-created_at', new Date(Date.UTC(2026, 11, 1))],
    ['created_at', new Date(Date.UTC(2026, 8, 1))],
  ])('repeat and hide none while others come and go, in the order of %s', async (sort, created_at) => {
    const { db } = t.service.services;
    const before = model({ sort, limit: '1000' }).ids;
    const id = newId();
    const seen = await walk({ sort, limit: '10' }, async () => {
      const settings = stored({ ...defaultSettings, name: 'Comes', subdomain: `comes-${id}` });
      await db
        .insertInto('portals')
        .values({ ...settings, id, team_id: t.teamId, created_at, updated_at: created_at })
        .execute();
    });
    await db.deleteFrom('portals').where('id', '=', id).execute();
    expect(seen).toEqual(before);
  });

  it('refuse what was no `next` of the same order, naming it', async () => {
    const { next } = await list({ sort: 'name', limit: '1' });
    const made = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const id = rows[0]!.id;
    const forged = [
      ['name', 'x'],
      ['created_at', next],
      ['-name', next],
      ['name', made('name', 'a')],
      ['name', made('name', 'a', id, 'more')],
      ['name', made('name', 'a\0', id)],
      ['name', made('name', 1, id)],
      ['created_at', made('created_at', '9'.repeat(15), id)],
      ['created_at', made('created_at', 'now', id)],
      ['active', made('active', 'maybe', id)],
    ] as const;
    for (const [sort, after] of forged) {
      const query = new URLSearchParams({ sort, after });
      const answer = await t.call('GET', `/v1.1/teams/${t.teamId}/portals?${query}`, { headers: { 'x-api-key': t.apiKey } });
      expect(answer, `${sort} ${after}`).toMatchObject({ status: 400, body: { message: expect.stringContaining('after') } });
    }
  });

  it.each(['page=0', 'limit=51', 'limit=0', 'sort=subdomain', `name=${'x'.repeat(256)}`])('refuse %s, naming it', async (query) => {
    const answer = await t.call('GET', `/v1.1/teams/${t.teamId}/portals?${query}`, { headers: { 'x-api-key': t.apiKey } });
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(query.split('=')[0]!) } });
  });

  it('are all in the legacy list, newest first, each as it is read alone', async () => {
    const headers = { 'x-api-key': t.apiKey };
    const { status, body } = await t.call<Portal[]>('GET', `/v1/teams/${t.teamId}/portals`, { headers });
    expect(status).toBe(200);
    const newestFirst = rows.toSorted((a, b) => compare(b.created_at.getTime(), a.created_at.getTime()) || compare(b.id, a.id));
    expect(body.map((portal) => portal.id)).toEqual(newestFirst.map((row) => row.id));
    for (const portal of body.slice(0, 5)) {
      expect((await t.call('GET', `/v1/portals/${portal.id}`, { headers })).body).toEqual(portal);
    }
  });
});
