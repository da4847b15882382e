import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { decodeJwt } from 'jose';
import { credentialSpecs } from '#protocol/credentials.ts';

/** What a handler with a streamed response also knows about its request. */
export interface StreamFacts {
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Expiry of the token in the request; null if it does not expire. */
  readonly until: Date | null;
}

/** A signal that is aborted when the client disconnects, and after the response. */
export function disconnectionOf(reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  if (reply.raw.destroyed) disconnected.abort();
  else reply.raw.once('close', () => disconnected.abort());
  return disconnected.signal;
}

/** A client that reads nothing for this long is cut off. */
const stallMilliseconds = 60_000;

/** Sends a stream whose chunks are requested one by one, so that a slow client causes no buffering here. */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  open: (facts: StreamFacts) => Promise<AsyncIterable<string | Uint8Array>>,
): Promise<FastifyReply> {
  const pieces = await open({ signal: disconnectionOf(reply), until: endOfToken(request) });
  if (request.method === 'HEAD') {
    await pieces[Symbol.asyncIterator]().return?.();
    return reply.code(200).type(type).send();
  }
  const cut = () => reply.raw.destroy();
  // Proxies that buffer a response would delay the events.
  return reply
    .code(200)
    .type(type)
    .header('x-accel-buffering', 'no')
    .send(Readable.from(cutWhenStalled(pieces, cut), { objectMode: true, highWaterMark: 1 }));
}

/** Passes chunks on; `cut` is called when one has not been read in time. */
export async function* cutWhenStalled<T>(pieces: AsyncIterable<T>, cut: () => void, milliseconds = stallMilliseconds): AsyncGenerator<T> {
  for await (const piece of pieces) {
    const timer = setTimeout(cut, milliseconds);
    try {
      yield piece;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Expiry of the package token in the request. The token was verified before, so it is only decoded here. */
function endOfToken(request: FastifyRequest): Date | null {
  const token = request.headers[credentialSpecs['package:read'].header?.toLowerCase() ?? ''];
  if (typeof token !== 'string') return null;
  const { exp } = decodeJwt(token);
  return exp === undefined ? null : new Date(exp * 1_000);
}
