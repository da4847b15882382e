import type { Fetcher } from '#client/ports.ts';
import { batchesInProgress, farRoundTripMs } from './limits.ts';

/** The calls of one transfer, as far as they tell how far away the service is. */
interface RoundTrips {
  /** Makes the calls. */
  readonly fetcher: Fetcher;
  /** How many batches of small files may be in progress by now. */
  batches(): number;
}

/** Of all calls the quickest one counts: others wait for the service's work, or for a connection. */
export function createRoundTrips(fetcher: Fetcher, now: () => number): RoundTrips {
  let leastMs = Number.POSITIVE_INFINITY;
  return {
    async fetcher(request) {
      const began = now();
      const reply = await fetcher(request);
      leastMs = Math.min(leastMs, now() - began);
      return reply;
    },
    batches: () => (leastMs >= farRoundTripMs && leastMs < Number.POSITIVE_INFINITY ? batchesInProgress.far : batchesInProgress.near),
  };
}
