import { ApiError } from '#protocol/errors.ts';

/** Limits concurrent streams. */
export interface Places {
  /** Acquires a permit; release it with the returned function. `rate_limited` (429) when none is free. */
  take(holder: string): () => void;
}

export interface PlaceLimits {
  readonly perHolder: number;
  readonly inAll: number;
}

export const usualPlaces: PlaceLimits = { perHolder: 10, inAll: 2_000 };
const retrySeconds = 10;

export function createPlaces({ perHolder, inAll }: PlaceLimits = usualPlaces): Places {
  const held = new Map<string, number>();
  let all = 0;
  return {
    take(holder) {
      const own = held.get(holder) ?? 0;
      if (own >= perHolder || all >= inAll) throw new ApiError('rate_limited', { seconds: retrySeconds });
      held.set(holder, own + 1);
      all += 1;
      let given = false;
      return () => {
        if (given) return;
        given = true;
        all -= 1;
        const left = held.get(holder)! - 1;
        if (left === 0) held.delete(holder);
        else held.set(holder, left);
      };
    },
  };
}
