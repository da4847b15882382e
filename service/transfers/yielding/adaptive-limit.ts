import type { ApiWatch } from './api-watch.ts';
import { firstShare, nextShareBeside } from './next-share.ts';

export interface AdaptiveLimit {
  start(): void;
  stop(): void;
  /** So many transfers are under way now. */
  running(transfers: number): void;
  /** Of the parts' memory, from 0 to 1: what transfers may use now. */
  share(): number;
}

/**
 * Adapts what transfers may have under way to how late the API is, once a second while there are any, and tells each change.
 * Without transfers it is all.
 */
export function createAdaptiveLimit(api: ApiWatch, changed: (share: number) => void): AdaptiveLimit {
  let share = 1;
  let isBusy = false;

  function set(next: number): void {
    if (next === share) return;
    share = next;
    changed(share);
  }

  return {
    start: () =>
      api.start((reports) => {
        if (isBusy) set(nextShareBeside(share, reports));
      }),
    stop: api.stop,
    running(transfers) {
      if (transfers > 0 === isBusy) return;
      isBusy = transfers > 0;
      set(isBusy ? firstShare(api.calls()) : 1);
      api.setBusy(isBusy);
    },
    share: () => share,
  };
}
