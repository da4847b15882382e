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

  const plan = async (count: number) => {
    const { db } = t.service.services;
    const { package: made } = await newSender(t);
    await sql`
      insert into files (id, package_id, place, kind, path, name, size, state, chunk_size, created_at)
      select gen_random_uuid(), ${made.id}::uuid, sha256(convert_to(n::text, 'UTF8')), 'file', '', 'clip ' || n, 10, 'finalized', 1, now()
      from generate_series(1, ${count}) as n`.execute(db);
    const leaseId = crypto.randomUUID();
    lease = { transferId: await putTransfer(t, { package_id: made.id, state: 'started', lease_id: leaseId }), leaseId };
    await planTransfer({ db, record: async () => {} }, lease, new AbortController().signal);
  };

  beforeEach(() => plan(5));

  const readSoFar = async (trx: typeof t.service.services.db) => {
    const { rows } = await sql<{ read: string }>`
      select sum(coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0)) as read
      from pg_stat_xact_user_tables where relname in ('cloud_transfer_files', 'cloud_transfer_names')`.execute(trx);
    return Number(rows[0]!.read);
  };

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
          const { rows } = await sql`
            select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%leased%'`.execute(db);
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

  // The planner's statistics are from before a large transfer: it believes that the transfer has a few rows, and reads all of them.
  it('reads the rows that it writes, and not the whole transfer', async () => {
    const { db } = t.service.services;
    for (let transfers = 0; transfers < 20; transfers += 1) await plan(5);
    await sql`analyze cloud_transfer_files, cloud_transfer_names`.execute(db);
    await plan(5_000);
    const { files } = await openJournal(parts()).files({ state: 'unfinished', cursor: null, count: 5_000 });
    const ids = files.map(({ file }) => file.id);
    await openJournal(parts()).claimNames(ids.map((id) => ({ key: `in/${id}`, owner: id })));
    const rowsRead = await db.transaction().execute(async (trx) => {
      const journal = openJournal({ ...parts(), db: trx });
      const some = (from: number) => ids.slice(from, from + 5);
      const before = await readSoFar(trx);
      await journal.write(some(2_000).map((id) => ({ kind: 'begun', id, target: `in/${id}`, upload })));
      await journal.write(some(2_000).map((id) => ({ kind: 'stored', id, bytes: 7 })));
      await journal.write(some(2_000).map((id) => ({ kind: 'reset', id })));
      await journal.claimNames(some(2_500).map((id) => ({ key: `in/${id}`, owner: 'another' })));
      return (await readSoFar(trx)) - before;
    });
    expect(rowsRead).toBeLessThan(200);
  });

  it('tells who has each name, also where two files of one call want the same', async () => {
    const journal = openJournal(parts());
    const claim = (key: string, owner: string) => ({ key, owner });
    expect(await journal.claimNames([claim('a', '1'), claim('b', '2'), claim('a', '3')])).toEqual(['1', '2', '1']);
    expect(await journal.claimNames([claim('b', '4'), claim('c', '5')])).toEqual(['2', '5']);
  });

  it('keeps what a change says nothing of', async () => {
    const journal = openJournal(parts());
    const [one] = (await read()).ids as [string];
    const message = async () => {
      const { db } = t.service.services;
      const row = await db.selectFrom('cloud_transfer_files').select(['message', 'stored', 'target', 'size']).where('file_id', '=', one);
      return await row.where('transfer_id', '=', lease.transferId).executeTakeFirstOrThrow();
    };
    await journal.write([{ kind: 'begun', id: one, target: 'in/1', upload }]);
    await journal.write([{ kind: 'stored', id: one, bytes: 3 }]);
    await journal.write([{ kind: 'failed', id: one, message: 'No.' }]);
    expect(await message()).toMatchObject({ message: 'No.', stored: 3, target: 'in/1', size: 10 });
    await journal.write([{ kind: 'stored', id: one, bytes: 4 }]);
    expect(await message()).toMatchObject({ message: 'No.', stored: 4, target: 'in/1', size: 10 });
  });
});
