import type { Clock } from '#engine/ports.ts';

/** A clock that stands still until it is moved; what falls due then is called in order. */
export interface FakeClock extends Clock {
  advance(milliseconds: number): void;
  /** Timers that wait. */
  readonly pending: number;
}

export function createFakeClock(start = Date.UTC(2026, 10, 20)): FakeClock {
  let now = start;
  const timers = new Set<{ readonly at: number; readonly call: () => void }>();
  return {
    now: () => now,
    after(milliseconds, call) {
      const timer = { at: now + milliseconds, call };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const due = [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        timers.delete(due);
        now = Math.max(now, due.at);
        due.call();
      }
      now = end;
    },
    get pending() {
      return timers.size;
    },
  };
}
