import fc from 'fast-check';
import { type KyselyPlugin, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LegacyPackage, legacyListing } from '#protocol/hosted/legacy.ts';
import { type Package, type PackageState, packageSorts, packageStates } from '#protocol/hosted/packages.ts';
import type { UserCredential } from '#service/credentials/credential.ts';
import type { Context } from '#service/handler.ts';
import { newId } from '#service/ids.ts';
import { legacyListHandlers } from '#service/packages/legacy-lists.ts';
import { inAll } from '#test/support/level.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, type TestUser } from '#test/support/service/users.ts';

/**
 * The lists beside the Team's own (package-list.test.ts): of a Portal, of a Teamspace, and the legacy ones, against a
 * model that filters, sorts and pages the same packages by plain code.
 */

interface Row {
  readonly id: string;
  readonly name: string;
  readonly sender: string;
  readonly state: PackageState;
  readonly size: number;
  readonly usage_total_bytes: number;
  readonly created_at: Date;
  readonly expiry: Date | null;
  readonly custom_expiry: boolean;
  readonly portal_id: string | null;
  readonly teamspace_id: string | null;
  readonly tag_id: string | null;
}

type Query = Readonly<Record<string, string>>;
type Paged = { metadata: { total: number }; records: Package[] };

let t: TestService;
let rows: Row[];
let portals: [string, string];
const spaces = [newId(), newId()].sort() as [string, string];
const tags = [newId(), newId()] as [string, string];
let inside: TestUser;
let outside: TestUser;

beforeAll(async () => {
  t = await startTestService();
  const { db, now } = t.service.services;
  portals = [(await newPortal(t)).id, (await newPortal(t)).id];
  const times = { created_at: now(), updated_at: now() };
  const named = (ids: readonly string[], name: string) => ids.map((id, n) => ({ id, team_id: t.teamId, name: `${name} ${n}`, ...times }));
  await db.insertInto('teamspaces').values(named(spaces, 'Space')).execute();
  await db.insertInto('tags').values(named(tags, 'Tag')).execute();
  [inside, outside] = [await addUser(t, 'member'), await addUser(t, 'member')];
  await db
    .insertInto('teamspace_members')
    .values({ id: newId(), teamspace_id: spaces[0], user_id: inside.userId, created_at: now() })
    .execute();

  const pick = <T>(values: readonly T[], index: number, step: number): T => values[Math.floor(index / step) % values.length]!;
  rows = Array.from({ length: 240 }, (_, index): Row => {
    return {
      id: newId(),
      name: pick(['alpha', 'Alpha', 'beta_100%', 'beta 100', 'délta'], index, 1),
      sender: pick(['Mia@example.com', 'mia@example.com', 'tom@example.com'], index, 2),
      state: pick(packageStates, index, 3),
      size: (index * 37) % 11,
      usage_total_bytes: (index * 17) % 5,
      created_at: new Date(Date.UTC(2026, 9, 1 + (index % 20), index % 24, 30)),
      expiry: index % 7 === 0 ? null : new Date(Date.UTC(2026, 11, 1 + (index % 9), 12)),
      custom_expiry: index % 4 === 1,
      portal_id: pick([portals[0], portals[0], portals[1], null], index, 1),
      teamspace_id: pick([spaces[0], null, spaces[1], spaces[0]], index, 2),
      tag_id: pick([null, ...tags], index, 5),
    };
  });
  await insert(rows);
});
afterAll(() => t?.close());

async function insert(packages: readonly Row[]): Promise<void> {
  await t.service.services.db
    .insertInto('packages')
    .values(
      packages.map((row) => ({
        ...row,
        team_id: t.teamId,
        created_by: t.userId,
        through_portal: row.portal_id !== null,
        unlimited_storage: row.expiry === null,
        description: '',
        recipients: ['a@x.org'],
        access_limit: 0,
        chunk_size: 0,
        updated_at: row.created_at,
      })),
    )
    .execute();
}

