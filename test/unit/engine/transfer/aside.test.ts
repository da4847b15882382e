import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Gate } from '#client/ports.ts';
import { silentLog } from '#engine/ports.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { createDrainGate } from '#engine/transfer/concurrency/drain-gate.ts';
import type { JobEnd } from '#engine/transfer/job.ts';
import { createQueue } from '#engine/transfer/queue.ts';
import type { Priority, UploadRecord } from '#engine/transfer/record.ts';
import { createTransferRegistry } from '#engine/transfer/transfer-registry.ts';
import { createWaker } from '#engine/transfer/waker.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { allTransfers } from '#test/support/engine/all-transfers.ts';
import { testDeadlines } from '#test/support/engine/test-deadlines.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Lets everything that can go on do so. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const open: Gate = (work) => work();

describe('a drain gate', () => {
  it('lets what is under way through, then calls back once, and lets nothing new begin before the end', async () => {
    const stop = new AbortController();
    const { through, drain } = createDrainGate(stop.signal);
    const gate = through(open);
    const first = Promise.withResolvers<string>();
    const second = Promise.withResolvers<string>();
    const log: string[] = [];
    const noted = Promise.allSettled([first, second].map(({ promise }) => gate(() => promise).then((chunk) => log.push(`noted ${chunk}`))));
    drain(() => {
      log.push('quiet');
      stop.abort(new Error('aside'));
    });
    const late = gate(async () => {
      stop.signal.throwIfAborted();
      log.push('began');
    });
    late.catch(() => undefined);
    await settle();
    expect(log).toEqual([]);
    first.resolve('1');
    await settle();
    expect(log).toEqual(['noted 1']);
    second.reject(new Error('cut'));
    await settle();
    expect(log).toEqual(['noted 1', 'quiet']);
    await expect(late).rejects.toThrow('aside');
    await noted;
    expect(log).toEqual(['noted 1', 'quiet']);
  });

  it('calls back where nothing is under way', async () => {
    const { drain } = createDrainGate(new AbortController().signal);
    let calls = 0;
    drain(() => calls++);
    drain(() => calls++);
    await settle();
    expect(calls).toBe(1);
  });
});

describe('in strict order', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let store: Store;
  const limits = { atOnce: 1, strict: true };
  beforeEach(async () => {
    folder = await tempFolder();
    limits.strict = true;
  });
  afterEach(async () => {
    store.close();
    await folder.remove();
  });

  /** Jobs that send chunk after chunk, each through when the test says so. */
  function setting() {
    const clock = createFakeClock();
    store = openStore(openDatabase(folder.path, { now: 0 }), sealerOf(randomBytes(32)), clock);
    const registry = createTransferRegistry({ store, clock, emit: () => {} });
    const sending = new Map<string, () => void>();
    const sent: string[] = [];
    const queue = createQueue({
      registry,
      lists: store.lists,
      deadlines: testDeadlines({ store, clock, find: registry.find }),
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
    const add = async (id: string, priority: Priority): Promise<void> => {
      registry.add(newUpload(id, priority, store.transfers.nextPosition()));
      queue.pump();
      await settle();
    };
    const through = async (id: string): Promise<void> => {
      sending.get(id)?.();
      await settle();
    };
    const states = (): string =>
      allTransfers(store)
        .map(({ id, phase }) => `${id} ${phase.state}`)
        .join(', ');
    return { registry, queue, add, through, states, sent };
  }

  it('a more urgent transfer goes between two chunks of a less urgent one, which loses nothing', async () => {
    const { add, through, states, sent, queue } = setting();
    await add('low', 'low');
    await through('low');
    await add('normal', 'normal');
    expect(states()).toBe('low transferring, normal queued');
    await add('high', 'high');
    expect(states()).toBe('low transferring, normal queued, high queued');
    await through('low');
    expect(states()).toBe('low queued, normal queued, high transferring');
    for (let chunk = 0; chunk < 3; chunk++) await through('high');
    for (let chunk = 0; chunk < 3; chunk++) await through('normal');
    expect(states()).toBe('low transferring, normal complete, high complete');
    await through('low');
    expect(states()).toBe('low complete, normal complete, high complete');
    expect(sent).toEqual(['low 0', 'low 1', 'high 0', 'high 1', 'high 2', 'normal 0', 'normal 1', 'normal 2', 'low 2']);
    await queue.close();
  });

  it('one that is as urgent waits, wherever it stands in the line', async () => {
    const { add, through, states, registry, queue } = setting();
    await add('first', 'normal');
    await add('second', 'normal');
    registry.change('second', { position: 0 });
    queue.pump();
    await through('first');
    expect(states()).toBe('first transferring, second queued');
    await queue.close();
  });

  it('one that becomes more urgent while it waits does so too', async () => {
    const { add, through, states, registry, queue } = setting();
    await add('first', 'normal');
    await add('second', 'normal');
    registry.change('second', { priority: 'high' });
    queue.pump();
    await settle();
    expect(states()).toBe('first transferring, second queued');
    await through('first');
    expect(states()).toBe('first queued, second transferring');
    await queue.close();
  });

  it('nothing is pushed aside where the order is shared', async () => {
    const { add, through, states, queue } = setting();
    limits.strict = false;
    await add('low', 'low');
    await add('high', 'high');
    await through('low');
    expect(states()).toBe('low transferring, high queued');
    await queue.close();
  });
});

function newUpload(id: string, priority: Priority, position: number): UploadRecord {
  return {
    id,
    kind: 'upload',
    phase: { state: 'queued' },
    name: id,
    priority,
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
  };
}
