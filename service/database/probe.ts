import { Socket } from 'node:net';
import type pg from 'pg';
import type { Probe } from '../readiness.ts';
import { newClient } from './clients.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { compareMigrations, isUnknown, worksSinceOfNewest } from './versions.ts';

const undefinedTable = '42P01';
const patienceMilliseconds = 10_000;

/**
 * Asks the database over a connection of its own, so that neither a busy pool nor a connection that hangs decides: whether
 * it answers, and whether its tables are this version's, or a later one's with which this one works.
 */
export function databaseProbe(connection: DatabaseConnection): Probe<'database' | 'migrations'> {
  return {
    parts: ['database', 'migrations'],
    async look(signal) {
      const socket = new Socket();
      const client = newClient(connection, {
        ...{ application_name: 'longshore readiness', stream: () => socket },
        // Where it is only connected after the signal.
        ...{ connectionTimeoutMillis: patienceMilliseconds, query_timeout: patienceMilliseconds },
      });
      client.on('error', () => undefined);
      // A database that answers nothing would keep the connection for minutes.
      signal.addEventListener('abort', () => socket.destroy());
      await client.connect();
      const done = await migrationsOf(client);
      const since = done?.some(isUnknown) ? (await client.query<{ value: string }>(worksSinceOfNewest)).rows[0]?.value : null;
      await client.end();
      return { database: null, migrations: sentences[compareMigrations(done, since ?? null)] };
    },
  };
}

const sentences = {
  same: null,
  ahead: null,
  empty: 'The database has no tables yet.',
  older: 'The tables are of an older version.',
  newer: 'The tables are of a newer version than this service.',
} as const;

async function migrationsOf(client: pg.Client): Promise<readonly string[] | null> {
  try {
    const { rows } = await client.query<{ name: string }>('select name from kysely_migration');
    return rows.map(({ name }) => name);
  } catch (error) {
    if ((error as { code?: unknown }).code === undefinedTable) return null;
    throw error;
  }
}
