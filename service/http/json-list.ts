import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { cutWhenStalled } from './streams.ts';

/** The answer of a handler whose list is long: its first records are sent while the next ones are read. */
export class JsonList<Item = unknown> {
  readonly batches: AsyncIterable<readonly Item[]>;

  /** @param batches read as fast as they come, however slowly the client takes them, and no further once it has left */
  constructor(batches: AsyncIterable<readonly Item[]>) {
    this.batches = batches;
  }
}

/**
 * Sends the list while it is read. What fails before its first records is thrown; after them the connection is cut. What has
 * come by then is no JSON, since it has no end.
 *
 * @param write some records as a JSON list
 */
export async function sendJsonList(
  reply: FastifyReply,
  list: JsonList,
  write: (records: readonly unknown[]) => string,
): Promise<FastifyReply> {
  const batches = list.batches[Symbol.asyncIterator]();
  const first = await batches.next();
  const text = new Readable({ objectMode: true, read() {} });
  // Whoever reads it meets the error, too.
  text.on('error', () => {});
  void fill(text, first, batches, write);
  // It says how long the list is.
  if (reply.request.method === 'HEAD') return reply.send((await text.toArray()).join(''));
  return reply.send(
    Readable.from(
      cutWhenStalled<string>(text, () => reply.raw.destroy()),
      { objectMode: true, highWaterMark: 1 },
    ),
  );
}

async function fill(
  text: Readable,
  first: IteratorResult<readonly unknown[]>,
  batches: AsyncIterator<readonly unknown[]>,
  write: (records: readonly unknown[]) => string,
): Promise<void> {
  let before = '[';
  try {
    for (let batch = first; !batch.done; batch = await batches.next()) {
      if (text.destroyed) return void (await batches.return?.());
      if (batch.value.length === 0) continue;
      text.push(before + write(batch.value).slice(1, -1));
      before = ',';
    }
    text.push(before === '[' ? '[]' : ']');
    text.push(null);
  } catch (error) {
    text.destroy(error as Error);
  }
}
