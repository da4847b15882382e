import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSeal } from '#service/seal.ts';
import { manifestId } from '#service/transfers/delivery/ports.ts';
import { openJournal } from '#service/transfers/journal.ts';
import { type Lease, LeaseLostError, renewLease } from '#service/transfers/lease.ts';
import { planTransfer } from '#service/transfers/plan.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { putTransfer } from '#test/support/service/transfers.ts';

describe('the journal of a delivery', () => {
  let t: TestService;
  let lease: Lease;
  const seal = createSeal(new Uint8Array(32).fill(5));
  beforeAll(async () => {
    t = await startTestService({ processes: 1 });
  });
  afterAll(() => t?.close());

  const parts = () => ({ db: t.service.services.db, seal, lease });

  beforeEach(async () => {
    const { db } = t.service.services;
    const { package: made } = await newSender(t);
    await sql`
      insert into files (id, package_id, place, kind, path, name, size, state, chunk_size, created_at)
      select gen_random_uuid(), ${made.id}::uuid, sha256(convert_to(n::text, 'UTF8')), 'file', '', 'clip ' || n, 10, 'finalized', 1, now()
      from generate_series(1, 5) as n`.execute(db);
    const leaseId = crypto.randomUUID();
    lease = { transferId: await putTransfer(t, { package_id: made.id, state: 'started', lease_id: leaseId }), leaseId };
    await planTransfer({ db, record: async () => {} }, lease, new AbortController().signal);
  });

  const read = async () => {
    const journal = openJournal(parts());
    const pages = [await journal.files({ state: 'unfinished', cursor: null, count: 9 })];
    pages.push(await journal.files({ state: 'complete', cursor: null, count: 9 }));
    const states = pages.flatMap(({ files }) => files).map(({ file, ...state }) => [file.path, state] as const);
    return { states: Object.fromEntries(states), ids: pages.flatMap(({ files }) => files).map(({ file }) => file.id) };
  };

  const fresh = { target: null, upload: null, storedBytes: 0, object: null };
  const upload = { id: 'u"\\1' };
  const object = { id: 'in/"1', etag: 'e\\' };

  it('takes changes of every kind in one write', async () => {
    const journal = openJournal(parts());
    const { ids } = await read();
    const [one, two, three, four] = ids as [string, string, string, string, string];
    await journal.write([two, three].map((id) => ({ kind: 'begun', id, target: `in/${id}`, upload })));
    await journal.write([
      { kind: 'begun', id: one, target: 'in/"1', upload },
      { kind: 'complete', id: one, target: 'in/"1', object },
      { kind: 'stored', id: two, bytes: 7 },
      { kind: 'reset', id: three },
      { kind: 'begun', id: four, target: 'in/4', upload },
      { kind: 'stored', id: four, bytes: 3 },
      { kind: 'failed', id: four, message: 'No.' },
      { kind: 'begun', id: manifestId, target: 'in/m', upload },
    ]);
    expect((await read()).states).toEqual({
      'clip 1': { target: 'in/"1', upload: null, storedBytes: 0, object },
      'clip 2': { target: `in/${two}`, upload, storedBytes: 7, object: null },
      'clip 3': fresh,
      'clip 4': { target: 'in/4', upload, storedBytes: 3, object: null },
      'clip 5': fresh,
    });
    expect(await journal.summary()).toMatchObject({ done: { files: 1, bytes: 20 }, manifest: { upload, object: null } });
  });

  it('writes nothing of any kind once its lease is another’s', async () => {
    const journal = openJournal(parts());
    const [one, two, three] = (await read()).ids as [string, string, string, string, string];
    await journal.write([{ kind: 'begun', id: one, target: 'in/1', upload }]);
    const before = await read();
    const late = openJournal({ ...parts(), lease: { ...lease, leaseId: crypto.randomUUID() } });
    for (const change of [
      { kind: 'reset', id: one },
      { kind: 'stored', id: one, bytes: 7 },
      { kind: 'begun', id: two, target: 'in/2', upload },
    ] as const) {
      await expect(late.write([change])).rejects.toThrow(LeaseLostError);
    }
    await expect(
      late.write([
        { kind: 'reset', id: one },
        { kind: 'stored', id: two, bytes: 7 },
        { kind: 'complete', id: three, target: 'in/3', object },
      ]),
    ).rejects.toThrow(LeaseLostError);
    expect(await read()).toEqual(before);
  });

  it.each([
    ['is renewed', null],
    ['is taken by another process', crypto.randomUUID()],
  ])('waits while its lease %s', async (_, taker) => {
    const { db } = t.service.services;
    const journal = openJournal(parts());
    const [one] = (await read()).ids as [string, string, string, string, string];
    const write = await db.transaction().execute(async (trx) => {
      await renewLease(trx, lease, { files: 0, bytes: 1 }, new Date());
      if (taker !== null) await trx.updateTable('cloud_transfers').set({ lease_id: taker }).where('id', '=', lease.transferId).execute();
      const writing = journal.write([{ kind: 'begun', id: one, target: 'in/1', upload }]).then(
        () => 'written',
        (error: unknown) => error,
      );
      await expect
        .poll(async () => {
          const { rows } = await sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%leased%'`.execute(db);
          return rows.length;
        })
        .toBe(1);
      // A promise of a promise, so that the transaction does not wait for what waits for it.
      return { writing };
    });
    if (taker === null) {
      expect(await write.writing).toBe('written');
      expect((await read()).states['clip 1']).toMatchObject({ target: 'in/1', upload });
    } else {
      expect(await write.writing).toBeInstanceOf(LeaseLostError);
      expect((await read()).states['clip 1']).toEqual(fresh);
    }
  });
});
