import { ApiError } from '#protocol/errors.ts';

/** Limits what one holder, and all together, do at once in this process. */
export interface Permits {
  /**
   * Acquires a permit; release it with the returned function. `within`: what else the permit counts for, such as the person whose
   * credential the holder is. `rate_limited` (429) when none is free in one of them.
   */
  acquire(holder: string, within?: readonly PermitShare[]): () => void;
}

export interface PermitShare {
  readonly name: string;
  /** Permits in use at once. */
  readonly most: number;
}

interface PermitLimits {
  readonly perHolder: number;
  readonly total: number;
}

const retrySeconds = 10;

export function createPermits({ perHolder, total }: PermitLimits): Permits {
  const held = new Map<string, number>();
  let inUse = 0;
  const count = (name: string): number => held.get(name) ?? 0;
  return {
    acquire(holder, within = []) {
      const shares = [{ name: holder, most: perHolder }, ...within];
      if (inUse >= total || shares.some(({ name, most }) => count(name) >= most))
        throw new ApiError('rate_limited', { seconds: retrySeconds });
      for (const { name } of shares) held.set(name, count(name) + 1);
      inUse += 1;
      let released = false;
      return () => {
        if (released) return;
        released = true;
        inUse -= 1;
        for (const { name } of shares) {
          const left = count(name) - 1;
          if (left === 0) held.delete(name);
          else held.set(name, left);
        }
      };
    },
  };
}
