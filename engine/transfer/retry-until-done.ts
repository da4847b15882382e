import { backoffDelay } from '#client/backoff.ts';
import { remedyFor } from '#client/faults.ts';
import { troubleOf } from '#client/retries.ts';
import { ApiError } from '#protocol/errors.ts';
import type { Clock } from '../ports.ts';
import type { Activity } from './activity.ts';
import { adviceFor, asApiError } from './failures.ts';
import { createOutage, goneFrom, lookAgain, type Outage } from './outage.ts';
import { createWaker, type Waker } from './waker.ts';

export interface Persistence {
  readonly activity: Activity;
  readonly sleep: Waker['sleep'];
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Shared by all retries of one transfer. */
  readonly outage?: Outage;
}

export interface Attempts {
  /** Whether bytes moved since the last call: if so, the backoff starts again from its shortest pause. */
  readonly moved?: () => boolean;
  /** Whether this failure is permanent here, although it is usually temporary. */
  readonly hopeless?: (error: unknown) => boolean;
}

/**
 * Retries the work with growing backoff until it succeeds, and reports the reason while it waits. Throws errors that no
 * waiting can help. The work must be idempotent.
 */
export async function keepTrying<T>(persistence: Persistence, work: () => Promise<T>, attempts: Attempts = {}): Promise<T> {
  const { activity, sleep, clock, random, signal, outage = createOutage(createWaker(clock)) } = persistence;
  let looks = false;
  const stopLooking = (): void => {
    if (looks) outage.over();
    looks = false;
  };
  const trouble = troubleOf({ trouble: troubleIn(activity) });
  try {
    for (let failures = 1; ; failures++) {
      signal.throwIfAborted();
      const end = activity.begin();
      try {
        const result = await work().finally(trouble.over);
        stopLooking();
        return result;
      } catch (error) {
        const gone = signal.aborted ? null : goneFrom(error);
        if (gone) looks ||= outage.volunteer(gone);
        else stopLooking();
        signal.throwIfAborted();
        if (attempts.moved?.()) failures = 1;
        let pause = attempts.hopeless?.(error) ? 'never' : pauseAfter(error, failures, random);
        if (pause === 'never') {
          stopLooking();
          throw error;
        }
        if (looks) pause = lookAgain(failures, random);
        const until = pause === null ? null : clock.now() + pause;
        const awake = activity.wait({ reason: reasonFor(error, pause), until, advice: adviceFor(error) });
        try {
          await (gone && pause !== null ? outage.sleep(pause, signal) : sleep(pause, signal));
        } catch (stopped) {
          stopLooking();
          throw stopped;
        } finally {
          awake();
        }
        // This is shown as the reason until the next attempt has moved bytes.
        if (remedyFor(error).kind === 'again_soon') trouble.met(error);
      } finally {
        end();
      }
    }
  } finally {
    trouble.over();
  }
}

/** Shows the failure that is being retried as the reason why nothing moves. */
export const troubleIn =
  (activity: Activity) =>
  (error: unknown): (() => void) =>
    activity.trouble({ reason: asApiError(error).message, until: null, advice: adviceFor(error) });

/** Milliseconds until the next attempt; `null`: after a person has acted; `never`. */
function pauseAfter(error: unknown, failures: number, random: () => number): number | null | 'never' {
  if (error instanceof ApiError && (error.error === 'session_is_nil' || error.error === 'session_expired')) return null;
  const remedy = remedyFor(error);
  switch (remedy.kind) {
    case 'again_after':
      return grown(remedy, failures, random) * 1_000;
    case 'again_soon':
    case 'new_blueprints':
    case 'restart_chunk':
    case 'restart_file':
      return backoffDelay(failures, random);
    case 'needs_person':
      return remedy.lookAgain === null ? 'never' : remedy.lookAgain * 1_000;
    case 'never':
      return 'never';
  }
}

/**
 * Backoff with jitter: never sooner than asked; later pauses are shortened by up to half of their growth, so that many
 * clients do not return at once.
 */
function grown({ seconds, growsTo = seconds }: { seconds: number; growsTo?: number }, failures: number, random: () => number): number {
  const doubled = Math.max(seconds, Math.min(growsTo, seconds * 2 ** Math.min(failures - 1, 30)));
  return doubled - ((doubled - seconds) * random()) / 2;
}

/** Why it waits, as a sentence. `pause` in milliseconds; `null` if it waits for a person to sign in. */
export function reasonFor(error: unknown, pause: number | null): string {
  if (pause === null) return 'Nobody is signed in. Sign in, and it goes on by itself.';
  const seconds = Math.max(1, Math.round(pause / 1_000));
  return `${asApiError(error).message.replace(/[.\s]*$/, '')}; trying again in ${seconds} s.`;
}
