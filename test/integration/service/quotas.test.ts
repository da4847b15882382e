import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OperatedTeam } from '#protocol/hosted/operator-teams.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import type { StorageUsage } from '#protocol/hosted/usage.ts';
import { pathHash } from '#service/files/plan.ts';
import { insertRecorded } from '#service/files/record-rows.ts';
import { finalizeFiles, insertFiles, type NewFile } from '#service/files/writes.ts';
import { newId } from '#service/ids.ts';
import { checkQuotas, countFirst, recount } from '#service/quotas/count.ts';
import { storeLimits } from '#service/quotas/limits.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender, sampleTime } from '#test/support/service/sender.ts';
import { ownerEmail, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam } from '#test/support/service/users.ts';

/** What a Team may store, and send in a month (contract/quotas.md §2). */

let t: TestService;
let clock: Date | null = null;
const now = () => clock ?? new Date();
beforeAll(async () => {
  t = await startTestService({ operators: [ownerEmail], now });
});
afterAll(() => t?.close());
beforeEach(async () => {
  const { db } = t.service.services;
  await db.deleteFrom('files').execute();
  await db.deleteFrom('quotas').execute();
  // Their files are gone as after their end.
  await db.updateTable('packages').set({ usage_total_bytes: 0, state: 'expired' }).execute();
});

const operator = <T>(method: string, path: string, body?: unknown) =>
  t.call<T>(method, `/v1/operator/${path}`, { headers: { 'x-user-token': t.userToken }, ...(body !== undefined && { body }) });
const limit = (storage: number | null, traffic: number | null = null) =>
  operator<OperatedTeam>('PUT', `teams/${t.teamId}/quotas`, { storage, traffic });

/** What the rows of the Team's files say, whatever the counters do. */
async function inRows(): Promise<{ readonly used: number; readonly open: number }> {
  const { rows } = await sql<{ used: number; open: number }>`
    select coalesce(sum(files.size), 0)::bigint as used, coalesce(sum(files.size) filter (where files.state = 'new'), 0)::bigint as open
    from files join packages on packages.id = files.package_id where packages.team_id = ${t.teamId} and kind = 'file'`.execute(
    t.service.services.db,
  );
  return rows[0]!;
}

const counter = async () =>
  await t.service.services.db
    .selectFrom('quotas')
    .select(['storage_used as used', 'open_bytes as open'])
    .where('holder_id', '=', t.teamId)
    .executeTakeFirst();

/** As if its bytes were at the storage already. */
const recorded = (one: NewFile): NewFile => ({
  ...one,
  state: 'finalized',
  end: { etag: 'b3-0', digest: null, fingerprint: '00'.repeat(32), object_key: null },
});

const file = (packageId: string, name: string, size: number | null): NewFile => ({
  ...{ id: newId(), package_id: packageId, place: pathHash('', name), kind: 'file', path: '', name, last_modified: null },
  ...{ state: 'new', size, chunk_size: 5_242_880, created_at: now() },
});

const finalization = ({ id, package_id }: NewFile, size: number) => ({
  ...{ id, package_id, size, chunk_size: 5_242_880, etag: 'e', digest: null, fingerprint: '66', object_key: null },
});