async function get<T>(path: string, token?: string): Promise<T> {
  const headers: Record<string, string> = token === undefined ? { 'x-api-key': t.apiKey } : { 'x-user-token': token };
  const answer = await t.call<T>('GET', path, { headers });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

const keys: Readonly<Record<string, (row: Row) => string | number | null>> = {
  name: (row) => row.name.toLowerCase(),
  created_at: (row) => row.created_at.getTime(),
  size: (row) => row.size,
  usage_total_bytes: (row) => row.usage_total_bytes,
  expiry: (row) => row.expiry?.getTime() ?? null,
  sender: (row) => row.sender.toLowerCase(),
  status: (row) => row.state,
  teamspace_id: (row) => row.teamspace_id,
};

/** No value sorts as the greatest. */
function compare(a: string | number | null, b: string | number | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  return b !== null && a < b ? -1 : b === null ? -1 : 1;
}

const from = (text: string) => new Date(text).getTime();
const until = (text: string) => from(text) + (text.length === 10 ? 24 * 3600_000 - 1 : 0);
const within = (at: Date | null, start: string | undefined, end: string | undefined): boolean =>
  (start === undefined && end === undefined) ||
  (at !== null && (start === undefined || at.getTime() >= from(start)) && (end === undefined || at.getTime() <= until(end)));

/** What a query asks for, in its order. */
function matching(packages: readonly Row[], query: Query): Row[] {
  const states = query['status']?.split(',') ?? ['finalized', 'expired'];
  const sort = query['sort'] ?? '-created_at';
  const [direction, key] = [sort.startsWith('-') ? -1 : 1, keys[sort.replace('-', '')]!];
  return packages
    .filter(
      (row) =>
        states.includes(row.state) &&
        (query['name'] === undefined || row.name.toLowerCase().includes(query['name'].toLowerCase())) &&
        (query['sender'] === undefined || row.sender.toLowerCase() === query['sender'].toLowerCase()) &&
        (query['tags'] === undefined || query['tags'].split(',').includes(row.tag_id ?? '-')) &&
        within(row.created_at, query['created_at_start'], query['created_at_end']) &&
        within(row.expiry, query['expiry_start'], query['expiry_end']) &&
        (query['extra_storage'] === undefined || (row.custom_expiry || row.expiry === null) === (query['extra_storage'] === 'true')),
    )
    .sort((a, b) => direction * (compare(key(a), key(b)) || compare(a.id, b.id)));
}

const idsOf = (packages: readonly { id: string }[]): string[] => packages.map(({ id }) => id);
const pageOf = (query: Query, first: number): [number, number] => {
  const limit = Number(query['limit'] ?? 50);
  const start = (Number(query['page'] ?? first) - first) * limit;
  return [start, start + limit];
};

async function expectPortalAsModel(portal: string, query: Query, token?: string): Promise<Paged> {
  const listing = await get<Paged>(`/v1.1/portals/${portal}/packages?${new URLSearchParams(query)}`, token);
  const expected = matching(
    rows.filter((row) => row.portal_id === portal),
    query,
  );
  expect(listing.metadata).toEqual({ total: expected.length });
  expect(idsOf(listing.records)).toEqual(idsOf(expected.slice(...pageOf(query, 1))));
  return listing;
}

async function expectSpaceAsModel(space: string, query: Query, token?: string): Promise<Package[]> {
  const listing = await get<Package[]>(`/v1.1/spaces/${space}/packages?${new URLSearchParams(query)}`, token);
  const expected = matching(
    rows.filter((row) => row.teamspace_id === space),
    query,
  );
  expect(idsOf(listing)).toEqual(idsOf(expected.slice(...pageOf(query, 0))));
  return listing;
}

const days = fc.constantFrom('2026-10-01', '2026-10-10', '2026-10-15T09:30:00Z', '2026-10-20');
const expiries = fc.constantFrom('2026-12-01', '2026-12-04', '2026-12-05T12:00:00.000Z', '2026-12-09');
const both = {
  sort: fc.constantFrom(...packageSorts),
  sender: fc.constantFrom('mia@example.com', 'MIA@EXAMPLE.COM', 'nobody@example.com'),
  tags: fc.subarray([...tags, newId()], { minLength: 1 }).map((ids) => ids.join(',')),
  created_at_start: days,
  created_at_end: days,
};
const limitOf = (max: number) => fc.integer({ min: 1, max }).map(String);

describe('the packages of a Portal', () => {
  it.each(packageSorts)('sort by %s, page by page from 1, each once', async (sort) => {
    const seen: string[] = [];
    for (let page = 1; page <= 6; page++) {
      const { records } = await expectPortalAsModel(portals[0], { sort, page: String(page), limit: '13' });
      seen.push(...idsOf(records));
    }
    expect(new Set(seen).size).toBe(matching(rows, {}).filter((row) => row.portal_id === portals[0]).length);
  });

  it('answer as the model does, whatever is asked together', async () => {
    const query = fc.record(
      {
        ...both,
        expiry_start: expiries,
        expiry_end: expiries,
        extra_storage: fc.constantFrom('true', 'false'),
        page: fc.integer({ min: 1, max: 4 }).map(String),
        limit: limitOf(50),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...portals), query, async (portal, asked) => {
        await expectPortalAsModel(portal, asked as Query);
      }),
      { numRuns: 80 },
    );
  });

  it('ignore the filters of the other lists', async () => {
    const usual = await expectPortalAsModel(portals[0], {});
    const path = `/v1.1/portals/${portals[0]}/packages?status=new&name=alpha&teamspaces=${spaces[1]}`;
    expect(idsOf((await get<Paged>(path)).records)).toEqual(idsOf(usual.records));
  });

  it.each(['page=0', 'limit=51', 'limit=0', 'sort=password', 'expiry_end=tomorrow', 'extra_storage=2'])('refuse %s', async (query) => {
    const answer = await t.call('GET', `/v1.1/portals/${portals[0]}/packages?${query}`, { headers: { 'x-api-key': t.apiKey } });
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(query.split('=')[0]!) } });
  });

  it('are 404 to another Team, and for an unknown Portal', async () => {
    const stranger = await addUser(t, 'owner', await addTeam(t, 'Elsewhere'));
    for (const path of [`/v1.1/portals/${portals[0]}/packages`, `/v1/portals/${portals[0]}/packages`])
      expect((await t.call('GET', path, { headers: { 'x-user-token': stranger.token } })).status).toBe(404);
    for (const path of [`/v1.1/portals/${newId()}/packages`, `/v1/portals/${newId()}/packages`])
      expect((await t.call('GET', path, { headers: { 'x-api-key': t.apiKey } })).status).toBe(404);
  });
});

