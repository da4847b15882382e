import pg from 'pg';
import type { DatabaseConnection, DatabaseServer } from './database-connection.ts';

/** Of one server. Longer than a slow one takes, and all of them below what a call waits for a connection. */
export const patienceMilliseconds = 3_000;
/** Connections that are made at once, as a pool makes them, are made by one answer. */
const freshMilliseconds = 1_000;

export interface Primary {
  readonly server: DatabaseServer;
  readonly host: string;
  readonly port: number;
}

type WithServers = DatabaseConnection & { readonly servers: readonly DatabaseServer[] };

interface Known {
  /** Where the primary was last. */
  last: DatabaseServer | null;
  at: number;
  /** Who looks for it, or has just found it. */
  found: Promise<Primary> | null;
  /** What cuts each open connection, and to which server it is. */
  readonly open: Map<(error: Error) => void, DatabaseServer>;
}

/** By the names of all servers. */
const known = new Map<string, Known>();

function knownOf(servers: readonly DatabaseServer[]): Known {
  const name = servers.map(({ connectionString }) => connectionString).join(' ');
  const entry = known.get(name) ?? { last: null, at: 0, found: null, open: new Map() };
  known.set(name, entry);
  return entry;
}

/**
 * The server that takes writes: the one that did last, else in the order of the list. Rejects with what each of them says where
 * none does.
 */
export async function findPrimary(connection: WithServers): Promise<Primary> {
  const entry = knownOf(connection.servers);
  if (entry.found && performance.now() - entry.at < freshMilliseconds) return await entry.found;
  entry.at = performance.now();
  const found = look(connection, entry.last).then((primary) => {
    entry.last = primary.server;
    entry.at = performance.now();
    cutOthers(entry, primary.server);
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
  knownOf(servers).found = null;
}

/**
 * Has a connection cut once another server is the primary. One whose machine has lost its power or network does not say so: what
 * was asked of it would wait for a quarter of an hour.
 *
 * @returns what to call when the connection is over
 */
export function cutWhenSwitched(servers: readonly DatabaseServer[], server: DatabaseServer, cut: (error: Error) => void): () => void {
  const { open } = knownOf(servers);
  open.set(cut, server);
  return () => open.delete(cut);
}

function cutOthers({ open }: Known, primary: DatabaseServer): void {
  for (const [cut, server] of open) {
    if (server.connectionString !== primary.connectionString) cut(noPrimary(`${server.name} is no primary any more`));
  }
}

async function look({ servers, ...connection }: WithServers, last: DatabaseServer | null): Promise<Primary> {
  const problems: string[] = [];
  for (const server of [
    ...(last ? [last] : []),
    ...servers.filter(({ connectionString }) => connectionString !== last?.connectionString),
  ]) {
    const client = new pg.Client({
      ...connection,
      ...{ connectionString: server.connectionString, stream: undefined, application_name: 'longshore primary' },
      connectionTimeoutMillis: patienceMilliseconds,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const refusal = await refusalOf(client);
      if (refusal === null) return { server, host: client.host, port: client.port };
      problems.push(`${server.name} ${refusal}`);
    } catch (error) {
      const { message, code } = error as Error & { readonly code?: string };
      problems.push(`${server.name}: ${message || code}`);
    } finally {
      void client.end().catch(() => undefined);
    }
  }
  throw noPrimary(`none of its servers is the primary (${problems.join('; ')})`);
}

/** Why a server takes no writes; null where it does. Who switches may have told one that is no copy to take none. */
export async function refusalOf(client: pg.Client): Promise<string | null> {
  const question = {
    text: "select pg_is_in_recovery() as copy, current_setting('transaction_read_only') = 'on' as refuses",
    query_timeout: patienceMilliseconds,
  };
  const { rows } = await client.query<{ copy: boolean; refuses: boolean }>(question);
  const { copy, refuses } = rows[0]!;
  return copy ? 'is a copy' : refuses ? 'takes no writes (default_transaction_read_only)' : null;
}

/** What it is to who waits: a database that does not take connections now. */
export const noPrimary = (message: string): Error => Object.assign(new Error(message), { code: '57P03' });
