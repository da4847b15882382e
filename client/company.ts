import { MoveError, type MoveErrorCode } from './errors.ts';
import type { Gate } from './ports.ts';

/** What requests for many small files have in common, up (`many-sender.ts`) and down (`many-fetcher.ts`). */

export interface RequestPorts {
  /** Requests share it with those of larger files. */
  readonly gate: Gate;
  /** Where the storage takes, or gives, many in one request. */
  readonly url: string;
  readonly signal: AbortSignal;
}

/** How those that come one by one find each other. */
export interface CompanyRules {
  /** Resolves when one has waited for others long enough. */
  readonly pause: () => Promise<void>;
  /** Full requests under way at once; 1 unless said. */
  readonly atOnce?: number;
  /** Fewer than this go alone; 1 unless said. */
  readonly least?: number;
}

/** Bytes that the address of one stands for. */
export const addressBytes = 512;

/** Somebody on the way who lets no such request through is not asked for ever: each time all of it goes twice. */
const refusalsAtMost = 3;

/** The requests of one transfer: whoever makes them, those that are refused are counted together. */
export interface Refusable {
  /** False: too many were refused, one after the other, and none is made any more. */
  readonly allowed: boolean;
  /** `null`: it was refused as a whole, or is not made any more, or came to nothing itself. Other failures are thrown. */
  attempt<T>(request: () => Promise<T | null>): Promise<T | null>;
}

/** @param ofTheRequest what is not wrong with one file: that is answered for by itself */
export function createRefusable(ofTheRequest: ReadonlySet<MoveErrorCode>): Refusable {
  let refusals = 0;
  return {
    get allowed() {
      return refusals < refusalsAtMost;
    },
    async attempt(request) {
      if (refusals >= refusalsAtMost) return null;
      try {
        const result = await request();
        if (result !== null) refusals = 0;
        return result;
      } catch (error) {
        if (!(error instanceof MoveError && ofTheRequest.has(error.code))) throw error;
        refusals++;
        return null;
      }
    },
  };
}
