import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UsageRecord } from '#protocol/hosted/usage.ts';
import { newId } from '#service/ids.ts';
import { putPackage } from '#test/support/service/packages.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addUser } from '#test/support/service/users.ts';

let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());

const ask = <T = { from: string; to: string; records: UsageRecord[] }>(
  query: string,
  headers: Record<string, string> = { 'x-api-key': t.apiKey },
) => t.call<T>('GET', `/v1/teams/${t.teamId}/usage${query}`, { headers });

it('counts what was sent and received, and what of it was downloaded', async () => {
  const { db } = t.service.services;
  const other = await addUser(t, 'member');
  await db.updateTable('users').set({ name: '=1+1' }).where('id', '=', other.userId).execute();
  const portal = await newPortal(t, { name: 'Dailies in' });
  const at = (day: string) => ({ finalized_at: new Date(`2026-10-${day}T12:00:00.000Z`), total_files: 1 });
  const first = await putPackage(t, { size: 100, ...at('05') });
  await putPackage(t, { size: 50, state: 'expired', ...at('31') });
  await putPackage(t, { size: 7, created_by: other.userId, ...at('06') });
  await putPackage(t, { size: 1_000, created_by: null, through_portal: true, portal_id: portal.id, ...at('07') });
  await putPackage(t, { size: 3, created_by: null, through_portal: true, portal_id: null, ...at('07') });
  await putPackage(t, { size: 9_999, finalized_at: new Date('2026-11-01T00:00:00.000Z') });
  await putPackage(t, { size: 9_999, state: 'new' });
  const link = { id: newId(), package_id: first, email: '', secret: 's', access_limit: 0, created_at: new Date() };
  await db.insertInto('links').values(link).execute();
  for (let n = 0; n < 2; n += 1) {
    const started = {
      link_id: link.id,
      package_id: first,
      team_id: t.teamId,
      user_agent: '',
      address: '',
      started_at: new Date('2026-10-06'),
    };
    await db
      .insertInto('downloads')
      .values({ token_id: newId(), ...started })
      .execute();
  }
  const october = 'from=2026-10-01&to=2026-10-31';
  const none = { received_packages: 0, received_bytes: 0 };
  expect((await ask(`?by=member&${october}`)).body.records).toMatchObject([
    { id: t.userId, email: 'owner@example.com', sent_packages: 2, sent_bytes: 150, downloaded_packages: 1, ...none },
    { id: other.userId, name: '=1+1', sent_packages: 1, sent_bytes: 7, downloaded_packages: 0, ...none },
  ]);
  const sent = { sent_packages: 0, sent_bytes: 0, downloaded_packages: 0 };
  expect((await ask(`?by=portal&${october}`)).body.records).toEqual([
    { id: portal.id, name: 'Dailies in', received_packages: 1, received_bytes: 1_000, ...sent },
    { name: '', received_packages: 1, received_bytes: 3, ...sent },
  ]);
  expect((await ask(`?by=teamspace&${october}`)).body.records).toEqual([
    { name: '', sent_packages: 3, sent_bytes: 157, received_packages: 2, received_bytes: 1_003, downloaded_packages: 1 },
  ]);
  const csv = await ask<string>(`/export.csv?by=member&${october}`);
  expect(csv.headers.get('content-type')).toContain('text/csv');
  const rows = parse(csv.body, { columns: true }) as Record<string, string>[];
  expect(rows.map(({ name, sent_bytes: bytes }) => [name, bytes])).toContainEqual(["'=1+1", '7']);
});

it('is asked for a year at most, a leap year too', async () => {
  expect((await ask('?by=member&from=2024-01-01&to=2024-12-31')).status).toBe(200);
  const refused = await ask('?by=member&from=2024-01-01&to=2025-01-01');
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringMatching(/from: a period has at most 366 days\. Ask for/) } });
  expect((await ask('/export.csv?by=member&from=2020-01-01')).status).toBe(400);
});

it.each(['', '?by=day', '?by=member&from=x', '?by=member&from=2026-10-02&to=2026-09-01'])('refuses %j', async (query) => {
  expect((await ask(query)).status).toBe(400);
});
