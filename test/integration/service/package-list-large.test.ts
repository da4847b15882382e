import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Package, packageSorts, packageStates } from '#protocol/hosted/packages.ts';
import { newId } from '#service/ids.ts';
import { smallList } from '#service/packages/large-lists.ts';
import { matching, type Query, type Row } from '#test/support/service/package-list-model.ts';
import { callAt, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addUser, type TestUser } from '#test/support/service/users.ts';

/**
 * Lists that are too long to be sorted for each page (decision 0011) against the model: exact while nothing changes,
 * in whatever order pages are asked for; and while packages come, go and move, never a page that repeats or skips.
 */

type Listing = { metadata: { total: number }; records: Package[] };

let t: TestService;
/** Milliseconds that the service's clock is ahead: it is soon after the packages came, so that its jobs end none of them. */
let ahead = Date.UTC(2026, 0, 20) - Date.now();
/** What a process remembers is its own. */
let call: TestService['call'];
let rows: Row[];
let member: TestUser;
const teamspaces = [newId(), newId()];
const tags = [newId(), newId()];

const rowAt = (index: number): Row => ({
  id: newId(),
  name: `${['alpha', 'Beta', 'gamma'][index % 3]} ${(index * 7919) % 50}`,
  sender: ['Mia@example.com', 'tom@example.com'][index % 2]!,
  state: packageStates[index % 10 < 9 ? 1 + (index % 2) : (index / 10) % 2 < 1 ? 0 : 3]!,
  size: (index * 37) % 11,
  usage_total_bytes: (index * 17) % 5,
  created_at: new Date(Date.UTC(2026, 0, 1) + ((index * 104_729) % 20_000) * 60_000),
  expiry: index % 7 === 0 ? null : new Date(Date.UTC(2026, 11, 1 + (index % 9))),
  custom_expiry: index % 40 === 1,
  unlimited_storage: index % 50 === 0,
  teamspace_id: [null, teamspaces[0]!, teamspaces[1]!][index % 3]!,
  tag_id: [null, tags[0]!, tags[1]!][Math.floor(index / 3) % 3]!,
  created_by: index % 4 === 0 ? member.userId : t.userId,
});

async function add(added: readonly Row[]): Promise<void> {
  const { db } = t.service.services;
  const rest = { team_id: t.teamId, description: '', recipients: [], access_limit: 0, chunk_size: 0 };
  for (let from = 0; from < added.length; from += 1_000) {
    const some = added.slice(from, from + 1_000).map((row) => ({ ...row, ...rest, updated_at: row.created_at }));
    await db.insertInto('packages').values(some).execute();
  }
  rows.push(...added);
}

async function change(index: number, fields: Partial<Pick<Row, 'name' | 'state' | 'size' | 'teamspace_id'>>): Promise<void> {
  const row = rows[index % rows.length]!;
  await t.service.services.db.updateTable('packages').set(fields).where('id', '=', row.id).execute();
  Object.assign(row, fields);
}

interface Viewer {
  sees(row: Row): boolean;
  headers(): Record<string, string>;
}

const owner: Viewer = { sees: () => true, headers: () => ({ 'x-api-key': t.apiKey }) };
const someone: Viewer = {
  sees: (row: Row) => row.created_by === member.userId || row.teamspace_id === teamspaces[0],
  headers: () => ({ 'x-user-token': member.token }),
};

async function page(query: Query, number: number, viewer = owner): Promise<{ total: number; ids: string[] }> {
  const asked = new URLSearchParams({ ...query, page: String(number) });
  const answer = await call<Listing>('GET', `/v1.1/teams/${t.teamId}/packages?${asked}`, { headers: viewer.headers() });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { total: answer.body.metadata.total, ids: answer.body.records.map(({ id }) => id) };
}

beforeAll(async () => {
  t = await startTestService({ now: () => new Date(Date.now() + ahead) });
  call = callAt(t.services[0]!.url);
  const { db, now } = t.service.services;
  const times = { created_at: now(), updated_at: now() };
  member = await addUser(t, 'member');
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
    .values({ id: newId(), teamspace_id: teamspaces[0]!, user_id: member.userId, created_at: now() })
    .execute();
  rows = [];
  await add(Array.from({ length: 6 * smallList }, (_, index) => rowAt(index)));
});
afterAll(async () => {
  await t?.close();
});

const sorts = fc.constantFrom(...packageSorts);
/** Filters whose lists are long, for the owner at least, and some that are not. */
const filters: fc.Arbitrary<Query> = fc.constantFrom<Query[]>(
  {},
  { status: packageStates.join(',') },
  { name: 'a' },
  { sender: 'mia@example.com' },
  { tags: tags.join(',') },
  { teamspaces: teamspaces.join(',') },
  { created_at_start: '2026-01-02', created_at_end: '2026-01-12' },
  { expiry_start: '2026-12-02', expiry_end: '2026-12-08' },
  { extra_storage: 'false' },
  { extra_storage: 'true' },
);

describe('a long list', () => {
  it('matches the model for any filter, sort and page, in any order of requests', async () => {
    const asked = fc.record({
      sort: sorts,
      filter: filters,
      limit: fc.constantFrom(7, 50),
      pages: fc.array(fc.integer({ min: 1, max: 260 }), { minLength: 1, maxLength: 4 }),
      viewer: fc.constantFrom(owner, someone),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ sort, filter, limit, pages, viewer }) => {
        const query = { ...filter, sort, limit: String(limit) };
        const expected = matching(rows, query, viewer.sees).map(({ id }) => id);
        for (const number of pages) {
          const found = await page(query, number, viewer);
          expect(found).toEqual({ total: expected.length, ids: expected.slice((number - 1) * limit, number * limit) });
        }
      }),
      { numRuns: 60 },
    );
  });

  it('read page by page to its end shows each package once', async () => {
    const seen: string[] = [];
    for (let number = 1; ; number += 1) {
      const { ids } = await page({ sort: 'size', limit: '50' }, number, someone);
      seen.push(...ids);
      if (ids.length === 0) break;
    }
    expect(seen).toEqual(matching(rows, { sort: 'size' }, someone.sees).map(({ id }) => id));
  });
});

