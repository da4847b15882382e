import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHousekeeping, type HousekeepingPorts } from '#engine/housekeeping.ts';
import { silentLog } from '#engine/ports.ts';
import { openReceiptStore } from '#engine/receipt/receipt-store.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { defaultSettings } from '#engine/settings.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import type { UploadRecord } from '#engine/transfer/record.ts';
import type { Phase } from '#engine/transfer/state-machine.ts';
import { createTransferRegistry } from '#engine/transfer/transfer-registry.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { allTransfers } from '#test/support/engine/all-transfers.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const day = 24 * 3_600_000;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let store: Store;
let clock: ReturnType<typeof createFakeClock>;

beforeEach(async () => {
  folder = await tempFolder();
  clock = createFakeClock();
  clock.advance(1_000 * day);
  store = openStore(openDatabase(folder.path, { now: 0 }), sealerOf(Buffer.alloc(32)), clock);
});
afterEach(async () => {
  store.close();
  await folder.remove();
});

function upload(id: string, phase: Phase, facts: Partial<UploadRecord['facts']> = {}): UploadRecord {
  const counts = { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0 };
  const request = { serviceUrl: 'http://s', teamId: 't', paths: ['/a'], description: '', recipients: [], autoFinalize: true };
  return {
    ...counts,
    id,
    kind: 'upload',
    phase,
    name: id,
    priority: 'normal',
    position: 1,
    rateLimit: 0,
    createdAt: 1,
    updatedAt: 1,
    request,
    added: [],
    facts: { scanned: true, package: { state: 'finalized', id: 'p' }, ...facts },
    secrets: {},
  };
}

const newFiles = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    kind: 'file' as const,
    path: 'folder',
    name: `file-${index}`,
    local: `/media/somewhere/folder/file-${index}`,
    size: 1,
    modifiedAt: 1,
    inode: `1:${index}`,
  }));

function setting(historyDays = 90, takeOut: HousekeepingPorts['takeOut'] = () => []) {
  const events: string[] = [];
  const registry = createTransferRegistry({
    store,
    clock,
    emit: (event) => events.push(`${event.type} ${'transfer_id' in event ? event.transfer_id : ''}`),
  });
  const receipts = openReceiptStore(join(folder.path, 'receipts'));
  const settings = { ...defaultSettings('/home/mia'), history_days: historyDays };
  const housekeeping = createHousekeeping({
    registry,
    store,
    receipts,
    settings: { current: () => settings },
    clock,
    log: silentLog,
    takeOut,
  });
  return { registry, receipts, housekeeping, events, settings };
}

async function receiptFor(receipts: ReturnType<typeof openReceiptStore>, id: string): Promise<void> {
  const draft = receipts.draft(id);
  await draft.take(Buffer.from('{}\n'));
  await draft.end();
  draft.accept();
}

it('a receipt that is being fetched meanwhile stays', async () => {
  const { registry, receipts, housekeeping } = setting();
  registry.add(upload('settling', { state: 'transferring' }));
  const draft = receipts.draft('settling');
  await draft.take(Buffer.from('{}\n'));
  await draft.end();
  await housekeeping.run();
  draft.accept();
  expect(receipts.has('settling')).toBe(true);
});

