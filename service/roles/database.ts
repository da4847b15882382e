import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { DataFolder } from '../data-folder.ts';
import { connectionOf } from '../database/connection-of.ts';
import { checkReachable, migrate, openDatabase } from '../database/database.ts';
import type { DatabaseConnection } from '../database/database-connection.ts';
import { displayUrlOf } from '../database/display-url.ts';
import { startPrivatePostgres } from '../database/private-postgres.ts';
import type { Database } from '../database/schema/database.ts';
import type { Log } from '../log.ts';

export interface RunningDatabase {
  /** For further connections and pools. */
  readonly connection: DatabaseConnection;
  readonly db: Kysely<Database>;
  stop(): Promise<void>;
}

/**
 * Connects to the database at `databaseUrl`, or starts the private one in the data folder, and migrates it. Errors:
 * `StartError`; nothing is left running then.
 */
export async function startDatabase(
  folder: DataFolder,
  databaseUrl: string | undefined,
  log: Log,
  onQuery?: (milliseconds: number) => void,
): Promise<RunningDatabase> {
  const postgres =
    databaseUrl === undefined
      ? await startPrivatePostgres({ folder: folder.postgres, secret: folder.secret, logFile: join(folder.path, 'postgres.log'), log })
      : null;
  const connection = postgres?.connection ?? connectionOf(databaseUrl!);
  const db = openDatabase(connection, log, undefined, { onQuery });
  const stop = async () => {
    try {
      await db.destroy();
    } finally {
      await postgres?.close();
    }
  };
  try {
    if (databaseUrl !== undefined) await checkReachable(db, displayUrlOf(databaseUrl));
    await migrate(db, log);
  } catch (error) {
    await stop();
    throw error;
  }
  return { connection, db, stop };
}
