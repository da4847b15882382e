import { ApiError } from '#protocol/errors.ts';
import { createFixedWindows } from './fixed-window.ts';
import type { SharedBuckets } from './shared-buckets.ts';

/** Counts one request of a key, such as an address. `rate_limited` (429) when there were too many within a minute. */
export type CountStrictly = (key: string) => Promise<void>;

/** Makes such a limit. `kind` names what is counted: limits of one kind and key are one. */
export type StrictWindows = (kind: string, max: number) => CountStrictly;

const minute = 60_000;

interface StrictWindowParts {
  /** Shared by all processes of the database; null where there is one process only. */
  readonly shared: Pick<SharedBuckets, 'takeEach'> | null;
  /** The count failed: the request is counted in this process alone. */
  readonly failed: (error: unknown) => void;
  readonly now?: () => number;
}

/**
 * For what is rare and worth guessing at: sign-ins, opened links, refused credentials. Each process counts by itself first, so
 * that nobody causes more than `max` statements a minute; what passes there is counted for all together.
 */
export function createStrictWindows({ shared, failed, now = Date.now }: StrictWindowParts): StrictWindows {
  return (kind, max) => {
    const countHere = createFixedWindows(max, minute, now);
    const millisecondsEach = Math.ceil(minute / max);
    return async (key) => {
      const seconds = countHere(key);
      if (seconds > 0) throw new ApiError('rate_limited', { seconds });
      if (shared === null) return;
      const name = `${kind} ${key}`;
      const taken = await shared.takeEach([{ name, max, millisecondsEach, slotKind: kind }]).catch((error: unknown) => {
        failed(error);
        return null;
      });
      if (taken && !taken.has(name)) throw new ApiError('rate_limited', { seconds: Math.ceil(millisecondsEach / 1_000) });
    };
  };
}
