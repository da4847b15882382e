import pg from 'pg';
import { inTransaction } from '#service/database/transaction.ts';
import { newId } from '#service/ids.ts';
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
export type Sample = {
  readonly rss: number;
  readonly heap: number;
  /** Jobs that are due and not done. */
  readonly waiting: number;
  /** Seconds for which the oldest of them has been. */
  readonly oldest: number;
};

const boundless = Number.MAX_SAFE_INTEGER;
const owner = { email: 'owner@longshore.example', password: 'measured on loopback only', team: 'Scale' };
const perTransaction = 50;
/** Packages whose files are listed. */
const asked = 500;
let service: RunningService | null = null;
/** For samples: those of the service may all be taken. */
let side: pg.Client;

process.once('disconnect', () => process.exit());
process.on('message', (message: StartMessage | QueueMessage | { readonly sample: true }) => {
  const answer = 'start' in message ? start(message.start) : 'queue' in message ? queue(message) : sample();
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
  side = new pg.Client({ connectionString: databaseUrl });
  await side.connect();
  const isSeeded = (await db.selectFrom('packages').select('id').where('state', '=', 'finalized').limit(1).execute()).length > 0;
  if (files > 0 && !isSeeded) await seedRows(side, { teamId, userId }, files, (text) => process.stderr.write(`\r${text}   `));
  // Receivers of the run before are gone.
  if (isSeeded && files > 0) {
    await side.query(`delete from custom_webhooks`);
    await side.query(`delete from jobs.job where name like 'webhooks.%'`);
  }
  const some = await db.selectFrom('packages').select('id').where('state', '=', 'finalized').limit(asked).execute();
  const claims = { variant: 'manage', tokenId: newId(), linkId: null, userId } as const;
  const packages = await Promise.all(
    some.map(async ({ id }) => ({ id, token: await tokens.sign('package', { ...claims, packageId: id }) })),
  );
  return { url: service.url, teamId, userToken: await tokens.sign('user', { userId, version: 1 }), packages };
}

async function queue({ queue: count, told = false }: QueueMessage): Promise<object | undefined> {
  const { db, jobs, now } = service!.services;
  const row = await db.selectFrom('packages').selectAll().where('state', '=', 'finalized').limit(1).executeTakeFirstOrThrow();
  for (let done = 0; done < count; done += perTransaction) {
    await inTransaction(db, async (trx) => {
      for (let n = done; n < Math.min(count, done + perTransaction); n += 1)
        await jobs.add(trx, 'webhooks.announce', {
          ...{ event_id: newId(), event_time: now().toISOString(), event_type: 'package.finalized', object: packageObject(row) },
        });
    });
  }
  return told ? {} : undefined;
}

async function sample(): Promise<Sample> {
  const { rss, heapUsed: heap } = process.memoryUsage();
  const { rows } = await side.query<{ waiting: string; oldest: string | null }>(`
    select count(*) as waiting, extract(epoch from now() - min(start_after)) as oldest
    from jobs.job where state < 'active' and start_after <= now()`);
  if (process.env['LONGSHORE_LOAD_WAITS'] === '1') await sayWaits();
  return { rss, heap, waiting: Number(rows[0]!.waiting), oldest: Number(rows[0]!.oldest ?? 0) };
}

/** What the statements wait for that run now: an empty event is the CPU. */
async function sayWaits(): Promise<void> {
  const { rows } = await side.query<{ count: string; wait: string | null; statement: string }>(`
    select count(*), wait_event_type || ' ' || wait_event as wait, left(regexp_replace(query, '[[:space:]]+', ' ', 'g'), 100) as statement
    from pg_stat_activity where state in ('active', 'idle in transaction') and pid <> pg_backend_pid()
    group by 2, 3 order by 1 desc limit 6`);
  for (const { count, wait, statement } of rows) process.stderr.write(`${count} × ${wait ?? ''}: ${statement}\n`);
}
