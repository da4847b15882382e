import type { Clock } from '../ports.ts';
import type { Pause } from './state-machine.ts';

/**
 * A pause as of `now`, or `null` when it is over. A clock that was set back must not make a pause longer than
 * requested: if that is visible (the time is earlier than at the last check, or than the start of the pause), the pause
 * is moved back by the same amount. `lastLook` is `null` after a restart.
 */
export function pauseAt(pause: Pause, now: number, lastLook: number | null): Pause | null {
  const shift = lastLook !== null && now < lastLook ? now - lastLook : Math.min(0, now - pause.since);
  const since = pause.since + shift;
  const until = pause.until === null ? null : pause.until + shift;
  if (until !== null && until <= now) return null;
  return shift === 0 ? pause : { since, until };
}

interface PausesPorts {
  readonly clock: Clock;
  /** Checks every pause, and returns those that remain. */
  readonly settle: (now: number, lastLook: number | null) => readonly Pause[];
}

/** Ends pauses when their time is over, by the wall clock. */
export interface Pauses {
  /** Checks now, and again while anything is paused for a limited time. */
  look(): void;
  close(): void;
}

/** Milliseconds between checks. Timers do not notice a clock that was set forward, nor a machine that slept. */
const longestSleep = 30_000;

export function createPauses({ clock, settle }: PausesPorts): Pauses {
  let lastLook: number | null = null;
  let cancel: (() => void) | null = null;

  const look = (): void => {
    cancel?.();
    cancel = null;
    const now = clock.now();
    const ends = settle(now, lastLook).flatMap(({ until }) => (until === null ? [] : [until]));
    lastLook = ends.length > 0 ? now : null;
    if (ends.length > 0) cancel = clock.after(Math.min(longestSleep, Math.max(1, Math.min(...ends) - now)), look);
  };

  return {
    look,
    close() {
      cancel?.();
      cancel = null;
    },
  };
}
