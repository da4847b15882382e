import type { Fetcher } from '#client/ports.ts';
import type { StreamFetcher } from '../../io/fetchers.ts';
import { batchesInProgress, farRoundTripMs } from './limits.ts';

/** The calls of one transfer, as far as they tell how far away the service is. */
interface RoundTrips {
  /** Make the calls. */
  readonly fetcher: Fetcher;
  readonly stream: StreamFetcher;
  /** Of the quickest call, in milliseconds; `null` before the first answer. */
  leastMs(): number | null;
  /** How many batches of small files may be in progress by now. */
  batches(): number;
}

/** Of all calls the quickest one counts: others wait for the service's work, or for a connection. Of a stream its first piece does. */
export function createRoundTrips({ fetcher, stream }: Pick<RoundTrips, 'fetcher' | 'stream'>, now: () => number): RoundTrips {
  let leastMs: number | null = null;
  const saw = (ms: number): void => {
    leastMs = Math.min(leastMs ?? ms, ms);
  };
  return {
    async fetcher(request) {
      const began = now();
      const reply = await fetcher(request);
      saw(now() - began);
      return reply;
    },
    stream(request, take) {
      const began = now();
      let isFirst = true;
      return stream(request, (piece, contentLength) => {
        if (isFirst) saw(now() - began);
        isFirst = false;
        return take(piece, contentLength);
      });
    },
    leastMs: () => leastMs,
    batches: () => ((leastMs ?? 0) >= farRoundTripMs ? batchesInProgress.far : batchesInProgress.near),
  };
}
