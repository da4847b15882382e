import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StorageUsage } from '#protocol/hosted/usage.ts';
import type { Database } from '#service/database/schema/database.ts';
import { storageDays, storedOn } from '#service/teams/storage-days.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { putPackage } from '#test/support/service/packages.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { eventually } from '#test/support/system/processes.ts';

let t: TestService;
/** The service's clock. */
let clock = new Date('2026-11-10T09:00:00.000Z');
beforeAll(async () => {
  t = await startTestService({ now: () => clock });
  const { db } = t.service.services;
  await countedAtStart(db);
  await db
    .updateTable('teams')
    .set({ created_at: new Date('2026-11-03T15:00:00.000Z') })
    .where('id', '=', t.teamId)
    .execute();
});
afterAll(() => t?.close());

const headers = () => ({ 'x-api-key': t.apiKey });
const usage = (query = '') => t.call<StorageUsage>('GET', `/v1/teams/${t.teamId}/usage/storage${query}`, { headers: headers() });
const bytesByDay = async (query = '') => (await usage(query)).body.days.map(({ day, bytes }) => `${day.slice(8)}: ${bytes}`);
const setPrice = (body: object) => t.call('PUT', `/v1/teams/${t.teamId}`, { headers: headers(), body });
const record = () => runJob(t.service.services, 'teams.storage_days', {});
const stored = (size: number, from: string) => putPackage(t, { size, usage_total_bytes: size, finalized_at: new Date(from) });

/** The count that each start asks for is over. */
const countedAtStart = (db: Kysely<Database>) =>
  eventually('the count at the start', async () => {
    const { rows } = await sql<{ open: number }>`
      select count(*)::integer as open from jobs.job where name = 'teams.storage_days' and state <> 'completed'`.execute(db);
    return rows[0]!.open === 0;
  });

it('says what was stored at the end of each day that is written down, and now', async () => {
  await stored(100, '2026-11-04T23:59:59.000Z');
  const ended = await stored(30, '2026-11-05T00:00:00.000Z');
  await putPackage(t, { size: 999, state: 'new' });
  // It ended early on the 7th, as ending a package leaves it.
  const { db } = t.service.services;
  await db
    .updateTable('packages')
    .set({ usage_total_bytes: 0, state: 'expired', expiry: new Date('2026-11-07T00:00:01.000Z') })
    .where('id', '=', ended)
    .execute();
  await stored(5, '2026-11-10T08:00:00.000Z');
  const wanted = ['03: 0', '04: 100', '05: 130', '06: 130', '07: 100', '08: 100', '09: 100', '10: 105'];
  expect(await bytesByDay()).toEqual(['10: 105']);
  await record();
  expect(await bytesByDay()).toEqual(wanted);
  expect(await bytesByDay('?days=2')).toEqual(['09: 100', '10: 105']);

  // What is written down stays, whatever becomes of the packages.
  await db
    .updateTable('packages')
    .set({ finalized_at: new Date('2026-11-09T00:00:00.000Z') })
    .where('id', '=', ended)
    .execute();
  await record();
  expect(await bytesByDay()).toEqual(wanted);
  const rows = await db.selectFrom('storage_days').select('bytes').where('team_id', '=', t.teamId).orderBy('day').execute();
  expect(rows.map(({ bytes }) => bytes)).toEqual([0, 100, 130, 130, 100, 100, 100]);
});

it('catches up on days on which the service did not run, as far as 31 days', async () => {
  clock = new Date('2026-11-12T00:03:00.000Z');
  await stored(7, '2026-11-11T12:00:00.000Z');
  await record();
  expect(await bytesByDay('?days=3')).toEqual(['10: 105', '11: 112', '12: 112']);

  clock = new Date('2027-01-20T09:00:00.000Z');
  await record();
  // From the 12th of November to the 19th of December nobody counted.
  const days = (await usage('?days=366')).body.days.map(({ day }) => day);
  expect([days.includes('2026-11-11'), days.includes('2026-11-12'), days.includes('2026-12-19')]).toEqual([true, false, false]);
  expect([days.includes('2026-12-20'), days.at(-1)]).toEqual([true, '2027-01-20']);

  clock = new Date('2028-06-01T09:00:00.000Z');
  await record();
  const { first } = await t.service.services.db
    .selectFrom('storage_days')
    .select((select) => select.fn.min('day').as('first'))
    .executeTakeFirstOrThrow();
  expect(first.getFullYear()).toBe(2028);
  await t.service.services.db.deleteFrom('storage_days').execute();
  clock = new Date('2026-11-10T09:00:00.000Z');
});

