import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely';
import { type Migration, type MigrationResultSet, Migrator } from 'kysely/migration';
import pg from 'pg';
import type { Log } from '../log.ts';
import { StartError } from '../start-error.ts';
import { newPool } from './clients.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { migrations } from './migrations/index.ts';
import { type CallbackClient, createStatementNames, withPreparedStatements } from './prepared.ts';
import { RowCursor } from './row-cursor.ts';
import type { Database } from './schema/database.ts';
import { valueTypes } from './value-parsers.ts';
import { keepWorksSince, versionOf } from './versions.ts';

/** Options of a pool that differ from the default. */
interface PoolOptions {
  /** A statement that each new connection runs first. */
  readonly begin?: string;
  /** Maximum prepared statements per connection. */
  readonly statements?: number;
  /** Called after each statement with the milliseconds that it took. */
  readonly onQuery?: ((milliseconds: number) => void) | undefined;
}

/** Opens a pool over a connection string or settings. It connects at the first query, not here. */
export function openDatabase(
  connection: DatabaseConnection,
  log: Log,
  poolSize = 16,
  { begin, statements, onQuery }: PoolOptions = {},
): Kysely<Database> {
  const pool = newPool(connection, {
    types: valueTypes,
    max: poolSize,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'longshore',
    ...(begin !== undefined && { onConnect: (client: pg.ClientBase) => client.query(begin) }),
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ reason: error.message }, 'an idle database connection broke');
  });
  // A connection that breaks in use fails its query. It also emits this event, which would end the process without a
  // listener.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const nameOf = createStatementNames(statements);
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const prepared = {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      const known = wrapped.get(client) ?? withPreparedStatements(client as CallbackClient, nameOf);
      wrapped.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
  const dialect = new PostgresDialect({ pool: prepared, cursor: RowCursor });
  return new Kysely<Database>({ dialect, ...(onQuery && { log: ({ queryDurationMillis }) => onQuery(queryDurationMillis) }) });
}

/** Milliseconds. */
export interface MigrationPatience {
  /** For a table that others use. Whoever comes after a waiting migration waits as well, so it is short. */
  readonly lock: number;
  /** Between two attempts. */
  readonly pause: number;
  /** Of all attempts. */
  readonly inAll: number;
}
const usualPatience: MigrationPatience = { lock: 1_000, pause: 2_000, inAll: 600_000 };

/**
 * Migrates the schema to the current version, under a database lock so that services that start at the same time are
 * serialised. Where others hold a table it lets go of all, and tries again (docs/decisions/0100). Errors: `StartError`.
 */
export async function migrate(db: Kysely<Database>, log: Log, patience: MigrationPatience = usualPatience): Promise<void> {
  const version = await versionOf(db);
  if (version === 'ahead') {
    log.warn({}, 'a newer version has changed the database in a way that this one works with: upgrade this node, too');
    return;
  }
  if (version === 'newer') {
    throw new StartError(
      'database_cannot_start',
      'A newer version of Longshore has changed this database, and this one does not know its tables. Start that version, or put back the backup from before. Nothing was changed.',
    );
  }
  // Whoever migrates first looks at every column of the database, several times.
  if (version === 'same') return await keepWorksSince(db);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => bounded(migrations, patience.lock) } });
  const end = performance.now() + patience.inAll;
  for (;;) {
    const result = await migrator.migrateToLatest();
    if (!isLocked(result.error) || performance.now() >= end) {
      report(result, log);
      return await keepWorksSince(db);
    }
    log.warn({}, 'a table of the database is in use, so it could not be brought up to date yet; it is tried again');
    await sleep(patience.pause);
  }
}

/** Each waits for no table longer than `lock`; its own work may take its time, unlike a call's. */
function bounded(all: Readonly<Record<string, Migration>>, lock: number): Record<string, Migration> {
  const entries = Object.entries(all).map(([name, migration]): [string, Migration] => [
    name,
    {
      async up(db) {
        await sql`select set_config('lock_timeout', ${String(lock)}, true), set_config('statement_timeout', '0', true)`.execute(db);
        await migration.up(db);
      },
    },
  ]);
  return Object.fromEntries(entries);
}

/** A table that others use, or the lock of another service that migrates longer than a statement may wait. */
const isLocked = (error: unknown): boolean => error instanceof pg.DatabaseError && (error.code === '55P03' || error.code === '57014');

/** Makes the tables of an empty database as a migration left them, for rows of that time. Errors: `StartError`. */
export async function migrateTo(db: Kysely<Database>, name: string, log: Log): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  report(await migrator.migrateTo(name), log);
}

function report({ error, results }: MigrationResultSet, log: Log): void {
  for (const result of results ?? [])
    if (result.status === 'Success') log.info({ migration: result.migrationName }, 'migrated the database');
  if (error) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName;
    throw new StartError(
      'database_cannot_start',
      `The database could not be brought up to date${failed ? ` (migration ${failed})` : ''}: ${describe(error)}. It is unchanged.${isLocked(error) ? ' Something uses its tables: end other versions of the service, backups of the database and open consoles, and start again.' : ''}`,
      { cause: error },
    );
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Checks that the database responds. Errors: `StartError` that names the address without its password. */
export async function checkReachable(db: Kysely<Database>, displayUrl: string): Promise<void> {
  try {
    await db.selectNoFrom((eb) => eb.lit(1).as('one')).execute();
  } catch (error) {
    throw new StartError(
      'database_unreachable',
      `The database at ${displayUrl} cannot be used: ${describe(error) || (error instanceof Error ? error.name : '')}. Check its address, its password and that it runs.`,
      { cause: error, retryable: true },
    );
  }
}
