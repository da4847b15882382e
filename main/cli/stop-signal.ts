import { endProcessAfter } from '#filesystem/end-process-after.ts';
import { stopMs } from '../stop-limit.ts';
import { stopRequest } from './signals.ts';

/**
 * Stops a command: `signal` is aborted on a stop request. What has not ended 9 s later waits for something that does not answer, and
 * its process is ended as it is.
 *
 * @param name of what is stopped, for a person
 * @param silent what most likely does not answer then
 */
export function stopSignal(name: string, silent: string): { readonly signal: AbortSignal; release(): void } {
  const stop = stopRequest();
  const abort = new AbortController();
  let takeBack: (() => void) | null = null;
  void stop.asked.then(() => {
    const late = `${name} has not stopped within ${stopMs / 1_000} s, most likely because ${silent} does not answer`;
    takeBack = endProcessAfter(stopMs, `${late}. Its process is ended as it is.`);
    abort.abort();
  });
  return {
    signal: abort.signal,
    release() {
      stop.release();
      takeBack?.();
    },
  };
}