describe('a limit of storage', () => {
  it('takes what fits, and refuses the rest in words', async () => {
    const sender = await newSender(t);
    await limit(1_000);
    expect((await sender.create({ name: 'a', size: 900 })).status).toBe(201);
    const refused = await sender.create({ name: 'b', size: 101 });
    expect([refused.status, refused.body]).toEqual([
      507,
      {
        code: 393_219,
        message:
          "The Team's storage is full: it may hold 1000 bytes, 900 are used, and 101 more were asked for. Nothing is lost. Delete packages, or ask the Team's owners for more storage; then try again.",
      },
    ]);
    expect((await sender.create({ name: 'b', size: 100 })).status).toBe(201);
    // What is there already may be begun again, since it takes nothing more.
    expect((await sender.create({ name: 'b', size: 100 })).status).toBe(201);
    await limit(2_000);
    expect((await sender.create({ name: 'c', size: 101 })).status).toBe(201);
    expect((await limit(null)).body.quotas).toEqual({});
    expect((await sender.create({ name: 'd', size: 1_000_000 })).status).toBe(201);
  });

  it('refuses each file of a batch by itself', async () => {
    const sender = await newSender(t);
    await limit(1_000);
    const files = [400, 700, 500, 200, 100].map((size, n) => ({ kind: 'file', path: '', name: `f${n}`, size, last_modified: sampleTime }));
    const { body } = await t.call<{ files: { file?: object; error?: { code: number } }[] }>(
      'POST',
      `/v1/packages/${sender.package.id}/files/batch`,
      { headers: sender.token, body: { files } },
    );
    expect(body.files.map(({ error }) => error?.code ?? 'made')).toEqual(['made', 393_219, 'made', 393_219, 'made']);
    expect(await counter()).toEqual({ used: 1_000, open: 1_000 });
  });

  it('lets exactly what fits through, however many ask at once', async () => {
    const { db } = t.service.services;
    const senders = await Promise.all(Array.from({ length: 20 }, () => newSender(t)));
    await limit(7 * 100 + 99);
    const answers = await Promise.all(senders.map((sender, n) => sender.create({ name: `f${n}`, size: 100 })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
    expect(answers.filter(({ status }) => status === 507)).toHaveLength(13);
    expect(await counter()).toEqual({ used: 700, open: 700 });
    // The same in statements of their own, which nothing of the process brings into an order.
    await db.deleteFrom('files').execute();
    const written = await Promise.allSettled(senders.map(({ package: { id } }) => insertFiles(db, [file(id, 'x', 100)])));
    expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
    expect(await counter()).toEqual({ used: 700, open: 700 });
  });

  it('counts files that are recorded with their bytes, exactly', async () => {
    const { db } = t.service.services;
    const senders = await Promise.all(Array.from({ length: 12 }, () => newSender(t)));
    await limit(500 + 99);
    const written = await Promise.allSettled(senders.map(({ package: { id } }) => insertRecorded(db, [recorded(file(id, 'x', 100))])));
    expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await counter()).toEqual({ used: 500, open: 0 });
    // In place of one that had begun.
    await limit(1_000);
    await insertFiles(db, [file(senders[0]!.package.id, 'y', 300)]);
    await insertRecorded(db, [recorded(file(senders[0]!.package.id, 'y', 400))]);
    expect(await counter()).toEqual({ used: 900, open: 0 });
    expect(await counter()).toEqual(await inRows());
  });

  it('counts a file of unknown size when it is finalized, which goes on where there is room again', async () => {
    const sender = await newSender(t);
    await limit(10);
    const upload = await sender.begin('', 'growing');
    const etag = await upload.put(0, Buffer.from('twelve bytes'));
    expect((await upload.finalize([etag], 12)).status).toBe(507);
    expect(await counter()).toEqual({ used: 0, open: 0 });
    await limit(12);
    expect((await upload.finalize([etag], 12)).status).toBe(204);
    expect(await counter()).toEqual({ used: 12, open: 0 });
  });

  it('does not keep others from their files', async () => {
    const { db } = t.service.services;
    const other = await addTeam(t, 'Another');
    await storeLimits(db, { teamId: other, portalId: null }, { storage: 0, traffic: null });
    await countFirst(db, other);
    expect((await (await newSender(t)).create({ name: 'a', size: 1 })).status).toBe(201);
  });
});

describe('the counters', () => {
  const step = fc.oneof(
    fc.record({
      what: fc.constant('create' as const),
      to: fc.nat(1),
      files: fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), size: fc.option(fc.nat(1_000)) }), {
        selector: ({ name }) => name,
        minLength: 1,
      }),
    }),
    fc.record({ what: fc.constantFrom('finalize' as const, 'remove' as const), rank: fc.nat(8), size: fc.nat(1_000) }),
    fc.record({ what: fc.constantFrom('limit' as const), bytes: fc.integer({ min: 1, max: 6_000 }) }),
  );

  it('are what the rows say, whatever comes and goes', async () => {
    const { db } = t.service.services;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        await db.deleteFrom('files').execute();
        await limit(3_000);
        const packages = [(await newSender(t)).package.id, (await newSender(t)).package.id];
        for (const one of steps) {
          const files = await db.selectFrom('files').select(['id', 'package_id', 'size', 'state']).orderBy('id').execute();
          const chosen = 'rank' in one ? files[one.rank % Math.max(1, files.length)] : undefined;
          const before = await counter();
          try {
            if (one.what === 'create')
              await insertFiles(
                db,
                one.files.map(({ name, size }) => file(packages[one.to]!, name, size)),
              );
            if (one.what === 'limit') await limit(one.bytes);
            if (one.what === 'remove' && chosen) await db.deleteFrom('files').where('id', '=', chosen.id).execute();
            if (one.what === 'finalize' && chosen) {
              const named = { ...file(chosen.package_id, '', null), id: chosen.id };
              await finalizeFiles(db, [finalization(named, Number(chosen.size ?? one.size))], now());
            }
          } catch {
            expect(await counter()).toEqual(before);
          }
          expect(await counter()).toEqual(await inRows());
        }
      }),
      { numRuns: 12 },
    );
  });

  it('give back what is deleted, replaced, and removed after its package has ended', async () => {
    const sender = await newSender(t);
    await limit(1_000);
    const upload = await sender.begin('', 'a', { size: 600 });
    await sender.create({ name: 'b', size: 300 });
    await sender.create({ name: 'b', size: 50 });
    expect(await counter()).toEqual({ used: 650, open: 650 });
    await upload.remove();
    expect(await counter()).toEqual({ used: 50, open: 50 });
    const whole = await newSender(t);
    await whole.send('', 'c', Buffer.alloc(200));
    await whole.finalize();
    expect(await counter()).toEqual({ used: 250, open: 50 });
    for (const { package: one } of [sender, whole]) {
      const deleted = await t.call('DELETE', `/v1/packages/${one.id}`, { headers: { 'x-package-token': one.access_token } });
      expect([200, 204]).toContain(deleted.status);
      await runJob(t.service.services, 'packages.free', { package_id: one.id });
    }
    expect(await counter()).toEqual({ used: 0, open: 0 });
  });

  it('begin with what is there, also while files come and go', async () => {
    const { db } = t.service.services;
    const senders = await Promise.all(Array.from({ length: 8 }, () => newSender(t)));
    await senders[0]!.send('', 'there', Buffer.alloc(123));
    await senders[0]!.finalize();
    const writing = senders.slice(1).map(async ({ package: { id } }) => {
      for (let n = 0; n < 12; n += 1) {
        const made = file(id, `f${n % 5}`, 10 + n);
        await insertFiles(db, [made]);
        if (n % 3 === 0) await db.deleteFrom('files').where('id', '=', made.id).execute();
      }
    });
    await limit(1_000_000);
    await Promise.all(writing);
    expect(await counter()).toEqual(await inRows());
    expect((await recount(db, t.teamId))!.used).toBe((await inRows()).used);
  });

  it('begin with what a transaction adds that began before, and keep nobody else from their files', async () => {
    const { db } = t.service.services;
    const [slow, quick] = [await newSender(t), await newSender(t)];
    const gate = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const adding = db.transaction().execute(async (trx) => {
      await insertFiles(trx, [file(slow.package.id, 'slow', 30)]);
      written.resolve();
      await gate.promise;
    });
    await written.promise;
    const limiting = limit(1_000_000);
    const isThere = () => db.selectFrom('quotas').select('counted').where('holder_id', '=', t.teamId).executeTakeFirst();
    await expect.poll(isThere).toEqual({ counted: false });
    expect((await quick.create({ name: 'quick', size: 7 })).status).toBe(201);
    expect(await isThere()).toEqual({ counted: false });
    gate.resolve();
    await adding;
    await limiting;
    expect(await counter()).toEqual({ used: 37, open: 37 });
  });

  it('are mended where they are wrong', async () => {
    const { db } = t.service.services;
    await (await newSender(t)).create({ name: 'a', size: 40 });
    await limit(100);
    await db.updateTable('quotas').set({ storage_used: 77 }).execute();
    const found: unknown[] = [];
    expect(await checkQuotas(db, (one) => found.push(one))).toBe(1);
    expect(found).toEqual([{ holderId: t.teamId, before: 77, used: 40 }]);
    expect(await counter()).toEqual({ used: 40, open: 40 });
  });
});

