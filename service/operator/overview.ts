import { type Kysely, sql } from 'kysely';
import type { ServiceOverview } from '#protocol/hosted/operator.ts';
import type { Database } from '../database/schema/database.ts';
import { readDisks } from '../disks.ts';
import { countGateways } from '../gateways/watch.ts';
import type { Context } from '../handler.ts';
import { isJobName } from '../jobs/kinds.ts';
import { formatDateTime } from '../wire-times.ts';
import { withoutAddresses } from './failures.ts';

/** How the service is (contract/operator.md §2). */
export async function readOverview(
  context: Pick<Context, 'db' | 'indexScanPool' | 'caches' | 'jobQueues' | 'facts' | 'now'>,
): Promise<ServiceOverview> {
  const { db, indexScanPool, caches, jobQueues, facts, now } = context;
  const [problems, database, storage, disks, people, queues, failedKinds, scheduled, oldestDue, mails, transfers, gateways] =
    await Promise.all([
      facts.health.problems(),
      readDatabase(db),
      caches.storageTotals.get('all Teams', () => storageUsed(indexScanPool)),
      readDisks(facts),
      countPeople(db),
      jobQueues.depths(),
      jobQueues.failedKinds(db),
      jobQueues.scheduledRuns(db),
      jobQueues.oldestDue(db, now()),
      countMails(db),
      countTransfers(db),
      countGateways(db),
    ]);
  return {
    problems: problems.map(({ code, message, since }) => ({ code, message, since })),
    versions: { service: facts.version, node: process.versions.node, postgresql: database.version, schema: database.schema },
    database: { private: facts.privateDatabase, size: database.size },
    storage: { kind: facts.objectsDir === null ? 's3' : 'disk', ...storage },
    disks,
    ...people,
    jobs: {
      failed: failedKinds.reduce((sum, { count }) => sum + count, 0),
      queues: queues.filter(({ name }) => isJobName(name)).map(({ name, ...counts }) => ({ kind: name, ...counts })),
      scheduled: scheduled.map(({ kind, schedule, ranAt, failed }) => ({
        kind,
        schedule,
        ...(ranAt && { ran_at: formatDateTime(ranAt) }),
        ...(failed && { failed: { at: formatDateTime(failed.at), reason: withoutAddresses(failed.reason) } }),
      })),
      ...(oldestDue !== null && { oldest_due_at: formatDateTime(oldestDue) }),
    },
    mails: { server: facts.mailServer, ...mails },
    transfers,
    gateways,
  };
}

async function readDatabase(db: Kysely<Database>): Promise<{ version: string; schema: string; size: number }> {
  const { rows } = await sql<{ version: string; schema: string; size: string }>`
    select split_part(current_setting('server_version'), ' ', 1) as version, pg_database_size(current_database()) as size,
      (select max(name) from kysely_migration) as schema`.execute(db);
  return { ...rows[0]!, size: Number(rows[0]!.size) };
}

/** Over all Teams, from an index alone. */
async function storageUsed(db: Kysely<Database>): Promise<{ packages: number; bytes: number }> {
  const { rows } = await sql<{ packages: string; bytes: string }>`
    select count(*) as packages, coalesce(sum(usage_total_bytes), 0) as bytes from packages where usage_total_bytes > 0`.execute(db);
  return { packages: Number(rows[0]!.packages), bytes: Number(rows[0]!.bytes) };
}

async function countPeople(db: Kysely<Database>): Promise<Pick<ServiceOverview, 'teams' | 'users'>> {
  const { rows } = await sql<{ active: string; inactive: string; users: string }>`
    select count(*) filter (where state = 'active') as active, count(*) filter (where state <> 'active') as inactive,
      (select count(*) from users) as users
    from teams`.execute(db);
  const { active, inactive, users } = rows[0]!;
  return { teams: { active: Number(active), inactive: Number(inactive) }, users: Number(users) };
}

async function countMails(db: Kysely<Database>): Promise<Omit<ServiceOverview['mails'], 'server'>> {
  const { rows } = await sql<{ waiting: string; oldest: Date | null; failed: string }>`
    select count(*) as waiting, min(created_at) as oldest,
      (select count(*) from messages where state in ('refused', 'gave_up')) as failed
    from messages where state = 'waiting'`.execute(db);
  const { waiting, oldest, failed } = rows[0]!;
  return {
    waiting: Number(waiting),
    ...(oldest !== null && { oldest_waiting_at: formatDateTime(oldest) }),
    failed: Number(failed),
  };
}

async function countTransfers(db: Kysely<Database>): Promise<ServiceOverview['transfers']> {
  const { rows } = await sql<{ pending: string; started: string }>`
    select count(*) filter (where state = 'pending') as pending, count(*) filter (where state = 'started') as started
    from cloud_transfers where due_at is not null`.execute(db);
  return { pending: Number(rows[0]!.pending), started: Number(rows[0]!.started) };
}
