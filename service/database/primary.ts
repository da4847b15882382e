import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseConnection, DatabaseServer } from './database-connection.ts';
import { firstToAnswer } from './staggered.ts';

/** Of one server. Longer than a slow one takes, and all of them below what a call waits for a connection. */
export const patienceMilliseconds = 3_000;
/** After so long the next one is asked beside it. */
const headStartMilliseconds = 250;
/** One that was silent is asked last, and for less long, until it is no longer remembered. */
const silent = { patienceMilliseconds: 1_000, rememberedMilliseconds: 10_000 } as const;
/** Connections that are made at once, as a pool makes them, are made by one answer. */
const freshMilliseconds = 1_000;

/** SQLSTATE. */
const cannotConnectNow = '57P03';

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
  isLooking: boolean;
  /** Which did not answer, and until when that is remembered. */
  readonly silentUntil: Map<string, number>;
  /** What cuts each open connection, and to which server it is. */
  readonly open: Map<(error: Error) => void, DatabaseServer>;
}

/** By the names of all servers. */
const known = new Map<string, Known>();

function knownOf(servers: readonly DatabaseServer[]): Known {
  const name = servers.map(({ connectionString }) => connectionString).join(' ');
  const entry = known.get(name) ?? { last: null, at: 0, found: null, isLooking: false, silentUntil: new Map(), open: new Map() };
  known.set(name, entry);
  return entry;
}

/**
 * The server that takes writes: the one that did last, else in the order of the list. Rejects with what each of them says where
 * none does.
 */
export async function findPrimary(connection: WithServers): Promise<Primary> {
  const entry = knownOf(connection.servers);
  if (entry.found && (entry.isLooking || performance.now() - entry.at < freshMilliseconds)) return await entry.found;
  entry.isLooking = true;
  entry.found = lookAndNote(connection, entry);
  return await entry.found;
}

async function lookAndNote(connection: WithServers, entry: Known): Promise<Primary> {
  try {
    const primary = await look(connection, entry);
    entry.last = primary.server;
    entry.at = performance.now();
    entry.silentUntil.delete(primary.server.connectionString);
    cutOthers(entry, primary.server);
    return primary;
  } catch (error) {
    entry.found = null;
    throw error;
  } finally {
    entry.isLooking = false;
  }
}

/**
 * For while a connection is made by an answer of before: looks anew where that takes long, and another primary that is found has
 * it cut.
 *
 * @returns what to call when it is made
 */
export function lookAgainWhereSlow(connection: WithServers): () => void {
  const entry = knownOf(connection.servers);
  const timer = setTimeout(() => {
    if (!entry.isLooking) entry.found = null;
    findPrimary(connection).catch(() => undefined);
  }, headStartMilliseconds);
  return () => clearTimeout(timer);
}

/** It did not answer as one: the next who connects looks again, unless another one was found meanwhile. */
export function forgetPrimary(servers: readonly DatabaseServer[], server: DatabaseServer, error: unknown): void {
  const entry = knownOf(servers);
  if (error instanceof SilentServerError) noteSilent(entry, server);
  if (!entry.isLooking && entry.last?.connectionString === server.connectionString) entry.found = null;
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

class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
  readonly code = cannotConnectNow;
}

const noteSilent = ({ silentUntil }: Known, { connectionString }: DatabaseServer): void =>
  void silentUntil.set(connectionString, performance.now() + silent.rememberedMilliseconds);

const isSilent = ({ silentUntil }: Known, { connectionString }: DatabaseServer): boolean =>
  (silentUntil.get(connectionString) ?? 0) > performance.now();

async function look({ servers, ...connection }: WithServers, entry: Known): Promise<Primary> {
  const { last } = entry;
  const inOrder = [...(last ? [last] : []), ...servers.filter(({ connectionString }) => connectionString !== last?.connectionString)];
  const [silentOnes, others] = [inOrder.filter((server) => isSilent(entry, server)), inOrder.filter((server) => !isSilent(entry, server))];
  const ask = async (server: DatabaseServer, over: AbortSignal): Promise<Primary> => {
    const wasSilent = silentOnes.includes(server);
    try {
      return await askServer(connection, server, wasSilent ? silent.patienceMilliseconds : patienceMilliseconds, over);
    } catch (error) {
      // Once the time that it is remembered is over, it has the whole again.
      if (error instanceof SilentServerError && !wasSilent) noteSilent(entry, server);
      throw error;
    }
  };
  const pause = (over: AbortSignal) => sleep(headStartMilliseconds, undefined, { signal: over });
  try {
    return await firstToAnswer([...others, ...silentOnes], ask, pause);
  } catch (error) {
    const problems = (error as AggregateError).errors.map(({ message }: Error) => message);
    throw noPrimary(`none of its servers is the primary (${problems.join('; ')})`);
  }
}

/** Rejects with a sentence that names the server. */
async function askServer(connection: DatabaseConnection, server: DatabaseServer, patience: number, over: AbortSignal): Promise<Primary> {
  const client = new pg.Client({
    ...connection,
    ...{ connectionString: server.connectionString, stream: undefined, application_name: 'longshore primary' },
    connectionTimeoutMillis: 0,
  });
  client.on('error', () => undefined);
  const drop = (): void => void streamOf(client).destroy();
  over.addEventListener('abort', drop, { once: true });
  let refusal: string | null;
  try {
    refusal = await withinPatience(client, server, patience, async () => {
      await client.connect();
      return await refusalOf(client);
    });
  } catch (error) {
    if (error instanceof SilentServerError) throw error;
    const { message, code } = error as Error & { readonly code?: string };
    throw new Error(`${server.name}: ${message || code}`);
  } finally {
    over.removeEventListener('abort', drop);
    void client.end().catch(() => undefined);
  }
  if (refusal !== null) throw new Error(`${server.name} ${refusal}`);
  return { server, host: client.host, port: client.port };
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

/** What it is to who waits: a database that does not take connections now. */
export const noPrimary = (message: string): Error => Object.assign(new Error(message), { code: cannotConnectNow });
