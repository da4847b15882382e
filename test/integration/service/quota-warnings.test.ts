import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import { plainBrand } from '#service/mail/brand.ts';
import { readQuotaLetter } from '#service/mail/quota-letter.ts';
import { textPart } from '#service/mail/text-part.ts';
import { storeLimits } from '#service/quotas/limits.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender } from '#test/support/service/sender.ts';
import { ownerEmail, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';

/** What owners and webhooks are told of limits (contract/quotas.md §4). */

const day = 24 * 3_600_000;
let t: TestService;
let clockAhead = 0;
beforeAll(async () => {
  t = await startTestService({ operators: [ownerEmail], allowPrivateWebhooks: true, now: () => new Date(Date.now() + clockAhead) });
});
afterAll(() => t?.close());
beforeEach(async () => {
  const { db } = t.service.services;
  clockAhead = 0;
  for (const table of ['files', 'quotas', 'quota_warnings'] as const) await db.deleteFrom(table).execute();
  await db.updateTable('packages').set({ usage_total_bytes: 0, state: 'expired' }).execute();
});

const limit = (storage: number | null, traffic: number | null = null) =>
  t.call('PUT', `/v1/operator/teams/${t.teamId}/quotas`, { headers: { 'x-user-token': t.userToken }, body: { storage, traffic } });

/** What is new since the last call. */
async function told(): Promise<string[]> {
  const { db } = t.service.services;
  const of = () => db.selectFrom('quota_warnings').select(['id', 'kind', 'percent', 'portal_id', 'used_bytes']).orderBy('id').execute();
  const known = new Set((await of()).map(({ id }) => id));
  await runJob(t.service.services, 'quotas.tell', {});
  return (await of())
    .filter(({ id }) => !known.has(id))
    .map(({ kind, percent, portal_id, used_bytes }) => `${portal_id === null ? 'team' : 'portal'} ${kind} ${percent} ${used_bytes}`);
}

const letters = async (language: 'en' | 'de' = 'en') => {
  const rows = await t.service.services.db
    .selectFrom('messages')
    .select(['recipient', 'quota_warning_id'])
    .where('kind', '=', 'quota_warning')
    .orderBy('id')
    .execute();
  return await Promise.all(
    rows.map(async ({ recipient, quota_warning_id }) => {
      const found = await readQuotaLetter(t.service.services.db, { quota_warning_id: quota_warning_id!, language }, t.service.services);
      return { recipient, text: 'letter' in found ? textPart(found.letter, plainBrand('')) : found.withdrawn };
    }),
  );
};

describe('storage', () => {
  it('is told of at 80 % and where something was refused, once each', async () => {
    const sender = await newSender(t);
    await limit(1_000);
    await sender.create({ name: 'a', size: 799 });
    expect(await told()).toEqual([]);
    await sender.create({ name: 'b', size: 1 });
    expect([await told(), await told()]).toEqual([['team storage 80 800'], []]);
    expect((await sender.create({ name: 'c', size: 201 })).status).toBe(507);
    expect([await told(), await told()]).toEqual([['team storage 100 800'], []]);
    const [most, full, ...more] = await letters();
    expect(more).toEqual([]);
    expect(most).toMatchObject({ recipient: ownerEmail, text: expect.stringContaining('has used most of its storage') });
    expect(full!.text).toMatch(/The storage of .* is full[\s\S]*Used: *800 bytes\nLimit: *1 kB/);
    expect((await letters('de'))[1]!.text).toContain('Der Speicher ist voll');
  });

  it('is told of in a batch that is refused in part, and by a call with an Idempotency-Key', async () => {
    const sender = await newSender(t);
    await limit(1_000);
    const { body } = await t.call<{ files: unknown[] }>('POST', `/v1/packages/${sender.package.id}/files/batch`, {
      headers: sender.token,
      body: {
        files: [700, 700].map((size, n) => ({ kind: 'file', path: '', name: `${n}`, size, last_modified: '2026-11-24T12:00:00.000Z' })),
      },
    });
    expect(body.files).toHaveLength(2);
    expect(await told()).toEqual(['team storage 100 700']);
    await limit(2_000);
    const { status } = await t.call('POST', `/v1/packages/${sender.package.id}/files`, {
      headers: { ...sender.token, 'idempotency-key': 'once' },
      body: { kind: 'file', path: '', name: 'large', size: 5_000, last_modified: '2026-11-24T12:00:00.000Z' },
    });
    expect(status).toBe(507);
    expect(await told()).toEqual(['team storage 100 700']);
  });

  it('is told of anew by another limit, and a day after there was room', async () => {
    const sender = await newSender(t);
    await limit(1_000);
    await sender.create({ name: 'a', size: 900 });
    expect(await told()).toEqual(['team storage 80 900']);
    await limit(1_100);
    expect(await letters()).toMatchObject([{ text: 'The limit was changed before the message was sent.' }]);
    expect(await told()).toEqual(['team storage 80 900']);
    await limit(10_000);
    expect(await told()).toEqual([]);
    await limit(1_000);
    expect(await told()).toEqual(['team storage 80 900']);
    const used = (storage_used: number) => t.service.services.db.updateTable('quotas').set({ storage_used }).execute();
    await used(100);
    expect(await told()).toEqual([]);
    await used(900);
    expect(await told()).toEqual([]);
    await used(100);
    clockAhead = day + 60_000;
    expect(await told()).toEqual([]);
    await used(900);
    expect(await told()).toEqual(['team storage 80 900']);
  });

  it('of a Portal is told with its name, to its webhooks too', async () => {
    const heard: WebhookPayload[] = [];
    const receiver = await startHttpServer(async (request, response) => {
      heard.push(JSON.parse((await bodyOf(request)).toString()) as WebhookPayload);
      response.writeHead(204).end();
    });
    try {
      const made = async (name: string, scope: 'portals' | 'team') =>
        (
          await t.call<{ id: string }>('POST', `/v1/teams/${t.teamId}/custom_webhooks`, {
            headers: { 'x-api-key': t.apiKey },
            body: { name, active: true, events: ['quota.warning'], method: 'POST', url: receiver.url, scope },
          })
        ).body.id;
      const [ofPortal, ofTeam] = [await made('Attached', 'portals'), await made('All', 'team')];
      const portal = await newPortal(t, { name: 'Dailies', max_storage: 1_000, custom_webhooks: [{ id: ofPortal }] });
      await runJob(t.service.services, 'quotas.count', { holder_id: portal.id });
      await (await portalSender(t, portal.id)).create({ name: 'a', size: 1_000 });
      expect(await told()).toEqual(['portal storage 100 1000']);
      await expect.poll(() => heard.map(({ custom_webhook_id: id }) => id).sort()).toEqual([ofPortal, ofTeam].sort());
      const object = { type: 'quota', team_id: t.teamId, portal_id: portal.id, name: 'Dailies', quota: 'portal_storage', percent: 100 };
      expect(heard[0]).toMatchObject({ event_type: 'quota.warning', object: { ...object, limit: 1_000, used: 1_000 } });
      expect((await letters())[0]!.text).toContain('Portal: Dailies');
    } finally {
      await receiver.close();
    }
  });
});

it('traffic is told of once a month', async () => {
  const sender = await newSender(t);
  const { db } = t.service.services;
  await limit(null, 1_000);
  await sender.send('', 'a', Buffer.alloc(850));
  expect([await told(), await told()]).toEqual([['team traffic 80 850'], []]);
  const now = new Date();
  clockAhead = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) + 60_000 - now.getTime();
  expect(await told()).toEqual([]);
  await sender.create({ name: 'b', size: 1_001 });
  expect(await told()).toEqual(['team traffic 100 0']);
  expect((await letters())[1]!.text).toContain('has used up this month’s traffic');
  clockAhead += 91 * day;
  await runJob(t.service.services, 'quotas.check', {});
  expect(await db.selectFrom('quota_warnings').select('id').execute()).toEqual([]);
});

it('a Team that is suspended is told nothing, and one without a limit neither', async () => {
  const { db } = t.service.services;
  await storeLimits(db, { teamId: t.teamId, portalId: null }, { storage: 100, traffic: null }, true);
  await db.updateTable('quotas').set({ storage_used: 90 }).execute();
  await db.updateTable('teams').set({ state: 'inactive' }).where('id', '=', t.teamId).execute();
  expect(await told()).toEqual([]);
  await db.updateTable('teams').set({ state: 'active' }).where('id', '=', t.teamId).execute();
  await limit(null);
  expect(await told()).toEqual([]);
});
