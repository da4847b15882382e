import pg from 'pg';
import type { DatabaseConnection, DatabaseServer } from './database-connection.ts';

/** Of one server. Longer than a slow one takes, and all of them below what a call waits for a connection. */
const patienceMilliseconds = 3_000;
/** Connections that are made at once, as a pool makes them, are made by one answer. */
const freshMilliseconds = 1_000;

interface Primary {
  readonly host: string;
  readonly port: number;
}

type WithServers = DatabaseConnection & { readonly servers: readonly DatabaseServer[] };

/** By the names of all servers: where the primary was last, and who is looking for it. */
const known = new Map<string, { last: DatabaseServer | null; at: number; found: Promise<Primary> | null }>();

const nameOf = (servers: readonly DatabaseServer[]): string => servers.map(({ connectionString }) => connectionString).join(' ');

/**
 * The server that takes writes: the one that did last, else in the order of the list. Rejects with what each of them says where
 * none does.
 */
export async function findPrimary(connection: WithServers): Promise<Primary> {
  const name = nameOf(connection.servers);
  const entry = known.get(name) ?? { last: null, at: 0, found: null };
  known.set(name, entry);
  if (entry.found && performance.now() - entry.at < freshMilliseconds) return await entry.found;
  entry.at = performance.now();
  const found = look(connection, entry.last).then(({ server, primary }) => {
    entry.last = server;
    entry.at = performance.now();
    return primary;
  });
  entry.found = found;
  found.catch(() => {
    if (entry.found === found) entry.found = null;
  });
  return await found;
}

/** It did not answer as one: the next who connects looks again. */
export function forgetPrimary(servers: readonly DatabaseServer[]): void {
  const entry = known.get(nameOf(servers));
  if (entry) entry.found = null;
}

async function look({ servers, ...connection }: WithServers, last: DatabaseServer | null) {
  const problems: string[] = [];
  for (const server of [
    ...(last ? [last] : []),
    ...servers.filter(({ connectionString }) => connectionString !== last?.connectionString),
  ]) {
    const client = new pg.Client({
      ...connection,
      ...{ connectionString: server.connectionString, stream: undefined, application_name: 'longshore primary' },
      ...{ connectionTimeoutMillis: patienceMilliseconds, query_timeout: patienceMilliseconds },
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
      if (!rows[0]!.standby) return { server, primary: { host: client.host, port: client.port } };
      problems.push(`${server.name} is a copy`);
    } catch (error) {
      const { message, code } = error as Error & { readonly code?: string };
      problems.push(`${server.name}: ${message || code}`);
    } finally {
      void client.end().catch(() => undefined);
    }
  }
  throw noPrimary(`none of its servers is the primary (${problems.join('; ')})`);
}

/** What it is to who waits: a database that does not take connections now. */
export const noPrimary = (message: string): Error => Object.assign(new Error(message), { code: '57P03' });
