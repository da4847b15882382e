import type { Server } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type ApiWindow, fewCalls } from './next-share.ts';

/** Watches how late the event loop of this process is, and how many calls come. */
export interface ApiDelay {
  /** Of the last second, up to `fewCalls`. */
  calls(): number;
  begin(): void;
  /** What was since `begin`, about a second ago. Nothing is watched any more, since each look wakes the process. */
  end(): ApiWindow;
}

/** Milliseconds between two looks. */
const resolution = 5;
const percentile = 95;

/** `server` answers the API. */
export function watchApi(server: Pick<Server, 'on'>, now: () => number = () => performance.now()): ApiDelay {
  const looks = monitorEventLoopDelay({ resolution });
  /** When the last calls came, in milliseconds; the oldest is overwritten. */
  const times = new Float64Array(fewCalls).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  server.on('request', () => {
    times[next] = now();
    next = (next + 1) % fewCalls;
  });
  const calls = (): number => {
    const since = now() - 1_000;
    return times.reduce((count, time) => count + (time > since ? 1 : 0), 0);
  };
  return {
    calls,
    begin() {
      looks.reset();
      looks.enable();
    },
    end() {
      looks.disable();
      // A loop that stood still for the whole window has had no look: no call was answered either.
      const delay = looks.count === 0 ? Number.POSITIVE_INFINITY : Math.max(0, looks.percentile(percentile) / 1e6 - resolution);
      return { delay, calls: calls() };
    },
  };
}