it('reads packages once however many days are missing, and for who asks only those that are there now', async () => {
  const { db } = t.service.services;
  const scans = async (query: RawBuilder<unknown>) => {
    const { sql: text, parameters } = query.compile(db);
    const { rows } = await db.executeQuery<{ 'QUERY PLAN': string }>(CompiledQuery.raw(`explain (costs off) ${text}`, [...parameters]));
    return rows.filter((row) => / on packages\b/.test(row['QUERY PLAN'])).length;
  };
  expect(await scans(storedOn('2026-10-10', '2026-11-09'))).toBe(1);
  expect(await scans(storageDays(t.teamId, clock, 366))).toBe(1);
});

it('says what a day costs by the price of a GiB for a month', async () => {
  const refused = await setPrice({ storage_price: 0.03 });
  expect([refused.status, refused.body]).toMatchObject([
    400,
    { message: 'storage_currency: name the currency of storage_price, such as EUR.' },
  ]);
  expect((await usage()).body).toMatchObject({ price: 0, currency: '' });
  expect((await usage()).body.days.some((day) => 'cost' in day)).toBe(false);
  await stored(1000 * 1024 ** 3, '2026-11-10T08:30:00.000Z');
  expect(await setPrice({ storage_price: 0.03, storage_currency: 'EUR' })).toMatchObject({
    status: 200,
    body: { storage_price: 0.03, storage_currency: 'EUR' },
  });
  const { body } = await usage('?days=1');
  // A November has 30 days.
  expect(body).toMatchObject({ price: 0.03, currency: 'EUR', days: [{ day: '2026-11-10', cost: 1 }] });
});

it('keeps what a past day cost when the price changes, and replaces what was said on the same day', async () => {
  const costs = async () => (await usage('?days=3')).body.days.map(({ day, cost }) => [day.slice(-2), cost]);
  const bytes = async () => (await usage('?days=3')).body.days.map((day) => day.bytes / 1024 ** 3 / 30);
  clock = new Date('2026-11-11T09:00:00.000Z');
  await record();
  const first = await bytes();
  expect((await costs()).map(([, cost]) => cost)).toEqual(first.map((gib) => (gib === 0 ? 0 : expect.closeTo(gib * 0.03, 9))));
  await setPrice({ storage_price: 9 });
  await setPrice({ storage_price: 0.06 });
  const [, yesterday, today] = await bytes();
  expect((await costs()).slice(1)).toEqual([
    ['10', expect.closeTo(yesterday! * 0.03, 9)],
    ['11', expect.closeTo(today! * 0.06, 9)],
  ]);
  clock = new Date('2026-11-12T09:00:00.000Z');
  await record();
  await setPrice({ storage_price: 0.05, storage_currency: 'USD' });
  expect((await costs()).map(([, cost]) => cost)).toEqual([undefined, undefined, expect.any(Number)]);
  await setPrice({ storage_price: 0 });
  expect((await costs()).map(([, cost]) => cost)).toEqual([undefined, undefined, undefined]);
  clock = new Date('2026-11-10T09:00:00.000Z');
});

it.each(['?days=0', '?days=367', '?days=x'])('refuses %j', async (query) => {
  expect((await usage(query)).status).toBe(400);
});

it.each([{ storage_price: -1 }, { storage_price: '1' }, { storage_currency: 'eur' }, { storage_currency: 'EURO' }])(
  'refuses the setting %j',
  async (body) => {
    expect((await setPrice(body)).status).toBe(400);
  },
);
