import { type Readable, Transform } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { CloudProvider } from '../ports.ts';
import { aroundCalls } from './around.ts';

export interface SpeedLimit {
  /** Bytes a second over all that share the limit; 0 is unlimited. */
  bytesPerSecond(): number;
  readonly now?: () => number;
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

/** How far bytes may run ahead of the limit, in milliseconds: one wait for many small pieces. */
const burst = 50;

/** Bytes of parts that are sent and of ranges that are read pass no faster than the limit. */
export function withSpeedLimit(provider: CloudProvider, { bytesPerSecond, now = Date.now, sleep = wait }: SpeedLimit): CloudProvider {
  let freeAt = 0;
  const limited = (source: Readable): Readable => {
    const limiter = new Transform({
      transform(bytes: Buffer, _encoding, done) {
        const rate = bytesPerSecond();
        if (rate <= 0) return done(null, bytes);
        freeAt = Math.max(freeAt, now()) + (bytes.length / rate) * 1000;
        const delay = freeAt - now();
        if (delay <= burst) done(null, bytes);
        else void sleep(delay).then(() => done(null, bytes));
      },
      destroy(error, done) {
        source.destroy();
        done(error);
      },
    });
    source.once('error', (error) => limiter.destroy(error));
    return source.pipe(limiter);
  };
  return {
    ...aroundCalls(provider, ({ run }) => run()),
    // Without the bytes in memory, which would pass the limit by.
    putPart: ({ open, pieces: _, ...part }, signal) => provider.putPart({ ...part, open: (from) => limited(open(from)) }, signal),
    openRange: async (request, signal) => limited(await provider.openRange(request, signal)),
  };
}
