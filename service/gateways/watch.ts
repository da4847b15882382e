import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/schema/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Services } from '../handler.ts';
import type { Log } from '../log.ts';
import { releaseTransfers, setSilent } from './connection-states.ts';
import { isOnline } from './registration.ts';

/** With the grace that a gateway has, its connections are offline within 10 s (contract/gateways.md §2). */
const lookMilliseconds = 2_000;

/** Whoever asked has a shorter time limit, and removes what it asked unless its process has died. */
const requestSeconds = 120;

/** Notices gateways that ask no more, in every process that works: connections go offline, and their transfers wait. */
export async function endSilentGateways({ db, events }: Pick<Services, 'db' | 'events'>): Promise<void> {
  const released = await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ id: string }>`
      update storage_gateways set online_until = null, poll_id = null from (
        select id from storage_gateways where online_until <= clock_timestamp() for no key update skip locked
      ) as silent where storage_gateways.id = silent.id
      returning storage_gateways.id`.execute(trx);
    if (rows.length > 0) {
      await setSilent(
        trx,
        rows.map(({ id }) => id),
      );
    }
    return await releaseTransfers(trx);
  });
  for (const packageId of released) events.changed(packageId);
}

async function removeOldRequests(db: Kysely<Database>): Promise<void> {
  await sql`delete from gateway_requests where created_at < clock_timestamp() - make_interval(secs => ${requestSeconds})`.execute(db);
}

/** Looks until it is stopped. */
export function watchGateways(services: Pick<Services, 'db' | 'events'>, log: Log): { stop(): Promise<void> } {
  let looking: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    try {
      await endSilentGateways(services);
      await removeOldRequests(services.db);
    } catch (error) {
      log.warn({ err: error, onceAMinute: 'gateways' }, 'storage gateways could not be looked after; it is tried again');
    }
  };
  const timer = setInterval(() => {
    looking ??= look().finally(() => {
      looking = null;
    });
  }, lookMilliseconds);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

/** How many gateways there are, for the operator's monitoring. */
export async function countGateways(db: Kysely<Database>): Promise<Readonly<Record<'online' | 'offline', number>>> {
  const row = await db
    .selectFrom('storage_gateways')
    .select([sql<string>`count(*)`.as('all'), sql<string>`count(*) filter (where ${isOnline})`.as('online')])
    .executeTakeFirstOrThrow();
  return { online: Number(row.online), offline: Number(row.all) - Number(row.online) };
}
