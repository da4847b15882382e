import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openImportJournal } from '#service/transfers/import/journal.ts';
import type { ImportChange } from '#service/transfers/import/ports.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { putTransfer } from '#test/support/service/transfers.ts';

describe('the journal of an import', () => {
  let t: TestService;
  beforeAll(async () => {
    t = await startTestService({ processes: 1 });
  });
  afterAll(() => t?.close());

  const entries = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      kind: 'file' as const,
      id: `clips/${from + n}`,
      path: 'clips',
      name: String(from + n),
      size: 10,
      etag: 'e',
      modified: null,
    }));

  const begin = async (count: number) => {
    const { db } = t.service.services;
    const { package: made } = await newSender(t);
    const leaseId = crypto.randomUUID();
    const lease = { transferId: await putTransfer(t, { package_id: made.id, state: 'started', lease_id: leaseId }), leaseId };
    const journal = (trx = db) => openImportJournal({ db: trx, record: async () => {}, lease });
    expect(await journal().add({ entries: entries(0, count), items: [] })).toEqual([]);
    return { journal, lease };
  };

  const readSoFar = async (trx: typeof t.service.services.db) => {
    const { rows } = await sql<{ read: string }>`
      select sum(coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0)) as read
      from pg_stat_xact_user_tables where relname in ('cloud_import_files', 'cloud_import_chunks')`.execute(trx);
    return Number(rows[0]!.read);
  };

  const chunk = { number: 1, etag: 'c', digest: 'ab', size: 4 };
  const kinds: { readonly [Kind in ImportChange['kind']]: Omit<Extract<ImportChange, { kind: Kind }>, 'position'> } = {
    created: { kind: 'created', fileId: crypto.randomUUID(), chunkSize: 8 },
    begun: { kind: 'begun', uploadId: 'u' },
    chunk: { kind: 'chunk', chunk },
    changed: { kind: 'changed', size: 12, etag: 'f', modified: new Date(0) },
    failed: { kind: 'failed', message: 'No.' },
    reset: { kind: 'reset' },
    complete: { kind: 'complete' },
  };

  // The planner's statistics are from before a large transfer: it believes that the transfer has a few rows, and reads all of them.
  it('reads the rows that it writes, and not the whole transfer', async () => {
    const { db } = t.service.services;
    for (let imports = 0; imports < 20; imports += 1) await begin(5);
    await sql`analyze cloud_import_files, cloud_import_chunks`.execute(db);
    const { journal } = await begin(5_000);
    const rowsRead = await db.transaction().execute(async (trx) => {
      const before = await readSoFar(trx);
      for (const change of Object.values(kinds)) {
        await journal(trx).write([2_000, 2_001, 2_002].map((position) => ({ ...change, position }) as ImportChange));
      }
      expect(await journal(trx).add({ entries: entries(2_998, 3), items: [] })).toEqual(['clips/2998', 'clips/2999', 'clips/3000']);
      return (await readSoFar(trx)) - before;
    });
    expect(rowsRead).toBeLessThan(200);
  });

  it('keeps what a change says nothing of', async () => {
    const { journal, lease } = await begin(2);
    const now = async () => {
      const { entries: rows } = await journal().entries({ state: 'unfinished', cursor: null, count: 9 });
      return rows;
    };
    const before = await now();
    const fresh = before[0]!;
    const at = { position: 0 };
    await journal().write([
      { ...kinds.created, ...at },
      { ...kinds.begun, ...at },
      { ...kinds.chunk, ...at },
      { ...kinds.failed, ...at },
    ]);
    expect(await now()).toEqual([{ ...fresh, fileId: kinds.created.fileId, chunkSize: 8, uploadId: 'u', storedBytes: 4 }, before[1]]);
    expect(await journal().chunks(0)).toEqual([chunk]);
    // The same chunk once more counts once.
    await journal().write([{ ...kinds.chunk, ...at }]);
    expect((await now())[0]).toMatchObject({ storedBytes: 4 });
    await journal().write([{ ...kinds.changed, ...at }]);
    const { kind: _, ...changed } = kinds.changed;
    expect(await now()).toEqual([{ ...fresh, ...changed, restarts: 1 }, before[1]]);
    expect(await journal().chunks(0)).toEqual([]);
    await journal().write([{ ...kinds.complete, ...at }]);
    expect(await now()).toEqual([before[1]]);
    const { db } = t.service.services;
    const row = await db.selectFrom('cloud_transfers').select('total_bytes').where('id', '=', lease.transferId).executeTakeFirstOrThrow();
    expect(Number(row.total_bytes)).toBe(2);
  });
});
