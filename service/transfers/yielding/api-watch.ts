import type { ApiReport } from './next-share.ts';

/** Tells how late the API is: that of this process (delay-watch.ts), or of all on this machine (reports-watch.ts). */
export interface ApiWatch {
  /** `tell` is called about once a second while it is busy, and seldom otherwise. */
  start(tell: (reports: readonly ApiReport[]) => void): void;
  stop(): void;
  /** Whether anything is transferred. */
  setBusy(isBusy: boolean): void;
  /** Of the last second, or the last that is known of, up to `fewCalls`. */
  calls(): number;
}
