import { refusesRequest } from './faults.ts';
import type { Gate } from './ports.ts';

/** Shared by batch requests for many small files: uploads (`batch-put.ts`) and downloads (`batch-get.ts`). */

export interface BatchRequestPorts {
  /** Concurrency limit, shared with the requests for larger files. */
  readonly gate: Gate;
  /** The storage's address for batch requests. */
  readonly url: string;
  readonly signal: AbortSignal;
}

/** Estimated bytes for one item's address in the request. */
export const addressBytes = 512;

/**
 * A proxy may block all batch requests. Then the limit matters: each refusal means that all files are transferred a
 * second time.
 */
const maxRefusals = 3;

/** The batch requests of one transfer. They share one count of refusals. */
interface CircuitBreaker {
  /** False after too many refusals in a row: no more batch requests are made. */
  readonly allowed: boolean;
  /** `null`: the request was refused as a whole, is not made any more, or had no result. Other failures are thrown. */
  attempt<T>(request: () => Promise<T | null>): Promise<T | null>;
}

/** Errors of a single file do not count: they are reported for that file. */
export function createCircuitBreaker(): CircuitBreaker {
  let refusals = 0;
  return {
    get allowed() {
      return refusals < maxRefusals;
    },
    async attempt(request) {
      if (refusals >= maxRefusals) return null;
      try {
        const result = await request();
        if (result !== null) refusals = 0;
        return result;
      } catch (error) {
        if (!refusesRequest(error)) throw error;
        refusals++;
        return null;
      }
    },
  };
}
