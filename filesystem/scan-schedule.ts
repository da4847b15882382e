import type { WatchOptions } from './port.ts';

/** Says when a scan is due: after events, and by the clock. */
export interface ScanSchedule {
  /** Something may have changed. */
  changed(): void;
  /** A scan is due at once; from now on also after each `everyMs` without one. */
  begin(everyMs: number): void;
  end(): void;
}

type ScheduleOptions = Pick<WatchOptions, 'onScanDue' | 'settleMs' | 'maximumDelayMs' | 'clock'>;

/**
 * Many events become one scan, once nothing has changed for `settleMs`, and after `maximumDelayMs` even if changes never
 * stop, so that a log that grows does not keep all else waiting.
 */
export function createScanSchedule({ onScanDue, settleMs, maximumDelayMs, clock }: ScheduleOptions): ScanSchedule {
  const none = (): void => {};
  let everyMs: number | null = null;
  let cancelSettle = none;
  let cancelMaximum = none;
  let cancelNext = none;
  let waiting = false;

  function cancel(): void {
    cancelSettle();
    cancelMaximum();
    cancelNext();
    waiting = false;
  }

  function due(): void {
    cancel();
    if (everyMs === null) return;
    cancelNext = clock.after(everyMs, due);
    onScanDue();
  }

  return {
    changed() {
      // What changed before the first scan is found by it.
      if (everyMs === null) return;
      cancelSettle();
      cancelSettle = clock.after(settleMs, due);
      if (waiting) return;
      waiting = true;
      cancelMaximum = clock.after(maximumDelayMs, due);
    },
    begin(every) {
      everyMs = every;
      due();
    },
    end() {
      everyMs = null;
      cancel();
    },
  };
}