it('what is over for so many days leaves the list, with its files and receipt; all else stays', async () => {
  const { registry, receipts, housekeeping, events } = setting();
  const old = clock.now() - 91 * day;
  const young = clock.now() - 89 * day;
  const failure = { code: 1, message: 'no', retryable: false };
  for (const record of [
    upload('old', { state: 'complete', finishedAt: old }),
    upload('old-cancelled', { state: 'cancelled', finishedAt: old }),
    upload('young', { state: 'complete', finishedAt: young }),
    upload('queued', { state: 'queued' }),
    upload('failed', { state: 'error', failure }),
    upload('owing', { state: 'cancelled', finishedAt: old }, { package: { state: 'to_delete', id: 'p' } }),
  ]) {
    registry.add(record);
    store.writer.write(() => store.files.insert(record.id, newFiles(600)));
    await receiptFor(receipts, record.id);
  }
  await receiptFor(receipts, 'of-nobody');
  writeFileSync(join(folder.path, 'receipts', 'young.draft'), 'half');
  events.length = 0;

  await housekeeping.run();
  const left = ['failed', 'owing', 'queued', 'young'];
  expect(
    allTransfers(store)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(left);
  expect(events).toEqual(['transfer.removed old', 'transfer.removed old-cancelled']);
  expect(readdirSync(join(folder.path, 'receipts')).toSorted()).toEqual(left.map((id) => `${id}.receipt.gz`));
  expect(store.files.page('old', 0, 1).total).toBe(0);
  expect(store.files.page('young', 0, 1).total).toBe(600);
  await housekeeping.close();
});

it('0 days keep all for ever', async () => {
  const { registry, housekeeping } = setting(0);
  registry.add(upload('old', { state: 'complete', finishedAt: 0 }));
  await housekeeping.run();
  expect(allTransfers(store)).toHaveLength(1);
  await housekeeping.close();
});

it('it is done at the beginning and every six hours, and not any more once it is closed', async () => {
  const { registry, housekeeping } = setting();
  housekeeping.begin();
  registry.add(upload('a', { state: 'complete', finishedAt: clock.now() - 90 * day + 1 }));
  await housekeeping.run();
  expect(allTransfers(store)).toHaveLength(1);
  clock.advance(6 * 3_600_000);
  await housekeeping.run();
  expect(allTransfers(store)).toHaveLength(0);
  await housekeeping.close();
  registry.add(upload('b', { state: 'complete', finishedAt: 0 }));
  clock.advance(24 * 3_600_000);
  await housekeeping.run();
  expect(allTransfers(store)).toHaveLength(1);
});

it('the state file gives back what large transfers took, and loses nothing of the others', async () => {
  const { registry, housekeeping } = setting();
  registry.add(upload('stays', { state: 'queued' }));
  store.writer.write(() => store.files.insert('stays', newFiles(1_000)));
  registry.add(upload('large', { state: 'complete', finishedAt: 0 }));
  for (let batch = 0; batch < 20; batch++) {
    store.writer.write(() => store.files.insert('large', newFiles(2_000)));
    store.writer.flush();
  }
  store.pages.settle();
  const file = join(folder.path, 'agent.db');
  const before = statSync(file).size;
  expect(before).toBeGreaterThan(4_500_000);
  await housekeeping.run();
  expect(statSync(file).size).toBeLessThan(before / 10);
  expect(statSync(`${file}-wal`).size).toBe(0);
  expect(store.files.pending('stays', 0, 2_000)).toHaveLength(1_000);
  await housekeeping.close();
});

it('what was removed is deleted in pieces, and a restart in the middle goes on', async () => {
  const { registry, housekeeping } = setting();
  for (const id of ['goes', 'stays']) {
    registry.add(upload(id, { state: 'queued' }));
    store.writer.write(() => store.files.insert(id, newFiles(3_000)));
  }
  registry.remove('goes');
  expect(allTransfers(store).map(({ id }) => id)).toEqual(['stays']);
  const running = housekeeping.run();
  await housekeeping.close();
  await running;
  const left = store.files.page('goes', 0, 1).total;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(3_000);

  store.close();
  store = openStore(openDatabase(folder.path, { now: 0 }), sealerOf(Buffer.alloc(32)), clock);
  const next = setting();
  expect(allTransfers(store).map(({ id }) => id)).toEqual(['stays']);
  await next.housekeeping.run();
  expect([store.files.page('goes', 0, 1).total, store.transfers.hidden(), store.files.page('stays', 0, 1).total]).toEqual([0, [], 3_000]);
  await next.housekeeping.close();
});

it('free room that is soon used again is kept', async () => {
  const { registry, housekeeping } = setting();
  registry.add(upload('small', { state: 'complete', finishedAt: 0 }));
  store.writer.write(() => store.files.insert('small', newFiles(5_000)));
  store.writer.flush();
  store.pages.settle();
  const before = statSync(join(folder.path, 'agent.db')).size;
  await housekeeping.run();
  store.pages.settle();
  // Nothing is given back. That names of files are no longer searched is noted, which takes some pages.
  expect(statSync(join(folder.path, 'agent.db')).size).toBeGreaterThanOrEqual(before);
  expect(existsSync(join(folder.path, 'receipts'))).toBe(false);
  await housekeeping.close();
});
