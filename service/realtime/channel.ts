import type pg from 'pg';
import { newClient } from '../database/clients.ts';
import type { DatabaseConnection } from '../database/database-connection.ts';
import type { Log } from '../log.ts';

/** This process's own connection to PostgreSQL, for messages between processes. */
export interface Channel {
  /** Sends a message to every listening process, including this one. Lost while there is no connection. */
  publish(message: string): void;
  /**
   * The database's clock in milliseconds, by the connection that messages come by: what was sent before then has been heard once
   * this resolves. Null without a connection.
   */
  time(): Promise<number | null>;
  close(): Promise<void>;
}

interface ChannelListener {
  readonly onMessage: (message: string) => void;
  /** Connected, for the first time or again: messages sent in between are lost. */
  readonly onConnected: () => void;
}

/** PostgreSQL refuses payloads of 8,000 bytes and more. */
export const maxMessageBytes = 7_900;

const backoff = { first: 250, last: 10_000 };
/** A connection that a router has dropped reports nothing, so it is checked at this interval. */
const checkMilliseconds = 30_000;
const queryTimeoutMilliseconds = 10_000;
/** Maximum messages without an acknowledgement. More are dropped: readers poll as well. */
const maxInFlight = 1_000;

/** Listens on the channel `name` in the background, and connects again after a failure. */
export function openChannel(name: string, connection: DatabaseConnection, listener: ChannelListener, log: Log): Channel {
  let client: pg.Client | null = null;
  let closed = false;
  let pause: number = backoff.first;
  let inFlight = 0;
  let turn: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let connecting: Promise<void> = Promise.resolve();

  const check = setInterval(() => {
    if (client) void ask(client, 'select 1');
  }, checkMilliseconds);
  check.unref();

  function lost(broken: pg.Client, reason: string): void {
    if (client !== broken) return;
    client = null;
    void broken.end().catch(() => undefined);
    if (closed) return;
    log.warn({ reason }, 'the connection that carries events broke; it is made again');
    later();
  }

  function later(): void {
    timer = setTimeout(() => {
      connecting = connect();
    }, pause);
    timer.unref();
    pause = Math.min(pause * 2, backoff.last);
  }

  /** Null once the connection is another one. */
  async function ask<Row extends pg.QueryResultRow>(to: pg.Client, text: string, values: readonly string[] = []): Promise<Row[] | null> {
    inFlight += 1;
    // One after another: a connection answers one at a time anyway, and the library will take no more.
    const answer = turn
      .then(async () => (client === to ? (await to.query<Row>(text, [...values])).rows : null))
      .catch((error: Error) => {
        lost(to, error.message);
        return null;
      })
      .finally(() => {
        inFlight -= 1;
      });
    turn = answer;
    const rows = await answer;
    return client === to ? rows : null;
  }

  async function connect(): Promise<void> {
    if (closed) return;
    const next = newClient(connection, {
      application_name: 'longshore-events',
      keepAlive: true,
      connectionTimeoutMillis: queryTimeoutMilliseconds,
      query_timeout: queryTimeoutMilliseconds,
    });
    next.on('error', (error) => lost(next, error.message));
    next.on('end', () => lost(next, 'it was closed'));
    next.on('notification', ({ payload }) => {
      if (payload !== undefined && payload !== '') listener.onMessage(payload);
    });
    try {
      await next.connect();
      await next.query(`listen ${name}`);
    } catch (error) {
      log.debug({ reason: (error as Error).message }, 'the connection that carries events could not be made');
      void next.end().catch(() => undefined);
      if (!closed) later();
      return;
    }
    if (closed) {
      await next.end().catch(() => undefined);
      return;
    }
    client = next;
    pause = backoff.first;
    listener.onConnected();
  }

  connecting = connect();
  return {
    publish(message) {
      if (!client || inFlight >= maxInFlight) return;
      void ask(client, 'select pg_notify($1, $2)', [name, message]);
    },
    async time() {
      if (!client || inFlight >= maxInFlight) return null;
      const rows = await ask<{ at: string }>(client, 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint::text as at');
      return rows ? Number(rows[0]!.at) : null;
    },
    async close() {
      closed = true;
      clearInterval(check);
      clearTimeout(timer);
      await connecting;
      const open = client;
      client = null;
      await open?.end().catch(() => undefined);
    },
  };
}
