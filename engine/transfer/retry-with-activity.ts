import { remedyFor, waitsForSignIn } from '#client/faults.ts';
import { troubleOf } from '#client/retries.ts';
import { backoffFor, retryUntilDone } from '#client/retry-until-done.ts';
import type { Clock } from '../ports.ts';
import type { Activity } from './activity.ts';
import { adviceFor, asApiError } from './failures.ts';
import { createOutage, goneFrom, type Outage, probeDelay } from './outage.ts';
import { createWaker, type Waker } from './waker.ts';

export interface ActivityRetry {
  readonly activity: Activity;
  readonly sleep: Waker['sleep'];
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Shared by all retries of one transfer. */
  readonly outage?: Outage;
}

export interface RetryOptions {
  /** Whether bytes moved since the last call: if so, the backoff starts again from its shortest pause. */
  readonly moved?: () => boolean;
  /** Whether this failure is permanent here, although it is usually temporary. */
  readonly isPermanent?: (error: unknown) => boolean;
}

/**
 * Retries the work with growing backoff until it succeeds, and reports the reason while it waits. Throws errors that no
 * waiting can help. The work must be idempotent.
 */
export async function retryWithActivity<T>(retry: ActivityRetry, work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { activity, sleep, clock, random, signal, outage = createOutage(createWaker(clock)) } = retry;
  signal.throwIfAborted();
  let probes = false;
  const stopProbing = (): void => {
    if (probes) outage.over();
    probes = false;
  };
  const trouble = troubleOf({ trouble: troubleIn(activity) });
  const end = activity.begin();
  try {
    return await retryUntilDone(() => work().finally(trouble.over), {
      signal,
      ...(options.moved && { moved: options.moved }),
      pauseAfter(error, failures) {
        const gone = goneFrom(error);
        if (gone) probes ||= outage.volunteer(gone);
        else stopProbing();
        const pause = options.isPermanent?.(error) ? 'never' : pauseAfter(error, failures, random);
        return probes && pause !== 'never' ? probeDelay(failures, random) : pause;
      },
      async wait(pause, error) {
        const until = pause === null ? null : clock.now() + pause;
        const awake = activity.wait({ reason: reasonFor(error, pause), until, advice: adviceFor(error) });
        try {
          await (goneFrom(error) && pause !== null ? outage.sleep(pause, signal) : sleep(pause, signal));
        } finally {
          awake();
        }
        // This is shown as the reason until the next attempt has moved bytes. Of many files that look for their drive in
        // turn, one always does: what is asked of a person would be gone as long.
        const { kind } = remedyFor(error);
        if (kind === 'retry_soon' || (kind === 'needs_person' && pause !== null)) trouble.met(error);
      },
    });
  } finally {
    stopProbing();
    trouble.over();
    end();
  }
}

/** Shows the failure that is being retried as the reason why nothing moves. */
export const troubleIn =
  (activity: Activity) =>
  (error: unknown): (() => void) =>
    activity.trouble({ reason: asApiError(error).message, until: null, advice: adviceFor(error) });

/** Milliseconds until the next attempt; `null`: after somebody has signed in; `never`. */
function pauseAfter(error: unknown, failures: number, random: () => number): number | null | 'never' {
  if (waitsForSignIn(error)) return null;
  const remedy = remedyFor(error);
  if (remedy.kind === 'needs_person' && remedy.recheckSeconds !== null) return remedy.recheckSeconds * 1_000;
  return backoffFor(remedy, failures, random) ?? 'never';
}

/** Why it waits, as a sentence. `pause` in milliseconds; `null` if it waits for a person to sign in. */
export function reasonFor(error: unknown, pause: number | null): string {
  if (pause === null) return 'Nobody is signed in. Sign in, and it goes on by itself.';
  const seconds = Math.max(1, Math.round(pause / 1_000));
  return `${asApiError(error).message.replace(/[.\s]*$/, '')}; trying again in ${seconds} s.`;
}
