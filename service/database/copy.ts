import { once } from 'node:events';
import type pg from 'pg';

/**
 * PostgreSQL's COPY through the driver, which has its messages and no calls for them. Rows come and go as PostgreSQL's text
 * format, which every version reads.
 */

/** Bytes held of what the consumer has not taken. Then the socket is not read any more. */
const heldBytes = 1024 * 1024;

interface CopyConnection {
  readonly stream: import('node:stream').Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

const ignored = {
  handleRowDescription() {},
  handleDataRow() {},
  handleEmptyQuery() {},
  handlePortalSuspended() {},
  handleParseComplete() {},
};

/** Runs `copy … to stdout`, and gives its rows in pieces. Returns how many rows there were. Throws PostgreSQL's error. */
export async function* copyOut(client: pg.Client, statement: string): AsyncGenerator<Buffer, number> {
  let pieces: Buffer[] = [];
  let held = 0;
  let rows = 0;
  let connection: CopyConnection | null = null;
  let abandoned = false;
  const end: { is: 'open' | 'done' | 'failed'; error?: unknown } = { is: 'open' };
  let wake = () => {};
  const finish = (is: 'done' | 'failed', error?: unknown) => {
    if (end.is === 'open') Object.assign(end, { is, error });
    wake();
  };
  client.query({
    ...ignored,
    submit(given: unknown) {
      connection = given as CopyConnection;
      connection.query(statement);
    },
    handleCopyData({ chunk }: { chunk: Buffer }) {
      if (abandoned) return;
      // The driver uses the memory of a message again.
      pieces.push(Buffer.from(chunk));
      held += chunk.length;
      if (held > heldBytes) connection!.stream.pause();
      wake();
    },
    handleCommandComplete: ({ text }: { text: string }) => {
      rows = Number(text.split(' ').at(-1));
    },
    handleError: (error: unknown) => finish('failed', error),
    handleReadyForQuery: () => finish('done'),
  } as pg.Submittable);
  try {
    for (;;) {
      if (pieces.length > 0) {
        const piece = Buffer.concat(pieces);
        pieces = [];
        held = 0;
        connection!.stream.resume();
        yield piece;
      } else if (end.is === 'failed') throw end.error;
      else if (end.is === 'done') return rows;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    // Where the consumer gave up, the rest passes by, and the connection can be used again.
    abandoned = true;
    (connection as CopyConnection | null)?.stream.resume();
  }
}

/** Runs `copy … from stdin` with rows in pieces. How many rows there were. Rejects with PostgreSQL's error, or the source's. */
export function copyIn(client: pg.Client, statement: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let rows = 0;
  let over = false;
  const settled = new AbortController();
  const fail = (error: unknown) => {
    over = true;
    settled.abort();
    reject(error);
  };
  let sourceError: unknown = null;
  const send = async (connection: CopyConnection): Promise<void> => {
    try {
      for await (const piece of pieces) {
        if (over) return;
        connection.sendCopyFromChunk(piece);
        // A connection that breaks fails the statement, which ends the waiting.
        if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain', { signal: settled.signal }).catch(() => undefined);
      }
      if (!over) connection.endCopyFrom();
    } catch (error) {
      sourceError = error;
      if (!over) connection.sendCopyFail('the source of the rows failed');
    }
  };
  client.query({
    ...ignored,
    submit: (connection: unknown) => (connection as CopyConnection).query(statement),
    handleCopyInResponse: (connection: CopyConnection) => void send(connection),
    handleCommandComplete: ({ text }: { text: string }) => {
      rows = Number(text.split(' ').at(-1));
    },
    handleError: (error: unknown) => fail(sourceError ?? error),
    handleReadyForQuery: () => {
      over = true;
      resolve(rows);
    },
  } as pg.Submittable);
  return promise;
}
