import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { silentLog } from '#engine/ports.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore } from '#engine/state/store.ts';
import { createTransferControl } from '#engine/transfer/control.ts';
import type { JobEnd } from '#engine/transfer/job.ts';
import { createQueue } from '#engine/transfer/queue.ts';
import type { Priority, UploadRecord } from '#engine/transfer/record.ts';
import { createTransferRegistry } from '#engine/transfer/transfer-registry.ts';
import { createWaker } from '#engine/transfer/waker.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { allTransfers } from '#test/support/engine/all-transfers.ts';
import { testDeadlines } from '#test/support/engine/test-deadlines.ts';
import { runs } from '#test/support/faults/seeds.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Lets everything that can go on do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const minute = 60_000;
const key = randomBytes(32);

interface Limits {
  atOnce: number;
  strict: boolean;
}

/** Book, queue and control over a real state file, with jobs that end when the test says so. */
function open(folder: string, clock: FakeClock, limits: Limits) {
  const store = openStore(openDatabase(folder, { now: clock.now() }), sealerOf(key), clock);
  const registry = createTransferRegistry({ store, clock, emit: () => {} });
  const jobs = new Map<string, { end(end: JobEnd): void; fail(error: Error): void }>();
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
    run: ({ id }, { signal }) =>
      new Promise<JobEnd>((resolve, reject) => {
        jobs.set(id, { end: resolve, fail: reject });
        signal.addEventListener('abort', () => reject(signal.reason));
      }).finally(() => jobs.delete(id)),
  });
  const control = createTransferControl({
    registry,
    queue,
    store,
    clock,
    pathGuard: (path) => path,
    fileSystem: nodeFileSystem,
    drops: { take: () => {}, isGone: () => false },
    stopCleanup: async () => {},
    rateChanged: () => {},
  });
  // As the engine's start does it.
  for (const { id } of allTransfers(store)) registry.apply(id, { type: 'interrupt' });
  control.recover();
  queue.pump();
  return { store, registry, jobs, queue, control };
}

type World = ReturnType<typeof open>;

/** As the registry has them, whether they are written down for good or not. */
const recordsIn = ({ registry, store }: World) => allTransfers({ ...store, transfers: { ...store.transfers, get: registry.find } });

function newUpload(number: number, priority: Priority, { store, control }: World): UploadRecord {
  const pause = control.globalPause();
  return {
    id: `t${number}`,
    kind: 'upload',
    phase: pause ? { state: 'paused', ...pause } : { state: 'queued' },
    name: `Number ${number}`,
    priority,
    position: store.transfers.nextPosition(),
    rateLimit: 0,
    bytes: 0,
    totalBytes: 0,
    files: 0,
    totalFiles: 0,
    createdAt: number,
    updatedAt: 1,
    request: { serviceUrl: 'http://s', teamId: 't', paths: ['/'], description: '', recipients: [], autoFinalize: true },
    added: [],
    facts: { scanned: true, package: { state: 'open', id: 'p' } },
    secrets: {},
  };
}

/** What is done, and to which of the transfers that there are. */
type Deed =
  | { readonly do: 'add'; readonly priority: Priority }
  | { readonly do: 'pause' | 'pauseAll'; readonly which: number; readonly minutes: number | undefined }
  | { readonly do: 'resume' | 'retry' | 'finalize' | 'cancel' | 'addFiles'; readonly which: number }
  | { readonly do: 'change'; readonly which: number; readonly priority: Priority; readonly position: number }
  | { readonly do: 'end'; readonly which: number; readonly how: 'finish' | 'all_sent' | 'fail' }
  | { readonly do: 'limit'; readonly atOnce: number; readonly strict: boolean }
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'resumeAll' | 'restart' };

const which = fc.nat(5);
const priority = fc.constantFrom<Priority>('low', 'normal', 'high');
const minutes = fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined });
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('add' as const), priority }) },
  fc.record({ do: fc.constantFrom('pause' as const, 'pauseAll' as const), which, minutes }),
  fc.record({
    do: fc.constantFrom('resume' as const, 'retry' as const, 'finalize' as const, 'cancel' as const, 'addFiles' as const),
    which,
  }),
  fc.record({ do: fc.constant('change' as const), which, priority, position: fc.nat(8) }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which,
      how: fc.constantFrom('finish' as const, 'all_sent' as const, 'fail' as const),
    }),
  },
  fc.record({ do: fc.constant('limit' as const), atOnce: fc.integer({ min: 1, max: 3 }), strict: fc.boolean() }),
  fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ do: fc.constantFrom('resumeAll' as const, 'restart' as const) }),
);

