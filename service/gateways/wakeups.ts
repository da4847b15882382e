import { type Kysely, sql } from 'kysely';
import type { DatabaseConnection } from '../database/database-connection.ts';
import type { Database } from '../database/schema/database.ts';
import type { Log } from '../log.ts';
import { type Channel, openChannel } from '../realtime/channel.ts';
import { Sleeper } from '../realtime/sleeper.ts';
import type { ExpectedAnswer, GatewayWakeups, WaitingPoll } from './ports.ts';

const channelName = 'longshore_gateways';

/** Whoever waits for an answer has a time limit of its own, and looks now and then in case a message was lost. */
const longestWait = 5_000;

/** There may be work for a gateway: told to all processes exactly if the transaction `db` is committed. */
export const wakeGateway = (db: Kysely<Database>, gatewayId: string): Promise<unknown> => notify(db, `work ${gatewayId}`);

/** A gateway's poll waits in another process, and a newer one has come. */
export const replacePoll = (db: Kysely<Database>, pollId: string): Promise<unknown> => notify(db, `replaced ${pollId}`);

/** A gateway has answered. */
export const wakeAsker = (db: Kysely<Database>, requestId: string): Promise<unknown> => notify(db, `answer ${requestId}`);

/** The same for the gateways of connections. */
export async function wakeGatewaysOf(db: Kysely<Database>, connectionIds: readonly string[]): Promise<void> {
  if (connectionIds.length === 0) return;
  await sql`
    select pg_notify(${channelName}, 'work ' || gateway.id) from (
      select distinct storage_gateway_id as id from cloud_connections
      where id = any(${connectionIds}::uuid[]) and storage_gateway_id is not null
    ) as gateway`.execute(db);
}

const notify = (db: Kysely<Database>, message: string): Promise<unknown> => sql`select pg_notify(${channelName}, ${message})`.execute(db);

interface Poll {
  readonly id: string;
  readonly sleeper: Sleeper;
  readonly over: AbortController;
}

/** `connection` is used once somebody waits. */
export function openGatewayWakeups(connection: DatabaseConnection, log: Log): GatewayWakeups {
  const polls = new Map<string, Poll>();
  const askers = new Map<string, Sleeper>();
  let channel: Channel | null = null;
  let closed = false;

  function onMessage(text: string): void {
    const [type, id = ''] = text.split(' ');
    if (type === 'work') polls.get(id)?.sleeper.wake();
    else if (type === 'answer') askers.get(id)?.wake();
    else if (type === 'replaced') for (const poll of polls.values()) if (poll.id === id) poll.over.abort();
  }

  /** What was told while there was no connection is lost, so everybody looks. */
  function wakeAll(): void {
    for (const { sleeper } of polls.values()) sleeper.wake();
    for (const sleeper of askers.values()) sleeper.wake();
  }

  function listen(): void {
    if (!closed) channel ??= openChannel(channelName, connection, { onMessage, onConnected: wakeAll }, log);
  }

  return {
    begin(gatewayId, pollId): WaitingPoll {
      listen();
      polls.get(gatewayId)?.over.abort();
      const poll: Poll = { id: pollId, sleeper: new Sleeper(), over: new AbortController() };
      polls.set(gatewayId, poll);
      if (closed) poll.over.abort();
      return {
        id: pollId,
        over: poll.over.signal,
        wait: (milliseconds, signal) => poll.sleeper.sleep(milliseconds, [poll.over.signal, signal]),
        end() {
          if (polls.get(gatewayId) === poll) polls.delete(gatewayId);
        },
      };
    },
    expectAnswer(requestId): ExpectedAnswer {
      listen();
      const sleeper = new Sleeper();
      askers.set(requestId, sleeper);
      return { wait: (signal) => sleeper.sleep(longestWait, [signal]), end: () => askers.delete(requestId) };
    },
    async close() {
      closed = true;
      for (const { over } of polls.values()) over.abort();
      for (const sleeper of askers.values()) sleeper.wake();
      await channel?.close();
    },
  };
}