describe('the packages of a Teamspace', () => {
  it.each(packageSorts)('sort by %s, page by page from 0, each once', async (sort) => {
    const seen: string[] = [];
    const status = packageStates.join(',');
    for (let page = 0; page <= 9; page++)
      seen.push(...idsOf(await expectSpaceAsModel(spaces[0], { sort, status, page: String(page), limit: '13' })));
    expect(new Set(seen).size).toBe(rows.filter((row) => row.teamspace_id === spaces[0]).length);
  });

  it('answer as the model does, whatever is asked together', async () => {
    const query = fc.record(
      {
        ...both,
        status: fc.subarray([...packageStates], { minLength: 1 }).map((states) => states.join(',')),
        name: fc.constantFrom('alpha', 'BETA', '_100%', 'É', 'zz'),
        page: fc.integer({ min: 0, max: 3 }).map(String),
        limit: limitOf(100),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...spaces), query, async (space, asked) => {
        await expectSpaceAsModel(space, asked as Query);
      }),
      { numRuns: 80 },
    );
  });

  it('have 50 packages a page by default, and up to 100 by limit', async () => {
    const status = packageStates.join(',');
    expect(await expectSpaceAsModel(spaces[0], { status })).toHaveLength(50);
    expect(await expectSpaceAsModel(spaces[0], { status, limit: '100' })).toHaveLength(100);
  });

  it.each(['page=-1', 'limit=101', 'limit=0', 'sort=password', 'status=gone', 'created_at_end=2026-13-01'])('refuse %s', async (query) => {
    const answer = await t.call('GET', `/v1.1/spaces/${spaces[0]}/packages?${query}`, { headers: { 'x-api-key': t.apiKey } });
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(query.split('=')[0]!) } });
  });

  it('are seen by those in it, and its name by nobody else', async () => {
    await expectSpaceAsModel(spaces[0], {}, inside.token);
    const path = (space: string) => `/v1.1/spaces/${space}/packages`;
    expect((await t.call('GET', path(spaces[1]), { headers: { 'x-user-token': inside.token } })).status).toBe(404);
    expect((await t.call('GET', path(spaces[0]), { headers: { 'x-user-token': outside.token } })).status).toBe(404);
    expect((await t.call('GET', path(newId()), { headers: { 'x-api-key': t.apiKey } })).status).toBe(404);
  });
});

