import { setTimeout as sleep } from 'node:timers/promises';
import { askServer, noPrimary, type Primary, SilentServerError } from './ask-server.ts';
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

type WithServers = DatabaseConnection & { readonly servers: readonly DatabaseServer[] };

interface Known {
  /** Where the primary was last. */
  last: DatabaseServer | null;
  /** Of the primary that was last. */
  timeline: number | null;
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
  const entry = known.get(name) ?? {
    last: null,
    timeline: null,
    at: 0,
    found: null,
    isLooking: false,
    silentUntil: new Map(),
    open: new Map(),
  };
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
    entry.timeline = primary.timeline ?? entry.timeline;
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
      const primary = await askServer(connection, server, wasSilent ? silent.patienceMilliseconds : patienceMilliseconds, over);
      // It takes writes and is not the primary: what is written there is lost.
      if (entry.timeline !== null && primary.timeline !== null && primary.timeline < entry.timeline)
        throw new Error(`${server.name} is a former primary (timeline ${primary.timeline}, where ${entry.timeline} has begun)`);
      return primary;
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
