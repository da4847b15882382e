import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { openDataFolder, readSecret } from '../data-folder.ts';
import { newClient } from '../database/clients.ts';
import { clusterFolder } from '../database/cluster-folder.ts';
import { connectionOf } from '../database/connection-of.ts';
import { checkReachable, openDatabase } from '../database/database.ts';
import type { DatabaseConnection } from '../database/database-connection.ts';
import { displayUrlOf } from '../database/display-url.ts';
import { readPidFile } from '../database/orphan.ts';
import { connectionTo, startPrivatePostgres } from '../database/private-postgres.ts';
import type { Database } from '../database/schema/database.ts';
import { versionOf } from '../database/versions.ts';
import type { Log } from '../log.ts';
import { StartError } from '../start-error.ts';
import { AdminError } from './admin-error.ts';

export interface AdminDatabaseOptions {
  /** The service's data folder. */
  readonly dataDir: string;
  /** The same as the service's setting; without it the private PostgreSQL in the data folder is used. */
  readonly databaseUrl?: string | undefined;
  readonly log: Log;
  /** How long to wait for a service that is starting or stopping. */
  readonly timeoutMilliseconds?: number;
}

export interface AdminDatabase {
  /** For connections beside the pool. */
  readonly connection: DatabaseConnection;
  readonly db: Kysely<Database>;
  close(): Promise<void>;
}

interface Reachable {
  readonly connection: DatabaseConnection;
  release(): Promise<void>;
}

/**
 * Opens a service's database from outside the service: by its address if one is given; otherwise the private one,
 * through the running service, or started for as long as this is open. Never creates or migrates tables: that is done
 * by the service's start, which may be of another version. Errors: `AdminError`, `StartError`.
 */
export async function openAdminDatabase(options: AdminDatabaseOptions): Promise<AdminDatabase> {
  const { databaseUrl, log } = options;
  const reached =
    databaseUrl === undefined
      ? await reachPrivatePostgres(options)
      : { connection: connectionOf(databaseUrl), release: () => Promise.resolve() };
  const db = openDatabase(reached.connection, log, 2);
  const close = async () => {
    await db.destroy();
    await reached.release();
  };
  try {
    await checkReachable(db, databaseUrl === undefined ? options.dataDir : displayUrlOf(databaseUrl));
    const version = await versionOf(db);
    if (version !== 'same') throw new AdminError('other_version', versionProblems[version]);
    return { connection: reached.connection, db, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const versionProblems = {
  empty: 'No service has used this database yet. Start the service once, which makes the first Team and its owner.',
  older: 'The database is of an older version of Longshore. Start the service of this version, which brings it up to date.',
  newer: 'The database is of a newer version of Longshore than this command. Use the command of that version.',
  ahead: 'The database is of a newer version of Longshore than this command. Use the command of that version.',
} as const;

async function reachPrivatePostgres({ dataDir, log, timeoutMilliseconds = 15_000 }: AdminDatabaseOptions): Promise<Reachable> {
  const path = resolve(dataDir);
  if (!(await exists(join(await clusterFolder(join(path, 'postgres')), 'PG_VERSION')))) {
    throw new AdminError(
      'no_service_here',
      `There is no service in ${path}. Give the folder that the service has (--data-dir), or its database (--database-url), or start it once.`,
    );
  }
  // The service may be starting or stopping: then neither its lock nor its database is available for a moment.
  for (const until = Date.now() + timeoutMilliseconds; ; await sleep(100)) {
    const reached = (await startPrivate(path, log)) ?? (await connectToRunning(path));
    if (reached) return reached;
    if (Date.now() >= until) {
      throw new AdminError('not_answering', `The service in ${path} is running, and its database does not answer. Try again soon.`);
    }
  }
}

/** If the path cannot be checked, the code that opens it reports the error later. */
const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );

/** Starts the private PostgreSQL; null if a service has locked the folder. */
async function startPrivate(path: string, log: Log): Promise<Reachable | null> {
  const folder = await openDataFolder(path).catch((error: unknown) => {
    if (error instanceof StartError && error.code === 'data_folder_in_use') return null;
    throw error;
  });
  if (!folder) return null;
  try {
    const postgres = await startPrivatePostgres({
      folder: folder.postgres,
      secret: folder.secret,
      logFile: join(folder.path, 'postgres.log'),
      log,
    });
    const release = async () => {
      await postgres.close();
      folder.release();
    };
    return { connection: postgres.connection, release };
  } catch (error) {
    folder.release();
    throw error;
  }
}

/** The PostgreSQL of the running service; null if it does not accept connections. */
async function connectToRunning(path: string): Promise<Reachable | null> {
  const at = await readPidFile(await clusterFolder(join(path, 'postgres')));
  if (!at) return null;
  const connection = connectionTo(at, await readSecret(path));
  const client = newClient(connection, { connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    return { connection, release: () => Promise.resolve() };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // No socket yet, or no longer; or the server is starting (57P03) or stopping (57P01).
    if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', '57P01', '57P03'].includes(code)) return null;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
