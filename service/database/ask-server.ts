import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { DatabaseConnection, DatabaseServer } from './database-connection.ts';

/** SQLSTATE. */
const cannotConnectNow = '57P03';

/** A server that takes writes. */
export interface Primary {
  readonly server: DatabaseServer;
  readonly host: string;
  readonly port: number;
  /** Counts how often a copy was promoted in the history of this database. Null where the server does not tell it. */
  readonly timeline: number | null;
}

export class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
  readonly code = cannotConnectNow;
}

/** What it is to who waits: a database that does not take connections now. */
export const noPrimary = (message: string): Error => Object.assign(new Error(message), { code: cannotConnectNow });

/**
 * Asks a server whether it takes writes, by a connection of its own, which is cut once `over` is aborted. Rejects with a sentence
 * that names the server; `SilentServerError` where it says nothing.
 */
export async function askServer(
  connection: DatabaseConnection,
  server: DatabaseServer,
  patience: number,
  over: AbortSignal,
): Promise<Primary> {
  const client = new pg.Client({
    ...connection,
    ...{ connectionString: server.connectionString, stream: undefined, application_name: 'longshore primary' },
    connectionTimeoutMillis: 0,
  });
  client.on('error', () => undefined);
  const drop = (): void => void streamOf(client).destroy();
  over.addEventListener('abort', drop, { once: true });
  let answer: { readonly refusal: string | null; readonly timeline: number | null };
  try {
    answer = await withinPatience(client, server, patience, async () => {
      await client.connect();
      const refusal = await refusalOf(client);
      return { refusal, timeline: refusal === null ? await timelineOf(client) : null };
    });
  } catch (error) {
    if (error instanceof SilentServerError) throw error;
    const { message, code } = error as Error & { readonly code?: string };
    throw new Error(`${server.name}: ${message || code}`);
  } finally {
    over.removeEventListener('abort', drop);
    void client.end().catch(() => undefined);
  }
  if (answer.refusal !== null) throw new Error(`${server.name} ${answer.refusal}`);
  return { server, host: client.host, port: client.port, timeline: answer.timeline };
}

/** Some clouds have databases that speak as PostgreSQL does and have no such functions. */
async function timelineOf(client: pg.Client): Promise<number | null> {
  try {
    const { rows } = await client.query<{ timeline: string }>('select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline');
    return Number.parseInt(rows[0]!.timeline, 16);
  } catch (error) {
    if (error instanceof pg.DatabaseError) return null;
    throw error;
  }
}

const streamOf = (client: pg.Client): Duplex =>
  (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection.stream;

/** Has a connection cut by an error; what waits for an answer of it rejects with that. */
export const cut = (client: pg.Client, error: Error): void => void streamOf(client).destroy(error);

/** Cuts the connection where all of this takes longer than a server has. */
export async function withinPatience<T>(
  client: pg.Client,
  { name }: DatabaseServer,
  milliseconds: number,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => cut(client, new SilentServerError(`${name}: no answer within ${milliseconds / 1_000} s`)), milliseconds);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** Why a server takes no writes; null where it does. Who switches may have told one that is no copy to take none. */
export async function refusalOf(client: pg.Client): Promise<string | null> {
  const question = "select pg_is_in_recovery() as copy, current_setting('transaction_read_only') = 'on' as refuses";
  const { rows } = await client.query<{ copy: boolean; refuses: boolean }>(question);
  const { copy, refuses } = rows[0]!;
  return copy ? 'is a copy' : refuses ? 'takes no writes (default_transaction_read_only)' : null;
}
