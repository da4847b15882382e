import type { Server } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ApiWindow } from './next-share.ts';

/** Watches how late the event loop of this process is, and how many calls come, window by window. */
export interface ApiDelay {
  begin(): void;
  /** What was since `begin`. Nothing is watched any more, since each look wakes the process. */
  end(): ApiWindow;
}

/** Milliseconds between two looks. */
const resolution = 5;
const percentile = 95;

/** `server` answers the API. */
export function watchApi(server: Pick<Server, 'on'>): ApiDelay {
  const looks = monitorEventLoopDelay({ resolution });
  let calls = 0;
  server.on('request', () => {
    calls += 1;
  });
  return {
    begin() {
      calls = 0;
      looks.reset();
      looks.enable();
    },
    end() {
      looks.disable();
      // A loop that stood still for the whole window has had no look: no call was answered either.
      const delay = looks.count === 0 ? Number.POSITIVE_INFINITY : Math.max(0, looks.percentile(percentile) / 1e6 - resolution);
      return { delay, calls };
    },
  };
}