describe('a limit of traffic', () => {
  const traffic = async () => (await limit(null, 1_000)).body.quotas.traffic;

  it('counts what comes in, refuses what would pass it, and begins anew with the month', async () => {
    const today = new Date();
    const next = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1));
    clock = new Date(next.getTime() - 3_600_000);
    const sender = await newSender(t);
    await traffic();
    await sender.send('', 'a', Buffer.alloc(700));
    expect(await traffic()).toEqual({ limit: 1_000, used: 700 });
    // Room is held for what is being sent.
    expect((await sender.create({ name: 'b', size: 300 })).status).toBe(201);
    const refused = await sender.create({ name: 'c', size: 1 });
    expect([refused.status, refused.body]).toMatchObject([507, { code: 393_221 }]);
    clock = next;
    expect(await traffic()).toEqual({ limit: 1_000, used: 0 });
    expect((await sender.create({ name: 'c', size: 700 })).status).toBe(201);
    expect((await sender.create({ name: 'd', size: 1 })).status).toBe(507);
    clock = null;
  });

  it('counts what is recorded with its bytes at once', async () => {
    const { db } = t.service.services;
    const { package: sent } = await newSender(t);
    await traffic();
    await insertRecorded(db, [recorded(file(sent.id, 'a', 600)), recorded(file(sent.id, 'b', 300))]);
    expect(await traffic()).toEqual({ limit: 1_000, used: 900 });
    await expect(insertRecorded(db, [recorded(file(sent.id, 'c', 101))])).rejects.toThrow('used up');
    await insertRecorded(db, [recorded(file(sent.id, 'd', 100))]);
    expect(await traffic()).toEqual({ limit: 1_000, used: 1_000 });
  });
});

