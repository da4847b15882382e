import type { Log } from '../../log.ts';
import type { ApiDelay } from './api-delay.ts';
import { watchDelay } from './delay-watch.ts';
import type { ReportsFolder } from './reports-folder.ts';

const lookMilliseconds = 1_000;
/** A process with transfers says so once a second; who has not for this long has none. */
const freshMilliseconds = 5_000;
/** A loop that stood still has no delay that JSON could tell. */
const longest = 1e9;

/**
 * Tells the workers on this machine how late the API of this process is: each second while one of them has transfers under way,
 * else every eleven.
 */
export function reportApi(api: ApiDelay, folder: ReportsFolder, log: Log): { stop(): Promise<void> } {
  const watch = watchDelay(api);
  let last: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  watch.start(([report]) => {
    const { window, rest } = report!;
    const facts = { window: { ...window!, delay: Math.min(longest, window!.delay) }, rest: rest === null ? null : Math.min(longest, rest) };
    last = folder.tell('api', facts).catch((error: unknown) => {
      log.warn({ err: error, onceAMinute: 'reports' }, 'workers cannot be told how late the API is, so their transfers do not yield to it');
    });
  });

  const look = async (): Promise<void> => {
    const told = await folder.read('transfers');
    if (!isStopped) watch.setBusy(told.some(({ age }) => age <= freshMilliseconds));
  };
  const timer = setInterval(() => void look(), lookMilliseconds);
  timer.unref();
  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      watch.stop();
      await last;
      await folder.forget('api');
    },
  };
}
