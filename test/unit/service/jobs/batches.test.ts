import type { Kysely } from 'kysely';
import type { Job, PgBoss } from 'pg-boss';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '#service/database/schema/database.ts';
import { type BatchContext, type Batches, type BatchHandler, startBatches, type TakenJob } from '#service/jobs/batches.ts';
import type { JobContext } from '#service/jobs/context.ts';
import { jobKinds } from '#service/jobs/kinds.ts';
import { createLogger } from '#service/log.ts';
import { Trace } from '#service/tracing/current-trace.ts';

/** How jobs are taken together and end, without a database: pg-boss's part is a list of calls. */

const kind = 'webhooks.deliver';
const { localConcurrency: most, takenAtOnce } = jobKinds[kind];
const atOnce = takenAtOnce!;

let queued: number;
let fetched: number[];
let ended: string[];
let failed: string[];
let isBroken: boolean;
let taken: { readonly jobs: readonly TakenJob<typeof kind>[]; readonly context: BatchContext; readonly over: PromiseWithResolvers<void> }[];
let batches: Batches;

beforeEach(() => {
  vi.useFakeTimers();
  [queued, fetched, ended, failed, isBroken, taken] = [0, [], [], [], false, []];
  let made = 0;
  const idsOf = (jobs: unknown) => [jobs].flat().map((job) => (job as Job).id);
  const boss = {
    async deleteJob(_: string, jobs: unknown) {
      if (isBroken) throw new Error('the database is gone');
      ended.push(...idsOf(jobs));
      return { settled: idsOf(jobs) };
    },
    fail: async (_: string, jobs: unknown) => void failed.push(...idsOf(jobs)),
  } as unknown as PgBoss;
  const take = async (_: string, wanted: number): Promise<Job<object>[]> => {
    fetched.push(wanted);
    const count = Math.min(queued, wanted);
    queued -= count;
    return Array.from({ length: count }, () => ({ id: `j${made++}`, data: {}, retryCount: 0 }) as unknown as Job<object>);
  };
  const handle: BatchHandler<typeof kind> = (jobs, context) => {
    const over = Promise.withResolvers<void>();
    taken.push({ jobs, context, over });
    return over.promise;
  };
  // A transaction is under way, so none is begun.
  const db = { isTransaction: true } as unknown as Kysely<Database>;
  batches = startBatches(kind, handle, {
    ...{ boss, take, db, context: {} as JobContext, stopping: new AbortController().signal, log: createLogger('silent') },
    traceOf: (_, { data }) => ({ data, trace: new Trace(undefined) }),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const settled = () => vi.advanceTimersByTimeAsync(0);
async function tell(jobs: number): Promise<void> {
  queued += jobs;
  batches.tell();
  await settled();
}

test('all that are due are taken by as few looks as it takes, and no more than may be under way', async () => {
  await tell(atOnce + 3);
  expect(fetched).toEqual([atOnce, atOnce]);
  expect(taken.map(({ jobs }) => jobs.length)).toEqual([atOnce, 3]);
  await tell(2 * most);
  expect(taken.reduce((sum, { jobs }) => sum + jobs.length, 0)).toBeGreaterThan(most - atOnce / 2);
  expect(taken.reduce((sum, { jobs }) => sum + jobs.length, 0)).toBeLessThanOrEqual(most);
});

test('what is told during a look is one more look', async () => {
  for (let n = 0; n < 5; n++) batches.tell();
  await settled();
  expect(fetched).toHaveLength(2);
});

test('a job that ends gives up its place, whoever of its batch has not ended', async () => {
  await tell(2 * most);
  const looks = fetched.length;
  const [{ jobs, context }] = taken as [(typeof taken)[0]];
  for (const job of jobs.slice(1)) await context.end([job]);
  await settled();
  expect(ended).toHaveLength(atOnce - 1);
  expect(fetched.length).toBeGreaterThan(looks);
  // Not by a look for each place.
  expect(fetched.length - looks).toBeLessThanOrEqual(2);
});

test('those that a handler does not end, or that it throws at, are tried again; those ended are not', async () => {
  await tell(3);
  const [{ jobs, context, over }] = taken as [(typeof taken)[0]];
  await context.end([jobs[1]!]);
  over.reject(new Error('no room'));
  await settled();
  expect([ended, failed]).toEqual([['j1'], ['j0', 'j2']]);
  await tell(1);
  taken[1]!.over.resolve();
  await settled();
  expect(failed).toEqual(['j0', 'j2', 'j3']);
});

test('jobs whose end cannot be written down have not ended, and keep their places until they are tried again', async () => {
  await tell(1);
  const [{ jobs, context, over }] = taken as [(typeof taken)[0]];
  isBroken = true;
  await expect(context.end(jobs)).rejects.toThrow('gone');
  over.reject(new Error('gone'));
  await settled();
  expect([ended, failed]).toEqual([[], ['j0']]);
});

test('those whose time is up are tried again, also where the handler does not hear of it; what it then says counts no more', async () => {
  await tell(2);
  const [{ jobs, context, over }] = taken as [(typeof taken)[0]];
  await vi.advanceTimersByTimeAsync(jobKinds[kind].expireInSeconds * 1000);
  expect([context.signal.aborted, failed]).toEqual([true, ['j0', 'j1']]);
  await context.fail(jobs[0]!, new Error('late'));
  over.resolve();
  await settled();
  expect(failed).toEqual(['j0', 'j1']);
});

test('an end of all waits for those under way, so long; then they are left to others, and none is taken any more', async () => {
  await tell(2);
  const [{ jobs, context }] = taken as [(typeof taken)[0]];
  const closed = batches.close(10_000);
  await context.end([jobs[0]!]);
  await tell(1);
  expect(taken).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(10_000);
  await closed;
  expect([ended, failed]).toEqual([['j0'], ['j1']]);
});

test('an end of all waits for those that are just being taken, too', async () => {
  queued = 1;
  batches.tell();
  let isClosed = false;
  const closed = batches.close(10_000).then(() => {
    isClosed = true;
  });
  await settled();
  expect([taken.length, isClosed]).toEqual([1, false]);
  const [{ jobs, context }] = taken as [(typeof taken)[0]];
  await context.end([jobs[0]!]);
  await closed;
  expect([ended, failed]).toEqual([['j0'], []]);
});