describe("operators' calls", () => {
  it('list Teams by the share that they have used', async () => {
    const { db } = t.service.services;
    const ids = [await addTeam(t, 'Half'), await addTeam(t, 'Most'), await addTeam(t, 'Little')];
    for (const [n, used] of [50, 90, 10].entries()) {
      await storeLimits(db, { teamId: ids[n]!, portalId: null }, { storage: 100, traffic: null });
      await db.updateTable('quotas').set({ storage_used: used }).where('holder_id', '=', ids[n]!).execute();
    }
    const names: string[] = [];
    for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
      const page: { records: OperatedTeam[]; next?: string } = (
        await operator<{ records: OperatedTeam[]; next?: string }>(
          'GET',
          `teams?sort=usage&limit=1${next === undefined ? '' : `&cursor=${encodeURIComponent(next)}`}`,
        )
      ).body;
      names.push(...page.records.map(({ name }) => name));
      next = page.next;
    }
    expect(names).toEqual(['Most', 'Half', 'Little']);
    expect((await operator('GET', 'teams?sort=usage&cursor=nonsense')).status).toBe(400);
  });

  it('are in both logs, and the same limits again in none', async () => {
    const { db } = t.service.services;
    await limit(5_000, 6_000);
    await limit(5_000, 6_000);
    const own = await t.call<StorageUsage>('GET', `/v1/teams/${t.teamId}/usage/storage`, { headers: { 'x-api-key': t.apiKey } });
    expect(own.body.quotas).toEqual({ storage: { limit: 5_000, used: 0 }, traffic: { limit: 6_000, used: 0 } });
    const acts = await db
      .selectFrom('operator_log')
      .select('details')
      .where('action', '=', 'team.quota_changed')
      .orderBy('id', 'desc')
      .execute();
    expect(acts[0]!.details).toEqual({ storage: 5_000, traffic: 6_000, before: { storage: null, traffic: null } });
    expect(acts[1]?.details).not.toEqual(acts[0]!.details);
    expect((await operator('PUT', `teams/${newId()}/quotas`, { storage: 1, traffic: null })).status).toBe(404);
    expect((await operator('PUT', `teams/${t.teamId}/quotas`, { storage: -1, traffic: null })).status).toBe(400);
  });
});

describe("a Portal's limit", () => {
  it('refuses what came through it, with what was there counted, and leaves others alone', async () => {
    const portal = await newPortal(t);
    const sender = await portalSender(t, portal.id);
    await sender.create({ name: 'before', size: 700 });
    const set = (max_storage: number) =>
      t.call<{ max_storage: number }>('PUT', `/v1/portals/${portal.id}`, { headers: { 'x-api-key': t.apiKey }, body: { max_storage } });
    expect((await set(1_000)).body.max_storage).toBe(1_000);
    await runJob(t.service.services, 'quotas.count', { holder_id: portal.id });
    const refused = await (await portalSender(t, portal.id)).create({ name: 'a', size: 301 });
    expect([refused.status, refused.body]).toMatchObject([507, { code: 393_220, message: expect.stringContaining('700 are used') }]);
    expect((await sender.create({ name: 'a', size: 300 })).status).toBe(201);
    const read = await t.call<Portal>('GET', `/v1/portals/${portal.id}`, { headers: { 'x-api-key': t.apiKey } });
    expect(read.body).toMatchObject({ max_storage: 1_000, storage_used: 1_000 });
    expect((await (await newSender(t)).create({ name: 'a', size: 5_000 })).status).toBe(201);
    // The Team's limit holds beside it.
    await limit(6_100);
    expect((await set(9_000)).status).toBe(200);
    expect((await sender.create({ name: 'b', size: 101 })).body).toMatchObject({ code: 393_219 });
    await set(0);
    const full = await newPortal(t, { max_storage: 10 });
    expect((await (await portalSender(t, full.id)).create({ name: 'a', size: 11 })).body).toMatchObject({ code: 393_220 });
    await t.call('DELETE', `/v1/portals/${full.id}`, { headers: { 'x-api-key': t.apiKey } });
    expect(await t.service.services.db.selectFrom('quotas').select('holder_id').execute()).toEqual([{ holder_id: t.teamId }]);
  });
});
