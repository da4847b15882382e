import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Kysely } from 'kysely';
import pg from 'pg';
import { connectionOf } from '#service/database/connection-of.ts';
import { openDatabase } from '#service/database/database.ts';
import type { Database } from '#service/database/schema/database.ts';
import { newId } from '#service/ids.ts';
import { openJobsToAdd } from '#service/jobs/jobs.ts';
import type { Jobs } from '#service/jobs/ports.ts';
import { packageObject } from '#service/packages/lifecycle-events.ts';
import { type RunningService, startService } from '#service/server.ts';
import { seedRows } from './seed-rows.ts';

/** The service under load, in a process of its own. Its parent talks to it by messages; it ends when the parent does. */

export interface StartMessage {
  /** `isIdle`: it does no jobs. Without files, or where the Team has packages, it has the rows of the one before. */
  readonly start: { readonly dataDir: string; readonly databaseUrl: string; readonly files: number; readonly isIdle?: boolean };
}
/** Events of so many finalized packages for webhooks. */
export interface QueueMessage {
  readonly queue: number;
  /** It is answered once they are. */
  readonly told?: boolean;
}
/** Tokens to write to packages with, as a Portal gives them to whoever sends without an account. */
export interface SendersMessage {
  readonly sendersOf: readonly string[];
}
export type Sample = {
  readonly rss: number;
  readonly heap: number;
  /** Jobs that are due and not done. */
  readonly waiting: number;
  /** Seconds for which the oldest of them has been. */
  readonly oldest: number;
  /** The most that the service's event loop was late since the sample before, in ms. */
  readonly late: number;
};

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const boundless = Number.MAX_SAFE_INTEGER;
const owner = { email: 'owner@longshore.example', password: 'measured on loopback only', team: 'Scale' };
const perStatement = 50;
/** Packages whose files are listed. */
const asked = 500;
let service: RunningService | null = null;
/** What events are queued by. */
let other: { readonly db: Kysely<Database>; readonly jobs: Jobs } | null = null;
/** Whose finalization they tell of. */
let announced: ReturnType<typeof packageObject>;
/** For samples: those of the service may all be taken. */
let side: pg.Client;
const lateness = monitorEventLoopDelay({ resolution: 5 });

process.once('disconnect', () => process.exit());
process.on('message', (message: StartMessage | QueueMessage | SendersMessage | { readonly sample: true }) => {
  const answer =
    'start' in message ? start(message.start) : 'queue' in message ? queue(message) : 'sendersOf' in message ? senders(message) : sample();
  answer.then(
    (facts) => facts !== undefined && process.send!(facts),
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      // Nobody waits for an answer to what is queued.
      if ('queue' in message) process.stderr.write(`not queued: ${reason}\n`);
      else process.send!({ error: reason });
    },
  );
});

async function start({ dataDir, databaseUrl, files, isIdle = false }: StartMessage['start']) {
  service = await startService({
    ...{ listen: { host: '127.0.0.1', port: 0 }, dataDir, databaseUrl, owner, logLevel: 'error', allowPrivateWebhooks: true },
    ...(isIdle && { roles: new Set(['api', 'storage'] as const) }),
    limits: { perCredential: boundless, perAddress: boundless, linksPerAddress: boundless, refusalsPerAddress: boundless },
  });
  const { db, tokens } = service.services;
  const { team_id: teamId, user_id: userId } = await db.selectFrom('memberships').select(['team_id', 'user_id']).executeTakeFirstOrThrow();
  lateness.enable();
  side = new pg.Client({ connectionString: databaseUrl });
  await side.connect();
  const isSeeded = (await db.selectFrom('packages').select('id').where('state', '=', 'finalized').limit(1).execute()).length > 0;
  if (files > 0 && !isSeeded) await seedRows(side, { teamId, userId }, files, (text) => process.stderr.write(`\r${text}   `));
  // Receivers of the run before are gone.
  if (isSeeded && files > 0) {
    await side.query(`delete from custom_webhooks`);
    await side.query(`delete from jobs.job where name like 'webhooks.%'`);
  }
  const connection = connectionOf(databaseUrl);
  other = { db: openDatabase(connection, silent, 1), jobs: await openJobsToAdd(connection, silent) };
  announced = packageObject(
    await db.selectFrom('packages').selectAll().where('state', '=', 'finalized').limit(1).executeTakeFirstOrThrow(),
  );
  const some = await db.selectFrom('packages').select('id').where('state', '=', 'finalized').limit(asked).execute();
  const claims = { variant: 'manage', tokenId: newId(), linkId: null, userId } as const;
  const packages = await Promise.all(
    some.map(async ({ id }) => ({ id, token: await tokens.sign('package', { ...claims, packageId: id }) })),
  );
  return { url: service.url, teamId, userToken: await tokens.sign('user', { userId, version: 1 }), packages };
}

async function senders({ sendersOf }: SendersMessage): Promise<{ readonly tokens: readonly string[] }> {
  const { tokens } = service!.services;
  const claims = { variant: 'write', linkId: null, userId: null } as const;
  return { tokens: await Promise.all(sendersOf.map((packageId) => tokens.sign('package', { ...claims, packageId, tokenId: newId() }))) };
}

/** As if they came by other nodes: by a connection of their own, so that nothing of it waits for the service's or is waited for. */
async function queue({ queue: count, told = false }: QueueMessage): Promise<object | undefined> {
  const { now } = service!.services;
  const event = () => ({ event_id: newId(), event_time: now().toISOString(), event_type: 'package.finalized', object: announced }) as const;
  for (let left = count; left > 0; left -= perStatement) {
    const data = Array.from({ length: Math.min(left, perStatement) }, event);
    await other!.jobs.addAll(
      other!.db,
      'webhooks.announce',
      data.map((one) => ({ data: one })),
    );
  }
  return told ? {} : undefined;
}

async function sample(): Promise<Sample> {
  const { rss, heapUsed: heap } = process.memoryUsage();
  const { rows } = await side.query<{ waiting: string; oldest: string | null }>(`
    select count(*) as waiting, extract(epoch from now() - min(start_after)) as oldest
    from jobs.job where state < 'active' and start_after <= now()`);
  if (process.env['LONGSHORE_LOAD_WAITS'] === '1') await sayWaits();
  const late = lateness.max / 1e6;
  lateness.reset();
  return { rss, heap, late, waiting: Number(rows[0]!.waiting), oldest: Number(rows[0]!.oldest ?? 0) };
}

/** What the statements wait for that run now: an empty event is the CPU. */
async function sayWaits(): Promise<void> {
  const { rows } = await side.query<{ count: string; wait: string | null; statement: string }>(`
    select count(*), wait_event_type || ' ' || wait_event as wait, left(regexp_replace(query, '[[:space:]]+', ' ', 'g'), 100) as statement
    from pg_stat_activity where state in ('active', 'idle in transaction') and pid <> pg_backend_pid()
    group by 2, 3 order by 1 desc limit 6`);
  for (const { count, wait, statement } of rows) process.stderr.write(`${count} × ${wait ?? ''}: ${statement}\n`);
}
