import { join } from 'node:path';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { onTestFinished } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import type { JobName } from '#service/jobs/kinds.ts';
import { tempFolder } from '../system/temp-folder.ts';
import { tellOfJobs } from './jobs.ts';
import { usualOwner } from './owner.ts';
import { startedTestDatabase } from './postgres.ts';
import { callAt } from './start-service.ts';
import { type ServiceProcess, startServiceProcess } from './start-service-process.ts';
import { shareSecret } from './two-services.ts';

/** What two services share of which a test kills one. All of it goes when the test has finished. */
export interface PairDatabase {
  readonly url: string;
  readonly client: pg.Client;
  /** Data folders with the same secret. */
  readonly folders: readonly [first: string, second: string];
}

/** A database where a service of the usual owner has been before. */
export async function startPairDatabase(): Promise<PairDatabase> {
  const folder = await tempFolder();
  onTestFinished(folder.remove);
  const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];
  const { url, close } = await startedTestDatabase(first);
  onTestFinished(close);
  await shareSecret(first, second);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return { url, client, folders: [first, second] };
}

/** One of the two. */
export async function startOfPair(options: Parameters<typeof startServiceProcess>[0]): Promise<ServiceProcess> {
  const started = await startServiceProcess({ owner: usualOwner, allowPrivateWebhooks: true, ...options });
  onTestFinished(started.kill);
  return started;
}

export async function signedIn(url: string) {
  const call = callAt(url);
  const { body } = await call<AuthResult>('POST', '/v1/auth', { body: usualOwner });
  return { call, teamId: body.teams[0]!.id, headers: { 'x-user-token': body.token } };
}

async function withBoss({ url }: PairDatabase, work: (boss: PgBoss) => Promise<unknown>): Promise<void> {
  const boss = new PgBoss({ connectionString: url, schema: 'jobs', schedule: false, supervise: false });
  boss.on('error', () => undefined);
  await boss.start();
  try {
    await work(boss);
  } finally {
    await boss.stop({ graceful: false });
  }
}

/** Has a job done by whichever worker takes it. */
export async function addJob(database: PairDatabase, job: JobName): Promise<void> {
  await withBoss(database, (boss) => boss.send(job, {}));
  await database.client.query(tellOfJobs, [job]);
}

/**
 * Lets no time pass that only clocks would: the jobs of a process that is gone count as long unheard of, which the
 * others find at their next look (within a minute; here somebody looks at once) and do at their next chance.
 *
 * @param passed as PostgreSQL writes a span of time
 * @returns how many there were
 */
export async function passTime(database: PairDatabase, job: JobName, passed = '1 day'): Promise<number> {
  const { client } = database;
  await withBoss(database, async (boss) => {
    await client.query(
      `update jobs.job set started_on = started_on - $2::interval, heartbeat_on = heartbeat_on - $2::interval
       where name = $1 and state = 'active'`,
      [job, passed],
    );
    await client.query('update jobs.queue set monitor_claim_on = null, monitor_on = null where name = $1', [job]);
    await boss.supervise(job);
  });
  const { rowCount } = await client.query(`update jobs.job set start_after = now() where name = $1 and state = 'retry'`, [job]);
  await client.query(tellOfJobs, [job]);
  return rowCount ?? 0;
}

export async function jobsLeft({ client }: PairDatabase, job: JobName): Promise<number> {
  const { rows } = await client.query<{ left: number }>(
    `select count(*)::int as left from jobs.job where name = $1 and state <> 'completed'`,
    [job],
  );
  return rows[0]!.left;
}
