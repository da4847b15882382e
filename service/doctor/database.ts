import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { AdminError } from '../admin/admin-error.ts';
import { openAdminDatabase } from '../admin/open-database.ts';
import { displayUrlOf } from '../database/display-url.ts';
import type { Database } from '../database/schema/database.ts';
import { createOutboundHttp } from '../http/outbound.ts';
import type { Log } from '../log.ts';
import { objectsIdFileName } from '../objects-folder.ts';
import { StartError } from '../start-error.ts';
import { clockAhead, clockDiagnosis, type Diagnosis, type DoctorOptions, fail, ok, warn } from './diagnosis.ts';
import { failed } from './failures.ts';
import { reach } from './reach.ts';

/** Milliseconds. */
const slow = 20;
const looks = 5;
/** Others are like these. */
const mostReceivers = 10;

/** The database, its clock, whether it belongs to the folder of objects, and the way to the receivers of webhooks. */
export async function lookAtDatabase(options: DoctorOptions, log: Log): Promise<Diagnosis[]> {
  const { dataDir, databaseUrl } = options;
  let opened: Awaited<ReturnType<typeof openAdminDatabase>>;
  try {
    opened = await openAdminDatabase({ dataDir, databaseUrl, log, timeoutMilliseconds: 5_000 });
  } catch (error) {
    if (error instanceof AdminError && error.code === 'no_service_here') return [];
    if (error instanceof StartError && error.code === 'database_unreachable' && databaseUrl !== undefined)
      return [failed('database', `The database at ${displayUrlOf(databaseUrl)} cannot be used`, error.cause, actionFor(error))];
    if (error instanceof AdminError || error instanceof StartError) return [fail('database', error.message, actionFor(error))];
    return [failed('database', 'The database cannot be used', error, 'Look at its log, and at --database-url.')];
  }
  const { db, close } = opened;
  try {
    return [
      ...(await lookAtServer(db)),
      ...(options.storageUrl === undefined ? await lookAtOwner(db, dataDir) : []),
      ...(await lookAtWebhooks(db, options.allowPrivateWebhooks)),
    ];
  } catch (error) {
    return [failed('database', 'The database failed amid the look', error, 'Look at its log.')];
  } finally {
    await close();
  }
}

const actionFor = (error: AdminError | StartError): string =>
  error.code === 'other_version'
    ? 'Database and command are to be of one version (docs/operating/upgrading.md).'
    : 'Look whether it runs, and at --database-url and --data-dir.';

/** `took` in ms, of a short statement. */
export function speedDiagnosis(version: string, took: number): Diagnosis {
  const seen = `PostgreSQL ${version} answers in ${took.toFixed(1)} ms.`;
  return took > slow
    ? warn('database', seen, 'Put service and database closer together: each call takes several of these.')
    : ok('database', seen);
}

async function lookAtServer(db: Kysely<Database>): Promise<Diagnosis[]> {
  const read = sql<{ now: Date; version: string; trgm: boolean }>`
    select clock_timestamp() as now, current_setting('server_version') as version,
      exists (select from pg_extension where extname = 'pg_trgm') as trgm`;
  // The first one connects.
  await read.execute(db);
  // The least of some: a busy moment of this machine says nothing of the way between both.
  let took = Number.POSITIVE_INFINITY;
  for (let look = 0; look < looks; look += 1) {
    const at = performance.now();
    await read.execute(db);
    took = Math.min(took, performance.now() - at);
  }
  const begun = Date.now();
  const { rows } = await read.execute(db);
  const ended = Date.now();
  const { now, version, trgm } = rows[0]!;
  return [
    speedDiagnosis(version, took),
    clockDiagnosis('the database', clockAhead(begun, now.getTime(), ended), 2 + (ended - begun) / 1_000),
    ...(trgm
      ? []
      : [
          warn(
            'search',
            'The database has no pg_trgm: searching long lists by a part of a name is slow.',
            'create extension pg_trgm, as its superuser.',
          ),
        ]),
  ];
}

async function lookAtOwner(db: Kysely<Database>, dataDir: string): Promise<Diagnosis[]> {
  const known = await db.selectFrom('service_facts').select('value').where('name', '=', 'objects_folder').executeTakeFirst();
  if (!known) return [];
  const folder = join(dataDir, 'objects');
  const id = (await readFile(join(folder, objectsIdFileName), 'utf8').catch(() => '')).trim();
  return id === known.value
    ? [ok('objects', `${folder} belongs to this database.`)]
    : [
        fail(
          'objects',
          `${folder} is not the folder of this database's objects.`,
          'Run this on the machine with the folder (--data-dir), and mount its disk.',
        ),
      ];
}

async function lookAtWebhooks(db: Kysely<Database>, allowPrivate: boolean): Promise<Diagnosis[]> {
  const rows = await db.selectFrom('custom_webhooks').select('url').where('active', '=', true).limit(1_000).execute();
  const origins = [...new Set(rows.map(({ url }) => new URL(url).origin))].slice(0, mostReceivers);
  const outbound = createOutboundHttp({ allowPrivate });
  return await Promise.all(
    origins.map(async (origin) => {
      const url = new URL(origin);
      if (!allowPrivate && (await outbound.isPrivate(url)))
        return fail(
          'webhooks',
          `${origin} is in a private network, where webhooks may not go.`,
          'Allow it (--allow-private-webhooks), or have the Team name another address.',
        );
      try {
        await reach(url);
        return ok('webhooks', `${origin} can be reached.`);
      } catch (error) {
        const action = "Look at this machine's way out: firewall, proxy, name server. Nothing was sent.";
        return failed('webhooks', `${origin} cannot be reached`, error, action);
      }
    }),
  );
}