async function perform(world: World, one: Deed, clock: FakeClock, limits: Limits, number: number): Promise<void> {
  const { registry, control, jobs, queue } = world;
  const all = recordsIn(world);
  const target = 'which' in one ? all[one.which % Math.max(1, all.length)]?.id : undefined;
  const hours = 'minutes' in one && one.minutes !== undefined ? one.minutes / 60 : undefined;
  switch (one.do) {
    case 'add':
      registry.add(newUpload(number, one.priority, world));
      queue.pump();
      return;
    case 'pauseAll':
      return control.pauseAll(hours);
    case 'resumeAll':
      return control.resumeAll();
    case 'limit':
      Object.assign(limits, one);
      queue.limitsChanged();
      return;
    case 'wait':
      clock.advance(one.minutes * minute);
      return;
    case 'restart':
      return;
    default:
  }
  if (target === undefined) return;
  switch (one.do) {
    case 'pause':
      return control.pause(target, hours);
    case 'change':
      await control.change(target, { priority: one.priority, position: one.position });
      return;
    case 'addFiles':
      await control.addFiles(target, ['/']);
      return;
    case 'cancel':
      registry.apply(target, { type: 'cancel', at: clock.now() });
      return queue.stop(target);
    case 'end': {
      const job = jobs.get(target);
      if (one.how !== 'all_sent' && one.how !== 'finish') job?.fail(new AgentError('files_failed', {}));
      else {
        // A job sends whatever was added before it ends.
        if (job) registry.patchUpload(target, { scanned: true });
        job?.end({ type: one.how });
      }
      return;
    }
    default:
      return control[one.do](target);
  }
}

/** Lets commits, jobs and what follows from them come about; a conflict is an answer too. */
async function done(work: Promise<void>, clock: FakeClock): Promise<void> {
  let over = false;
  const settled = work
    .catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.error !== 'transfer_conflict') throw error;
    })
    .finally(() => {
      over = true;
    });
  // What is added is looked at on the disk, which takes its time.
  while (!over) {
    await settle();
    clock.advance(5);
  }
  await settled;
  await settle();
}

function check(world: World, limits: Limits): void {
  const { jobs, store } = world;
  const all = recordsIn(world);
  const running = all.filter(({ phase }) => phase.state === 'transferring').map(({ id }) => id);
  expect(running.toSorted()).toEqual([...jobs.keys()].toSorted());
  const most = limits.strict ? 1 : limits.atOnce;
  expect(running.length).toBeLessThanOrEqual(most);
  if (running.length < most) expect(all.filter(({ phase }) => phase.state === 'queued')).toEqual([]);
  expect(new Set(all.map(({ position }) => position)).size).toBe(all.length);
  store.writer.flush();
  const plain = ({ id, phase, priority: urgency, position, added }: UploadRecord) => ({ id, phase, urgency, position, added });
  expect(allTransfers(store).map((record) => plain(record as UploadRecord))).toEqual(all.map((record) => plain(record as UploadRecord)));
}

test('whatever is done in whatever order, with restarts in between: as many run as may, and every state is kept', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 40 }), async (deeds) => {
      const folder = await tempFolder();
      const clock = createFakeClock();
      const limits: Limits = { atOnce: 2, strict: false };
      let world = open(folder.path, clock, limits);
      try {
        for (const [number, one] of deeds.entries()) {
          await done(perform(world, one, clock, limits, number), clock);
          if (one.do === 'restart') {
            const before = new Map(recordsIn(world).map(({ id, phase }) => [id, phase]));
            world.control.close();
            await done(world.queue.close(), clock);
            world.store.close();
            world = open(folder.path, clock, limits);
            for (const { id, phase } of recordsIn(world)) {
              const was = before.get(id)!;
              if (was.state === 'transferring' || was.state === 'queued') expect(['transferring', 'queued']).toContain(phase.state);
              else if (was.state !== 'paused' || was.until === null || was.until > clock.now()) expect(phase).toEqual(was);
            }
            await done(Promise.resolve(), clock);
          }
          check(world, limits);
        }
      } finally {
        world.control.close();
        await done(world.queue.close(), clock);
        world.store.close();
        await folder.remove();
      }
    }),
    { numRuns: runs(12, 1_000) },
  );
}, 120_000);
