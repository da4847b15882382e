import { backoffDelay } from '#client/backoff.ts';
import { remedyFor } from '#client/faults.ts';
import { ApiError } from '#protocol/errors.ts';
import type { Clock } from '../ports.ts';
import type { Activity } from './activity.ts';
import { type Alarm, createAlarm } from './alarm.ts';
import { asApiError } from './failures.ts';
import { createOutage, goneFrom, lookAgain, type Outage } from './outage.ts';

export interface Persistence {
  readonly activity: Activity;
  readonly sleep: Alarm['sleep'];
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Shared by all that is tried for one transfer. */
  readonly outage?: Outage;
}

export interface Attempts {
  /** Bytes moved since the last asking: the next pause is short again. */
  readonly moved?: () => boolean;
  /** A failure that usually passes, and here will not. */
  readonly hopeless?: (error: unknown) => boolean;
}

/**
 * Does the work until it is through, waiting in between with growing pauses and saying why. Throws what no
 * waiting can help against. It must bear being done again.
 */
export async function keepTrying<T>(persistence: Persistence, work: () => Promise<T>, attempts: Attempts = {}): Promise<T> {
  const { activity, sleep, clock, random, signal, outage = createOutage(createAlarm(clock)) } = persistence;
  let looks = false;
  const stopLooking = (): void => {
    if (looks) outage.over();
    looks = false;
  };
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    const end = activity.begin();
    try {
      const result = await work();
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
      const awake = activity.wait({ reason: reasonFor(error, pause), until });
      try {
        await (gone && pause !== null ? outage.sleep(pause, signal) : sleep(pause, signal));
      } catch (stopped) {
        stopLooking();
        throw stopped;
      } finally {
        awake();
      }
    } finally {
      end();
    }
  }
}

/** Milliseconds until the next attempt; `null`: when a person has done something; `never`. */
function pauseAfter(error: unknown, failures: number, random: () => number): number | null | 'never' {
  if (error instanceof ApiError && (error.error === 'session_is_nil' || error.error === 'session_expired')) return null;
  const remedy = remedyFor(error);
  switch (remedy.kind) {
    case 'again_after':
      return remedy.seconds * 1_000;
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

function reasonFor(error: unknown, pause: number | null): string {
  if (pause === null) return 'Nobody is signed in. Sign in, and it goes on by itself.';
  const seconds = Math.max(1, Math.round(pause / 1_000));
  return `${asApiError(error).message.replace(/[.\s]*$/, '')}; trying again in ${seconds} s.`;
}
