import type { Job, PgBoss } from 'pg-boss';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type JobName, jobKinds, jobNames } from '#service/jobs/kinds.ts';
import { startWorkers, type Workers } from '#service/jobs/workers.ts';
import { createLogger } from '#service/log.ts';

/** Which workers begin and are told, without a database: pg-boss's part is a list of calls. */

const kind = 'packages.expire';
const most = jobKinds[kind].localConcurrency;

let due: JobName[];
let looks: unknown[];
let begun: { readonly name: string; readonly take: (jobs: Job<object>[]) => Promise<unknown> }[];
let told: string[];
let add: (kind: string | null) => void;
let underWay: PromiseWithResolvers<void>[];
let batchesTold: string[];
let workers: Workers;

beforeEach(() => {
  vi.useFakeTimers();
  [due, looks, begun, told, underWay, batchesTold] = [[], [], [], [], [], []];
  const boss = {
    work: async (name: string, _: object, take: (jobs: Job<object>[]) => Promise<unknown>) => `${name} ${begun.push({ name, take })}`,
    notifyWorker: (id: string) => void told.push(id),
    offWork: async () => undefined,
  } as unknown as PgBoss;
  const db = {
    executeSql: async (_: string, values?: unknown[]) => {
      looks.push(values?.[0]);
      return { rows: due.map((name) => ({ name })) };
    },
  };
  const work = () => {
    const attempt = Promise.withResolvers<void>();
    underWay.push(attempt);
    return attempt.promise;
  };
  const onJob = (listener: typeof add) => {
    add = listener;
  };
  workers = startWorkers(boss, { db, onJob }, work, (name) => void batchesTold.push(name), createLogger('silent'));
});
afterEach(() => {
  workers.stop();
  vi.useRealTimers();
});

const settled = () => vi.advanceTimersByTimeAsync(0);
const job = (signal = new AbortController().signal) => ({ id: 'j', data: {}, signal }) as unknown as Job<object>;
/** pg-boss has fetched a job for the worker that was begun as the nth. */
const takes = async (nth: number, one = job()) => {
  void begun[nth]!.take([one]);
  await settled();
};

test('none begins without a job; one statement looks after all kinds, again every 5 s', async () => {
  await settled();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(looks).toEqual([jobNames, jobNames, jobNames]);
  expect(begun).toEqual([]);
  due = ['packages.expire'];
  await vi.advanceTimersByTimeAsync(5_000);
  expect(begun.map(({ name }) => name)).toEqual(['packages.expire']);
});

test('one that has found a job is busy, and asks again once that is done', async () => {
  add(kind);
  await settled();
  await takes(0);
  add(kind);
  await settled();
  expect([begun.length, most, told]).toEqual([1, 1, []]);
  underWay[0]!.resolve();
  await settled();
  expect(told).toEqual([`${kind} 1`]);
  add(kind);
  expect(told).toEqual([`${kind} 1`, `${kind} 1`]);
});

test('a job whose time is up frees its place, also where the attempt does not end', async () => {
  add('packages.expire');
  await settled();
  const time = new AbortController();
  await takes(0, job(time.signal));
  add('packages.expire');
  expect(told).toEqual([]);
  time.abort();
  expect(told).toEqual(['packages.expire 1']);
  await takes(0);
  // The end of the first attempt is not that of the second.
  underWay[0]!.resolve();
  await settled();
  add('packages.expire');
  expect(told).toEqual(['packages.expire 1']);
});

test('of kinds of which many may wait each message and each look tells as a whole', async () => {
  add('webhooks.deliver');
  due = ['webhooks.announce', 'mail.send'];
  await vi.advanceTimersByTimeAsync(5_000);
  expect(batchesTold).toEqual(['webhooks.deliver', 'webhooks.announce', 'mail.send']);
  expect(begun).toEqual([]);
});

test('messages that may have been missed are looked for, and other queues are nobody’s', async () => {
  await settled();
  looks = [];
  due = [kind];
  add(null);
  await settled();
  expect([looks.length, begun.map(({ name }) => name)]).toEqual([1, [kind]]);
  add('failed');
  await settled();
  expect(begun).toHaveLength(1);
});

test('a kind that is left has none any more', async () => {
  await workers.leave(kind);
  add(kind);
  due = [kind];
  await vi.advanceTimersByTimeAsync(5_000);
  expect(begun).toEqual([]);
  expect(looks.at(-1)).not.toContain(kind);
});
