import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { decodeJwt } from 'jose';
import { credentialSpecs } from '#protocol/credentials.ts';

/** What a handler whose answer is a stream knows of its request besides. */
export interface StreamFacts {
  /** Aborted when the reader has gone. */
  readonly signal: AbortSignal;
  /** When the token shown ends; null where it has no end. */
  readonly until: Date | null;
}

/** A reader who takes nothing for so long is cut off. */
const stallMilliseconds = 60_000;

/** Answers by a stream whose pieces are asked for one by one, so that nothing piles up here for a slow reader. */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  open: (facts: StreamFacts) => Promise<AsyncIterable<string | Uint8Array>>,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const pieces = await open({ signal: gone.signal, until: endOfToken(request) });
  const cut = () => reply.raw.destroy();
  // Proxies that collect an answer before they pass it on would hold events back.
  return reply
    .code(200)
    .type(type)
    .header('x-accel-buffering', 'no')
    .send(Readable.from(guarded(pieces, cut), { objectMode: true, highWaterMark: 1 }));
}

/** Passes pieces on; `cut` is called when one has not been taken in time. */
export async function* guarded<T>(pieces: AsyncIterable<T>, cut: () => void, milliseconds = stallMilliseconds): AsyncGenerator<T> {
  for await (const piece of pieces) {
    const timer = setTimeout(cut, milliseconds);
    try {
      yield piece;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The end of the package token that was shown. It was verified before, so it is only read here. */
function endOfToken(request: FastifyRequest): Date | null {
  const token = request.headers[credentialSpecs['package:read'].header?.toLowerCase() ?? ''];
  if (typeof token !== 'string') return null;
  const { exp } = decodeJwt(token);
  return exp === undefined ? null : new Date(exp * 1_000);
}