describe('the legacy lists', () => {
  it('are made one at a time for a Team, since each holds thousands of packages, and hold up nothing else', async () => {
    const { legacyLists } = t.service.services;
    const turn = Promise.withResolvers<void>();
    const before = legacyLists.run(t.teamId, () => turn.promise);
    const states: string[] = [];
    const lists = [`/v1/teams/${t.teamId}/packages`, `/v1/portals/${portals[1]}/packages`].map(async (path) => {
      await get(path);
      states.push('list');
    });
    // Time enough for many of them.
    for (let call = 0; call < 20; call += 1) await get(`/v1.1/teams/${t.teamId}/packages`);
    states.push('others');
    turn.resolve();
    await Promise.all([before, ...lists]);
    expect(states).toEqual(['others', 'list', 'list']);
  });

  it('end where their caller has left, before their turn and amid them', async () => {
    const { services } = t.service;
    const left = new Error('The caller has left.');
    const gone = new AbortController();
    const pages: string[] = [];
    const noting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (result.rows.length < 100) return result;
        pages.push(String(result.rows[0]!['id']));
        gone.abort(left);
        return result;
      },
    };
    const credential = { kind: 'user', userId: t.userId, sessionId: null, ssoTeamId: null } as const;
    const context = { ...services, db: services.db.withPlugin(noting), credential, disconnection: () => gone.signal };
    const list = () =>
      legacyListHandlers.listTeamPackagesLegacy(
        { params: { team_id: t.teamId }, query: { new: true, finalized: true, expired: true, archived: true }, body: undefined },
        context as unknown as Context<UserCredential>,
      );
    await expect(list()).rejects.toBe(left);
    expect(pages).toHaveLength(1);
    // Nor does one begin that has waited until then.
    await expect(list()).rejects.toBe(left);
    expect(pages).toHaveLength(1);
  });

  const flags = packageStates.map((state) => ({ state, usual: state === 'finalized' || state === 'expired' }));
  const chosen = fc.record(Object.fromEntries(flags.map(({ state }) => [state, fc.constantFrom('true', 'false', undefined)])));

  it('have the states that are asked for, newest first, of the Team and of a Portal', async () => {
    await fc.assert(
      fc.asyncProperty(chosen, async (asked) => {
        const given = Object.entries(asked).flatMap(([state, value]) => (value === undefined ? [] : [[state, value]]));
        const states = flags.filter(({ state, usual }) => (asked[state] === undefined ? usual : asked[state] === 'true'));
        const status = states.map(({ state }) => state).join(',');
        const query = new URLSearchParams(given);
        const ofTeam = await get<LegacyPackage[]>(`/v1/teams/${t.teamId}/packages?${query}`);
        expect(idsOf(ofTeam)).toEqual(idsOf(matching(rows, { status })));
        const ofPortal = await get<LegacyPackage[]>(`/v1/portals/${portals[1]}/packages?${query}`);
        const received = rows.filter((row) => row.portal_id === portals[1]);
        expect(idsOf(ofPortal)).toEqual(idsOf(matching(received, { status })));
      }),
      { numRuns: 15 },
    );
  });

  it('show the Teamspace by its id only, the tag where there is one, and the links', async () => {
    const link = {
      id: newId(),
      package_id: rows.find((row) => row.state === 'finalized' && row.tag_id !== null)!.id,
      secret: 'the secret',
    };
    const { db, now } = t.service.services;
    await db
      .insertInto('links')
      .values({ ...link, email: 'r@x.org', password_hash: null, access_limit: 0, expiry: null, disabled_at: null, created_at: now() })
      .execute();
    const listed = await get<LegacyPackage[]>(`/v1/teams/${t.teamId}/packages`);
    for (const record of listed) {
      const row = rows.find(({ id }) => id === record.id)!;
      expect(record.teamspace_id).toBe(row.teamspace_id ?? '');
      expect(record).not.toHaveProperty('teamspace');
      expect(record.tag?.id ?? null).toBe(row.tag_id);
      expect(idsOf(record.links)).toEqual(record.id === link.package_id ? [link.id] : []);
    }
    const shown = listed.find(({ id }) => id === link.package_id)!.links[0]!;
    expect(shown).toMatchObject({ email: 'r@x.org', active: true, download_secret: 'the secret', password: '' });
    expect(shown.url).toContain(link.id);
    // Who may only read sees no links, for a link is a way to download.
    const guest = await addUser(t, 'guest');
    await db
      .insertInto('teamspace_members')
      .values(spaces.map((teamspace_id) => ({ id: newId(), teamspace_id, user_id: guest.userId, created_at: now() })))
      .execute();
    const theirs = await get<LegacyPackage[]>(`/v1/teams/${t.teamId}/packages`, guest.token);
    expect(theirs.length).toBeGreaterThan(10);
    expect(theirs.flatMap(({ links }) => links)).toEqual([]);
  });
});

