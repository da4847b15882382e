import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { connectionOf } from '#service/database/connection-of.ts';
import { openDatabase } from '#service/database/database.ts';
import type { Services } from '#service/handler.ts';
import { type BatchContext, type BatchHandlers, startBatches, type TakenJob } from '#service/jobs/batches.ts';
import { type JobConnection, openJobConnection } from '#service/jobs/connection.ts';
import type { JobContext, JobHandlers } from '#service/jobs/context.ts';
import { openJobs } from '#service/jobs/jobs.ts';
import { takeJobs } from '#service/jobs/take.ts';
import { createLogger } from '#service/log.ts';
import { Trace } from '#service/tracing/current-trace.ts';
import { emptyTestDatabase } from '#test/support/service/postgres.ts';
import { eventually } from '#test/support/system/processes.ts';

/** Jobs that are taken together, from a real PostgreSQL with pg-boss's tables. */

const log = createLogger('silent');
const kind = 'webhooks.announce';
let postgres: Awaited<ReturnType<typeof emptyTestDatabase>>;
let connection: JobConnection;
beforeAll(async () => {
  postgres = await emptyTestDatabase();
  const jobs = await openJobs(connectionOf(postgres.url), log, { role: 'others' });
  await jobs.close(1_000);
  connection = openJobConnection(connectionOf(postgres.url), 2, log);
});
afterAll(async () => {
  await connection?.close();
  await postgres?.close();
});
beforeEach(() => run('delete from jobs.job_common'));

async function run<Row = unknown>(text: string, values?: unknown[]): Promise<Row[]> {
  const { rows } = await connection.db.executeSql(text, values);
  return rows as Row[];
}
/** @param place in the order in which they came */
const add = (count: number, { priority = 0, due = 'now()', place = 0, of = kind as string } = {}) =>
  run(
    `insert into jobs.job_common (name, data, priority, start_after, created_on)
      select $1, json_build_object('n', n), $2, ${due}, now() + interval '1 ms' * ($3::int + n) from generate_series(1, $4::int) as n`,
    [of, priority, place, count],
  );
const numbers = (jobs: readonly { readonly data: object }[]) => jobs.map(({ data }) => (data as { n: number }).n).sort((a, b) => a - b);

test('the oldest are taken first, of a higher priority before them, and none before its time or of another kind', async () => {
  await add(5);
  await add(2, { priority: 1, place: 100 });
  await add(1, { due: `now() + interval '1 hour'`, priority: 2 });
  await add(1, { of: 'webhooks.deliver', priority: 3 });
  expect(numbers(await takeJobs(connection.db, kind, 3))).toEqual([1, 1, 2]);
  expect(numbers(await takeJobs(connection.db, kind, 3))).toEqual([2, 3, 4]);
  expect(numbers(await takeJobs(connection.db, kind, 3))).toEqual([5]);
  expect(await takeJobs(connection.db, kind, 3)).toEqual([]);
});

test('each is taken once, however many take', async () => {
  await add(60);
  const taken = await Promise.all(Array.from({ length: 10 }, () => takeJobs(connection.db, kind, 7)));
  const ids = taken.flat().map(({ id }) => id);
  expect([ids.length, new Set(ids).size]).toEqual([60, 60]);
});

test('what pg-boss takes back is taken as another attempt', async () => {
  await add(1);
  const [first] = await takeJobs(connection.db, kind, 1);
  await run(`update jobs.job_common set state = 'retry'`);
  const [second] = await takeJobs(connection.db, kind, 1);
  expect([first!.retryCount, second!.retryCount, second!.id === first!.id]).toEqual([0, 1, true]);
  expect(await run(`select state, heartbeat_on is not null as beats from jobs.job_common`)).toEqual([{ state: 'active', beats: true }]);
});

