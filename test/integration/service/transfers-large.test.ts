import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FilterRule } from '#protocol/hosted/filters.ts';
import { LeaseLostError } from '#service/transfers/lease.ts';
import { planTransfer } from '#service/transfers/plan.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { putTransfer } from '#test/support/service/transfers.ts';

let t: TestService;
beforeAll(async () => {
  t = await startTestService({ processes: 1 });
});
afterAll(() => t?.close());

async function largeTransfer(files: number, { longer = 0, rules = null }: { longer?: number; rules?: readonly FilterRule[] | null } = {}) {
  const { db } = t.service.services;
  const { package: made } = await newSender(t);
  await sql`
    insert into files (id, package_id, place, kind, path, name, size, state, chunk_size, created_at)
    select gen_random_uuid(), ${made.id}::uuid, sha256(convert_to(n::text, 'UTF8')), 'file', 'day', 'clip ' || n || repeat('a', ${sql.lit(longer)}), 1, 'finalized', 1, now()
    from generate_series(1, ${sql.lit(files)}) as n`.execute(db);
  const leaseId = crypto.randomUUID();
  const filter_rules = rules && JSON.stringify(rules);
  const id = await putTransfer(t, { package_id: made.id, state: 'started', lease_id: leaseId, filter_rules });
  const count = async () => {
    const { files: found } = await db
      .selectFrom('cloud_transfer_files')
      .select((select) => select.fn.countAll<string>().as('files'))
      .where('transfer_id', '=', id)
      .executeTakeFirstOrThrow();
    return Number(found);
  };
  return { lease: { transferId: id, leaseId }, count };
}

/** Aborted when it is looked at for this time. */
function endingAtLook(last: number): AbortSignal {
  let looks = 0;
  return {
    throwIfAborted() {
      if (++looks === last) throw new Error('cancelled');
    },
  } as AbortSignal;
}

it('a large package is planned in steps, between which its lease is renewed and others may cancel it', async () => {
  const { db } = t.service.services;
  const { lease, count } = await largeTransfer(12_000);
  let events = 0;
  const work = { db, record: async () => void events++ };

  // Ended in the middle: what was written is there for others already, and is no obstacle for the next one.
  await expect(planTransfer(work, lease, endingAtLook(2))).rejects.toThrow('cancelled');
  expect(await count()).toBe(5_000);
  expect(events).toBe(0);

  const planned = await planTransfer(work, lease, new AbortController().signal);
  expect(planned).toMatchObject({ planned: true, total_files: 12_000, total_bytes: 12_000 });
  expect(await count()).toBe(12_001);
  expect(events).toBe(1);
  expect(await planTransfer(work, lease, new AbortController().signal)).toMatchObject({ total_files: 12_000 });
  expect(events).toBe(1);

  await expect(planTransfer(work, { ...lease, leaseId: crypto.randomUUID() }, new AbortController().signal)).rejects.toThrow(
    LeaseLostError,
  );
});

it('a large filter lets others do their work amid a page, and a transfer that is cancelled end there', async () => {
  const { db } = t.service.services;
  // Milliseconds for each name, and a page has 5,000. None of them is left out.
  const values = ['(.*[ab]){400}[yz]$'];
  const rules: readonly FilterRule[] = [{ action: 'exclude', criterion: 'file_name', operator: 'regex_match', values }];
  const { lease, count } = await largeTransfer(5_001, { longer: 200, rules });
  await expect(planTransfer({ db, record: async () => {} }, lease, endingAtLook(2))).rejects.toThrow('cancelled');
  expect(await count()).toBe(0);
});
