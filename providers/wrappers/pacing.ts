import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { ProviderError } from '../errors.ts';
import type { CloudProvider } from '../ports.ts';
import { aroundCalls } from './around.ts';

export interface PacingOptions {
  /** Milliseconds between the beginnings of two calls while all is well. */
  readonly least: number;
  /** Milliseconds after the first refusal; doubled by each later one, up to `most`, halved by each success. */
  readonly first: number;
  readonly most: number;
  /** Milliseconds, never going back. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

const defaults: PacingOptions = {
  least: 0,
  first: 20,
  most: 10_000,
  now: () => performance.now(),
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
};

/**
 * Calls begin no faster than the provider likes: the interval between them grows when it asks for patience, and shrinks
 * while it answers. One pace for all transfers of a connection; put inside of `withRetry`, so that each attempt keeps it.
 */
export function withPacing(provider: CloudProvider, options: Partial<PacingOptions> = {}): CloudProvider {
  const { least, first, most, now, sleep } = { ...defaults, ...options };
  let interval = least;
  let nextStart = 0;

  return aroundCalls(provider, async ({ run, signal }) => {
    const start = Math.max(now(), nextStart);
    nextStart = start + interval;
    const delay = start - now();
    if (delay > 0) {
      await sleep(delay, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error;
      });
    }
    try {
      const answer = await run();
      interval = interval / 2 < Math.max(least, 1) ? least : interval / 2;
      return answer;
    } catch (error) {
      if (error instanceof ProviderError && error.code === 'busy') {
        interval = Math.min(Math.max(interval * 2, first), most);
        // What it asks of one it asks of all.
        nextStart = Math.max(nextStart, now() + Math.max(interval, error.retryAfter));
      }
      throw error;
    }
  });
}