test('what was given to somebody else meanwhile is not ended by who had it, nor is anything done for it again', async () => {
  await add(2);
  const boss = new PgBoss({ schema: 'jobs', db: connection.db, migrate: false, supervise: false, schedule: false, persistWarnings: false });
  boss.on('error', () => undefined);
  await boss.start();
  onTestFinished(() => boss.stop({ graceful: false }));
  const db = openDatabase(connectionOf(postgres.url), log, 1);
  onTestFinished(() => db.destroy());
  const taken = Promise.withResolvers<{ readonly jobs: readonly TakenJob<typeof kind>[]; readonly context: BatchContext }>();
  const over = Promise.withResolvers<void>();
  const batches = startBatches(
    kind,
    async (jobs, context) => {
      taken.resolve({ jobs, context });
      await over.promise;
    },
    {
      ...{ boss, db, context: {} as JobContext, stopping: new AbortController().signal, log },
      take: (name, most) => takeJobs(connection.db, name, most),
      traceOf: (_, { data }) => ({ data, trace: new Trace(undefined) }),
    },
  );
  batches.tell();
  const { jobs, context } = await taken.promise;
  const [lost, kept] = jobs as [TakenJob<typeof kind>, TakenJob<typeof kind>];
  // Its process stood for longer than the job's time: pg-boss took it back, and another one has it now.
  await run(`update jobs.job_common set state = 'retry' where id = $1`, [lost.id]);
  const [others] = await takeJobs(connection.db, kind, 1);
  const done: string[] = [];
  await context.end(jobs, async (_, own) => void done.push(...own.map(({ id }) => id)));
  expect([others!.id, done]).toEqual([lost.id, [kept.id]]);
  expect(await run('select id, state from jobs.job_common')).toEqual([{ id: lost.id, state: 'active' }]);
  over.resolve();
  await batches.close(0);
});

test('a few cost the same where many wait that PostgreSQL has not counted', async () => {
  // As autovacuum and pg-boss's rebuilt indexes leave it after a busy time, at a moment in which no job waits. With the indexes
  // small, the planner once read all rows of the name to find those at 64 places.
  await add(20_000);
  await run('delete from jobs.job_common');
  await add(20, { of: 'mail.send' });
  await run('reindex table jobs.job_common');
  await run('analyze jobs.job_common');
  await add(20_000);
  let asked: { readonly text: string; readonly values: unknown[] } | null = null;
  const noting = {
    executeSql: (text: string, values: unknown[] = []) => {
      asked = { text, values };
      return connection.db.executeSql(text, values);
    },
  };
  await takeJobs(noting, kind, 64);
  const { text, values } = asked!;
  const [{ 'QUERY PLAN': plan }] = (await run(`explain (analyze, buffers, format json) ${text}`, values)) as [
    { 'QUERY PLAN': [Explained] },
  ];
  expect(rowsRead(plan[0].Plan)).toBeLessThan(64 * 10);
});

test('mails are sent at the same cost each however many wait', async () => {
  // As above: rows of other kinds were there when PostgreSQL last counted, and pg-boss's own statement read all 20,000 for each.
  await run('vacuum full jobs.job_common');
  await add(20, { of: 'webhooks.announce', due: `now() + interval '1 day'` });
  await run('reindex table jobs.job_common');
  await run('analyze jobs.job_common');
  await add(20_000, { of: 'mail.send' });
  const readSoFar = async () => {
    const [{ read }] = (await run(
      `select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_user_tables where schemaname = 'jobs' and relname = 'job_common'`,
    )) as [{ read: number }];
    return read;
  };
  const noted = await readSoFar();
  const jobs = await openJobs(connectionOf(postgres.url), log);
  const db = openDatabase(connectionOf(postgres.url), log, 2);
  onTestFinished(() => db.destroy());
  let sent = 0;
  const enough = Promise.withResolvers<void>();
  const handlers = {
    async 'mail.send'() {
      sent += 1;
      if (sent === 200) enough.resolve();
    },
  };
  await jobs.work(handlers as unknown as JobHandlers, {} as BatchHandlers, { db } as Services);
  await enough.promise;
  // Counts are written when its connections end.
  await jobs.close(10_000);
  await db.destroy();
  await eventually('what was read is counted', async () => (await readSoFar()) > noted);
  // With those that are read to count each queue.
  expect(((await readSoFar()) - noted) / sent).toBeLessThan(2_000);
}, 60_000);

interface Explained {
  readonly Plan: Node;
}
interface Node {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Node[];
}
const rowsRead = (node: Node): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0);
