import { Transform } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { addressKeyOf } from '#net/address-key.ts';
import { MemoryBudget } from '#net/memory-budget.ts';
import { ApiError } from '#protocol/errors.ts';

interface BodyMemoryOptions {
  /** Maximum bytes of request bodies in progress at the same time; 256 MiB by default. */
  readonly bytes?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

const mebi = 1024 * 1024;
/** Smaller bodies are bounded by the number of connections, where one has one request at a time. */
const smallBody = 16 * 1024;

/**
 * Limits the memory that request bodies use while they are received. Memory is reserved chunk by chunk, no address
 * gets more than half, and when memory runs out the slowest senders are cut off (net/memory-budget.ts). A
 * request that gets no memory is answered `rate_limited`.
 */
export function limitBodyMemory(app: FastifyInstance, { bytes = 256 * mebi, now = () => performance.now() }: BodyMemoryOptions = {}): void {
  const memory = new MemoryBudget({ bytes, shares: { address: 1 / 2, package: 1, upload: 1 }, now });
  app.addHook('preParsing', (request, reply, payload, done) => {
    const stated = request.headers['content-length'];
    if (stated !== undefined && Number(stated) <= smallBody && request.raw.httpVersionMajor === 1) return done(null, payload);
    const reservation = memory.reserve({ address: addressKeyOf(request.ip) }, () => void request.raw.destroy());
    const counted = new Transform({
      transform(piece: Buffer, _, next) {
        reservation.moved(piece.length);
        // The request is answered already: discard what is still received.
        if (reservation.isEnded) next();
        else if (reservation.take(piece.length)) next(null, piece);
        else next(new ApiError('rate_limited', { seconds: 1 }));
      },
    });
    // The consumer of the stream adds its own listener, only while it reads. Without this one, an error outside that
    // time would end the process.
    counted.on('error', () => {});
    payload.on('error', (error) => counted.destroy(error));
    reply.raw.once('close', () => {
      reservation.end();
      counted.resume();
    });
    done(null, payload.pipe(counted));
  });
}
