import type { ApiDelay } from './api-delay.ts';
import { firstShare, nextShare } from './next-share.ts';

export interface AdaptiveLimit {
  start(): void;
  stop(): void;
  /** So many transfers are under way now. */
  running(transfers: number): void;
  /** Of the parts' memory, from 0 to 1: what transfers may use now. */
  share(): number;
}

const windowMilliseconds = 1_000;
/** Between two windows while nothing is transferred, for the delay at rest. */
const restMilliseconds = 10_000;
/** Of these the least counts, as for LEDBAT (RFC 6817): what callers wait for when nothing else goes on either. */
const restWindows = 9;

/**
 * Adapts what transfers may have under way to how late the API is, once a second while there are any, and tells each change.
 * Without transfers it is all.
 */
export function createAdaptiveLimit(api: ApiDelay, changed: (share: number) => void): AdaptiveLimit {
  const delaysAtRest: number[] = [];
  let share = 1;
  let isStarted = false;
  let isBusy = false;
  let timer: NodeJS.Timeout | undefined;

  const after = (milliseconds: number, next: () => void): void => {
    timer = setTimeout(next, milliseconds);
    timer.unref();
  };

  function set(next: number): void {
    if (next === share) return;
    share = next;
    changed(share);
  }

  const delayAtRest = (): number | null => (delaysAtRest.length === 0 ? null : Math.min(...delaysAtRest));

  function watchWork(): void {
    api.begin();
    after(windowMilliseconds, () => {
      set(nextShare(share, api.end(), delayAtRest()));
      watchWork();
    });
  }

  function watchRest(): void {
    after(restMilliseconds, () => {
      api.begin();
      after(windowMilliseconds, () => {
        delaysAtRest.push(api.end().delay);
        if (delaysAtRest.length > restWindows) delaysAtRest.shift();
        watchRest();
      });
    });
  }

  function begin(): void {
    if (isBusy) watchWork();
    else watchRest();
  }

  function end(): void {
    clearTimeout(timer);
    api.end();
  }

  return {
    start() {
      isStarted = true;
      begin();
    },
    stop() {
      isStarted = false;
      end();
    },
    running(transfers) {
      if (transfers > 0 === isBusy) return;
      isBusy = transfers > 0;
      set(isBusy ? firstShare(api.calls()) : 1);
      if (!isStarted) return;
      end();
      begin();
    },
    share: () => share,
  };
}