describe('index scans of a long list', () => {
  it("is not how one sender's packages are read by sender: as PostgreSQL knows, they are in the order of everybody's ids", async () => {
    const asked = vi.spyOn(t.services[0]!.services.indexScanPool, 'getExecutor');
    const scanned: string[] = [];
    try {
      for (const sort of packageSorts) {
        asked.mockClear();
        await page({ sender: 'mia@example.com', sort }, 1);
        if (asked.mock.calls.length > 0) scanned.push(sort);
      }
    } finally {
      asked.mockRestore();
    }
    expect(scanned).toEqual(packageSorts.filter((sort) => !sort.endsWith('sender')));
  });

  it('is planned once for any Team: in its order, with nothing found first and sorted', async () => {
    const seen: Query[] = [{}, { name: 'a', status: packageStates.join(',') }, { sender: 'mia@example.com' }, { tags: tags.join(',') }];
    for (const sort of packageSorts) for (const filter of seen) for (const number of [1, 2]) await page({ ...filter, sort }, number);
    const { indexScanPool } = t.services[0]!.services;
    const plans = await indexScanPool.connection().execute(async (one) => {
      const { rows: kept } = await sql<{ name: string; values: number; statement: string; planned: number; each_time: number }>`
        select name, cardinality(parameter_types) as values, statement, generic_plans as planned, custom_plans as each_time
        from pg_prepared_statements where statement like '%from packages%'`.execute(one);
      const explained = [];
      for (const { name, values, ...rest } of kept) {
        const nothing = Array.from({ length: values }, () => 'null').join(', ');
        const { rows } = await sql<{ 'QUERY PLAN': string }>`${sql.raw(`explain (costs off) execute ${name}(${nothing})`)}`.execute(one);
        explained.push({ ...rest, plan: rows.map((row) => row['QUERY PLAN']).join('\n') });
      }
      return explained;
    });
    expect(plans.length).toBeGreaterThanOrEqual(packageSorts.length * 2 * 3);
    for (const { statement, planned, each_time, plan } of plans) {
      expect(planned, statement).toBeGreaterThan(0);
      expect(each_time, statement).toBe(0);
      expect(plan).not.toMatch(/Seq Scan|Hash|Merge|Bitmap/);
      // The page that was found may be sorted once more.
      const [, found] = plan.split('Limit');
      expect(found).toMatch(/Index (Only )?Scan (Backward )?using packages_by_/);
      expect(found).not.toContain('Sort');
    }
  });
});

describe('a long list that changes', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), index: fc.integer({ min: 0, max: 20_000 }) }),
    fc.record({ do: fc.constant('end' as const), index: fc.nat(), state: fc.constantFrom(...packageStates) }),
    fc.record({
      do: fc.constant('move' as const),
      index: fc.nat(),
      name: fc.constantFrom('aaa', 'mmm', 'zzz'),
      size: fc.integer({ min: 0, max: 10 }),
    }),
    fc.record({ do: fc.constant('share' as const), index: fc.nat(), teamspace_id: fc.constantFrom(null, ...teamspaces) }),
  );
  const apply = async (one: typeof step extends fc.Arbitrary<infer Step> ? Step : never): Promise<void> => {
    if (one.do === 'add') return await add([rowAt(one.index)]);
    const { do: _, index, ...fields } = one;
    await change(index, fields);
  };

  it('goes on after the row that the page before ended with', async () => {
    const reading = fc.record({
      sort: sorts,
      viewer: fc.constantFrom(owner, someone),
      first: fc.integer({ min: 1, max: 30 }),
      changes: fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(reading, async ({ sort, viewer, first, changes }) => {
        const query = { sort, limit: '50' };
        const ordered = () => matching(rows, query, viewer.sees).map(({ id }) => id);
        let last = (await page(query, first, viewer)).ids.at(-1)!;
        for (const [index, steps] of changes.entries()) {
          // Where the page before ended, also once that package has gone or moved.
          const sorted = ordered();
          const before = new Set(sorted.slice(0, sorted.indexOf(last) + 1));
          const moved = new Set<string>();
          for (const one of steps) {
            const known = rows.length;
            await apply(one);
            moved.add(one.do === 'add' ? rows[known]!.id : rows[one.index % rows.length]!.id);
          }
          const { ids } = await page(query, first + index + 1, viewer);
          const now = ordered();
          const start = now.indexOf(ids[0]!);
          expect(ids, 'a run of what the list is now').toEqual(now.slice(start, start + 50));
          expect(
            ids.filter((id) => before.has(id) && !moved.has(id)),
            'nothing that came before',
          ).toEqual([]);
          const skipped = now.slice(0, start).filter((id) => !before.has(id) && !moved.has(id));
          expect(skipped, 'nothing left out').toEqual([]);
          last = ids.at(-1)!;
        }
      }),
      { numRuns: 25 },
    );
  });

  it('has the current total once the cached one has expired', async () => {
    const total = async () => (await page({ limit: '1' }, 1)).total;
    await total();
    await add([rowAt(20_001)]);
    ahead += 30_000;
    // A count that took long is made in the background.
    await expect.poll(total, { timeout: 20_000, interval: 100 }).toBe(matching(rows, {}).length);
  });
});
