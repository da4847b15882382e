import type { FastifyInstance } from 'fastify';
import { addressKeyOf } from '#net/address-key.ts';
import { MemoryBudget } from '#net/memory-budget.ts';
import { ApiError } from '#protocol/errors.ts';

interface AnswerMemoryOptions {
  /** Maximum bytes of whole answers that clients have not read yet; 256 MiB by default. */
  readonly bytes?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

const mebi = 1024 * 1024;
/** Smaller answers are bounded by the number of requests at once. */
const smallAnswer = 16 * 1024;

/**
 * Limits the memory of answers that wait for their readers: over HTTP/2 a client may ask for thousands at once and read
 * none. No address gets more than half, and when memory runs out those who have read nothing for half a minute are cut off
 * (net/memory-budget.ts). An answer that gets no memory becomes `rate_limited`. Streams are bounded by their readers, and
 * are not counted.
 */
export function limitAnswerMemory(
  app: FastifyInstance,
  { bytes = 256 * mebi, now = () => performance.now() }: AnswerMemoryOptions = {},
): void {
  const memory = new MemoryBudget({ bytes, shares: { address: 1 / 2, package: 1, upload: 1 }, now });
  app.addHook('onSend', (request, reply, payload, done) => {
    const size = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    // Who has gone gets none, and its `close` has been.
    if (size <= smallAnswer || reply.raw.destroyed) return done(null, payload);
    const reservation = memory.reserve({ address: addressKeyOf(request.ip) }, () => void reply.raw.destroy());
    if (!reservation.take(size)) {
      reservation.end();
      // The refusal is none of the kind that the answer was.
      reply.removeHeader('content-type');
      return done(new ApiError('rate_limited', { seconds: 1 }));
    }
    reply.raw.once('close', () => reservation.end());
    done(null, payload);
  });
}
