import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Gate } from '#client/ports.ts';
import { silentLog } from '#engine/ports.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { longestLoanMs } from '#engine/transfer/deadlines/plan.ts';
import { assumedSpeed } from '#engine/transfer/deadlines/slack.ts';
import type { JobEnd } from '#engine/transfer/job.ts';
import { createQueue } from '#engine/transfer/queue.ts';
import type { UploadRecord } from '#engine/transfer/record.ts';
import { createTransferRegistry } from '#engine/transfer/transfer-registry.ts';
import { createWaker } from '#engine/transfer/waker.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { allTransfers } from '#test/support/engine/all-transfers.ts';
import { testDeadlines } from '#test/support/engine/test-deadlines.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The queue with deadlines over a real state file; jobs send chunk after chunk, each through when the test says so. */

const minute = 60_000;
const hour = 60 * minute;
const key = randomBytes(32);
const bytesFor = (milliseconds: number): number => Math.round((milliseconds / 1_000) * assumedSpeed);

/** Lets everything that can go on do so. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const open: Gate = (work) => work();

let folder: Awaited<ReturnType<typeof tempFolder>>;
let clock: ReturnType<typeof createFakeClock>;
let store: Store;
const limits = { atOnce: 1, strict: false };

beforeEach(async () => {
  folder = await tempFolder();
  clock = createFakeClock();
  Object.assign(limits, { atOnce: 1, strict: false });
});
afterEach(async () => {
  store.close();
  await folder.remove();
});

function begin({ writesLog = true } = {}) {
  store = openStore(openDatabase(folder.path, { now: 0 }), sealerOf(key), clock);
  const deadlines = testDeadlines({ store, clock, find: (id) => registry.find(id) });
  const registry = createTransferRegistry({ store, clock, emit: () => {}, deadlines });
  const sending = new Map<string, () => void>();
  const sent: string[] = [];
  const queue = createQueue({
    registry: writesLog ? registry : { ...registry, log: cannotBeWritten },
    lists: store.lists,
    deadlines,
    writer: store.writer,
    clock,
    waker: createWaker(clock),
    random: () => 0,
    log: silentLog,
    limits: () => limits,
    async run({ id }, { signal, through }): Promise<JobEnd> {
      const gate = through(open);
      for (let chunk = 0; chunk < 3; chunk++) {
        if (sent.includes(`${id} ${chunk}`)) continue;
        await gate(() => {
          signal.throwIfAborted();
          return new Promise<void>((resolve, reject) => {
            sending.set(id, resolve);
            signal.addEventListener('abort', () => reject(signal.reason));
          });
        });
        sent.push(`${id} ${chunk}`);
      }
      return { type: 'finish' };
    },
  });
  queue.recover();
  const add = async (id: string, more: Partial<UploadRecord> = {}): Promise<void> => {
    registry.add(newUpload(id, store.transfers.nextPosition(), more));
    queue.pump();
    await settle();
  };
  const through = async (id: string): Promise<void> => {
    sending.get(id)?.();
    await settle();
  };
  const complete = async (id: string): Promise<void> => {
    for (let chunk = 0; chunk < 3; chunk++) await through(id);
  };
  const idsIn = (state: string): string[] =>
    allTransfers({ ...store, transfers: { ...store.transfers, get: registry.find } })
      .filter(({ phase }) => phase.state === state)
      .map(({ id }) => id);
  const passes = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds);
    await settle();
  };
  return { registry, queue, add, through, complete, idsIn, sent, passes };
}

it('the queue goes by priority, then by least slack, then by place; also after a restart', async () => {
  const { add, queue } = begin();
  await add('running', { priority: 'high' });
  await add('plain');
  await add('soon', { dueAt: clock.now() + hour });
  await add('tight', { dueAt: clock.now() + 3 * hour, totalBytes: bytesFor(150 * minute) });
  await add('low', { dueAt: clock.now() + minute, priority: 'low' });
  await add('high', { priority: 'high' });
  await queue.close();
  store.close();

  const again = begin();
  const order: string[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const [id] = again.idsIn('transferring');
    order.push(id!);
    await again.complete(id!);
  }
  expect(order).toEqual(['running', 'high', 'tight', 'soon', 'plain', 'low']);
  expect(again.registry.view('tight').deadline).toMatchObject({ state: 'met', message: 'It was over in time.' });
  await again.queue.close();
});

it('of transfers without a deadline one begins after four with one', async () => {
  const { add, complete, idsIn, queue } = begin();
  await add('running', { priority: 'high' });
  await add('plain');
  for (let number = 0; number < 6; number++) await add(`due ${number}`, { dueAt: clock.now() + (number + 1) * hour });
  const order: string[] = [];
  for (let turn = 0; turn < 8; turn++) {
    const [id] = idsIn('transferring');
    order.push(id!);
    await complete(id!);
  }
  expect(order).toEqual(['running', 'due 0', 'due 1', 'due 2', 'due 3', 'plain', 'due 4', 'due 5']);
  await queue.close();
});

it('one that would be late has a lower one wait, which says so, loses nothing, and goes on afterwards', async () => {
  const { add, through, complete, idsIn, registry, sent, queue } = begin();
  await add('large', { totalBytes: bytesFor(5 * hour) });
  await through('large');
  await add('due', { totalBytes: bytesFor(5 * minute), dueAt: Date.parse('2026-11-20T00:30:00Z') });
  // It does not wait for the chunk that is under way.
  expect(idsIn('transferring')).toEqual(['large', 'due']);
  expect(registry.view('large').waiting).toEqual({ reason: 'It waits for "due", which is due at 2026-11-20 00:30 UTC.' });
  await through('large');
  expect([idsIn('queued'), idsIn('transferring')]).toEqual([['large'], ['due']]);
  expect(registry.view('large').waiting?.reason).toContain('It waits for "due"');
  await complete('due');
  expect([idsIn('complete'), idsIn('transferring')]).toEqual([['due'], ['large']]);
  expect(registry.view('large').waiting).toBeNull();
  await through('large');
  expect(idsIn('complete')).toEqual(['large', 'due']);
  expect(sent).toEqual(['large 0', 'large 1', 'due 0', 'due 1', 'due 2', 'large 2']);
  expect(store.log.of('large').filter(({ event }) => event === 'waiting')).toHaveLength(1);
  await queue.close();
});

it('a log that cannot be written now stops nothing', async () => {
  const { add, idsIn, queue } = begin({ writesLog: false });
  await add('large', { totalBytes: bytesFor(5 * hour) });
  await add('due', { totalBytes: bytesFor(5 * minute), dueAt: clock.now() + 30 * minute });
  expect(idsIn('transferring')).toEqual(['large', 'due']);
  await queue.close();
});

it('in strict order too, between two chunks', async () => {
  limits.strict = true;
  const { add, through, idsIn, queue } = begin();
  await add('large', { totalBytes: bytesFor(5 * hour) });
  await add('due', { totalBytes: bytesFor(5 * minute), dueAt: clock.now() + 30 * minute });
  expect(idsIn('transferring')).toEqual(['large']);
  await through('large');
  expect([idsIn('queued'), idsIn('transferring')]).toEqual([['large'], ['due']]);
  await queue.close();
});

it('one that waits goes on when the deadline is taken away, paused or passed', async () => {
  const { add, through, idsIn, registry, passes, queue } = begin();
  await add('large', { totalBytes: bytesFor(50 * hour) });
  const due = { totalBytes: bytesFor(5 * minute), dueAt: clock.now() + 30 * minute };
  await add('due', due);
  await through('large');
  expect(idsIn('queued')).toEqual(['large']);
  limits.atOnce = 2;
  queue.pump();
  expect(idsIn('queued')).toEqual(['large']);
  registry.change('due', { dueAt: undefined });
  queue.pump();
  await settle();
  expect([idsIn('queued'), idsIn('transferring')]).toEqual([[], ['large', 'due']]);
  await passes(3 * minute);
  await queue.close();
});

it('one that has waited for half an hour runs beside the others', async () => {
  const { add, through, idsIn, passes, queue } = begin();
  await add('large', { totalBytes: bytesFor(50 * hour) });
  await add('due', { totalBytes: bytesFor(95 * hour), dueAt: clock.now() + 100 * hour });
  await through('large');
  expect([idsIn('queued'), idsIn('transferring')]).toEqual([['large'], ['due']]);
  await passes(longestLoanMs - minute);
  expect(idsIn('queued')).toEqual(['large']);
  await passes(2 * minute);
  expect([idsIn('queued'), idsIn('transferring')]).toEqual([[], ['large', 'due']]);
  await queue.close();
});

it('nothing is looked at while no transfer has a deadline', async () => {
  const { add, complete, queue, passes } = begin();
  await add('plain');
  const quiet = clock.pending;
  await add('due', { dueAt: clock.now() + hour });
  expect(clock.pending).toBeGreaterThan(quiet);
  await complete('plain');
  await complete('due');
  await passes(minute);
  expect(clock.pending).toBeLessThanOrEqual(quiet);
  await queue.close();
});

const cannotBeWritten = (): never => {
  throw new Error('disk full');
};

function newUpload(id: string, position: number, more: Partial<UploadRecord>): UploadRecord {
  return {
    id,
    kind: 'upload',
    phase: { state: 'queued' },
    name: id,
    priority: 'normal',
    position,
    rateLimit: 0,
    bytes: 0,
    totalBytes: 0,
    files: 0,
    totalFiles: 0,
    createdAt: position,
    updatedAt: 1,
    request: { serviceUrl: 'http://s', teamId: 't', paths: ['/'], description: '', recipients: [], autoFinalize: true },
    added: [],
    facts: { scanned: true, package: { state: 'open', id: 'p' } },
    secrets: {},
    ...more,
  };
}
