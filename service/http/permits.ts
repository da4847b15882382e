import { ApiError } from '#protocol/errors.ts';

/** Limits what one holder, and all together, do at once in this process. */
export interface Permits {
  /** Acquires a permit; release it with the returned function. `rate_limited` (429) when none is free. */
  acquire(holder: string): () => void;
}

interface PermitLimits {
  readonly perHolder: number;
  readonly total: number;
}

const retrySeconds = 10;

export function createPermits({ perHolder, total }: PermitLimits): Permits {
  const held = new Map<string, number>();
  let inUse = 0;
  return {
    acquire(holder) {
      const ofHolder = held.get(holder) ?? 0;
      if (ofHolder >= perHolder || inUse >= total) throw new ApiError('rate_limited', { seconds: retrySeconds });
      held.set(holder, ofHolder + 1);
      inUse += 1;
      let released = false;
      return () => {
        if (released) return;
        released = true;
        inUse -= 1;
        const left = held.get(holder)! - 1;
        if (left === 0) held.delete(holder);
        else held.set(holder, left);
      };
    },
  };
}
