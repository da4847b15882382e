import type { ApiDelay } from './api-delay.ts';
import type { ApiWatch } from './api-watch.ts';
import type { ApiReport } from './next-share.ts';

const windowMilliseconds = 1_000;
/** Between two windows while nothing is transferred, for the delay at rest. */
const restMilliseconds = 10_000;
/** Of these the least counts, as for LEDBAT (RFC 6817): what callers wait for when nothing else goes on either. */
const restWindows = 9;

/** Watches the API of this process: each second while it is busy, else a second in eleven, so that the delay at rest is known. */
export function watchDelay(api: ApiDelay): ApiWatch {
  const delaysAtRest: number[] = [];
  let tell: ((reports: readonly ApiReport[]) => void) | null = null;
  let isBusy = false;
  let timer: NodeJS.Timeout | undefined;

  const after = (milliseconds: number, next: () => void): void => {
    timer = setTimeout(next, milliseconds);
    timer.unref();
  };
  const delayAtRest = (): number | null => (delaysAtRest.length === 0 ? null : Math.min(...delaysAtRest));

  function watchWork(): void {
    api.begin();
    after(windowMilliseconds, () => {
      tell?.([{ window: api.end(), rest: delayAtRest() }]);
      watchWork();
    });
  }

  function watchRest(): void {
    after(restMilliseconds, () => {
      api.begin();
      after(windowMilliseconds, () => {
        const window = api.end();
        delaysAtRest.push(window.delay);
        if (delaysAtRest.length > restWindows) delaysAtRest.shift();
        tell?.([{ window, rest: delayAtRest() }]);
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
    start(teller) {
      tell = teller;
      begin();
    },
    stop() {
      tell = null;
      end();
    },
    setBusy(next) {
      if (next === isBusy) return;
      isBusy = next;
      if (!tell) return;
      end();
      begin();
    },
    calls: api.calls,
  };
}