describe('lists that are long', inAll('the same sorts of short lists, and package-list'), () => {
  const many = 10_600;
  let portal: string;
  let space: string;
  let long: Row[];

  beforeAll(async () => {
    const { db, now } = t.service.services;
    portal = (await newPortal(t)).id;
    space = newId();
    const times = { created_at: now(), updated_at: now() };
    await db
      .insertInto('teamspaces')
      .values({ id: space, team_id: t.teamId, name: 'Long', ...times })
      .execute();
    long = Array.from({ length: many }, (_, index): Row => {
      return {
        id: newId(),
        // Many of one key, so that the order within it is what pages must keep.
        name: `Take ${String((index * 7919) % 97).padStart(3, '0')}`,
        sender: index % 2 ? 'mia@example.com' : 'tom@example.com',
        state: index % 53 === 0 ? 'expired' : 'finalized',
        size: (index * 31) % 1_009,
        usage_total_bytes: 0,
        created_at: new Date(Date.UTC(2026, 7, 1) + (index % 4_000) * 60_000),
        expiry: index % 3 === 0 ? null : new Date(Date.UTC(2027, 0, 1 + (index % 200))),
        custom_expiry: false,
        portal_id: portal,
        teamspace_id: space,
        tag_id: null,
      };
    });
    for (let start = 0; start < many; start += 1_500) await insert(long.slice(start, start + 1_500));
    await sql`analyze packages`.execute(db);
  });

  it.each(packageSorts)('sort by %s, whichever page is asked for first, and leave none out', async (sort) => {
    const expected = idsOf(matching(long, { sort }));
    const pages = [200, 1, 137, 138, 2, 212, 213, 139, 1, 199];
    for (const page of pages) {
      const { records, metadata } = await get<Paged>(
        `/v1.1/portals/${portal}/packages?${new URLSearchParams({ sort, page: String(page) })}`,
      );
      expect(metadata.total).toBe(many);
      expect(idsOf(records), `page ${page}`).toEqual(expected.slice((page - 1) * 50, page * 50));
    }
    for (const page of [105, 0, 52, 53]) {
      const records = await get<Package[]>(
        `/v1.1/spaces/${space}/packages?${new URLSearchParams({ sort, page: String(page), limit: '100' })}`,
      );
      expect(idsOf(records), `page ${page} from 0`).toEqual(expected.slice(page * 100, (page + 1) * 100));
    }
  });

  it('read page by page give each package once', async () => {
    const seen: string[] = [];
    for (let page = 0; page < 107; page++)
      seen.push(...idsOf(await get<Package[]>(`/v1.1/spaces/${space}/packages?sort=name&limit=100&page=${page}`)));
    expect(seen).toEqual(idsOf(matching(long, { sort: 'name' })));
  });

  it('narrowed by a filter to few are exact', async () => {
    const query = { status: 'expired', sender: 'mia@example.com', sort: '-size', limit: '100' };
    const records = await get<Package[]>(`/v1.1/spaces/${space}/packages?${new URLSearchParams(query)}`);
    expect(idsOf(records)).toEqual(idsOf(matching(long, query)).slice(0, 100));
  });

  it('end, where they are the legacy ones, at so many packages', async () => {
    const listed = await get<LegacyPackage[]>(`/v1/portals/${portal}/packages`);
    expect(idsOf(listed)).toEqual(idsOf(matching(long, {})).slice(0, legacyListing.packages));
  });

  it('end earlier where their packages have more links than that together', async () => {
    const perPackage = 600;
    const newest = idsOf(matching(long, {})).slice(0, 100);
    await sql`
      insert into links (id, package_id, email, secret, access_limit, created_at)
      select gen_random_uuid(), package.id, '', 'secret', 0, now()
      from unnest(${newest}::uuid[]) as package (id), generate_series(1, ${perPackage}::integer)`.execute(t.service.services.db);
    const listed = await get<LegacyPackage[]>(`/v1/portals/${portal}/packages`);
    expect(idsOf(listed)).toEqual(newest);
    expect(listed.every(({ links }) => links.length === perPackage)).toBe(true);
    expect(newest.length * perPackage).toBeGreaterThan(legacyListing.links);
  });
});
