import type { Clock } from '../ports.ts';
import type { Pause } from './states.ts';

/**
 * A pause as it stands at `now`, or `null` when it is over. A clock that was put back must not make a pause
 * longer than was asked for: where that shows (it is earlier than at the last look, or than when the pause
 * began), the pause moves back with it. `lastLook` is `null` after a restart.
 */
export function pauseAt(pause: Pause, now: number, lastLook: number | null): Pause | null {
  const shift = lastLook !== null && now < lastLook ? now - lastLook : Math.min(0, now - pause.since);
  const since = pause.since + shift;
  const until = pause.until === null ? null : pause.until + shift;
  if (until !== null && until <= now) return null;
  return shift === 0 ? pause : { since, until };
}

export interface PausesPorts {
  readonly clock: Clock;
  /** Looks at every pause that there is, and gives those that stand after it. */
  readonly settle: (now: number, lastLook: number | null) => readonly Pause[];
}

/** Ends pauses when their time has come, by the clock on the wall. */
export interface Pauses {
  /** Looks at once, and again by itself as long as something is paused for a time. */
  look(): void;
  close(): void;
}

/** Milliseconds. Timers do not see a clock that is put forward, nor a machine that slept: so it looks this often. */
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
