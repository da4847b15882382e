import type { ChokidarOptions, FSWatcher } from 'chokidar';
import { diskOf } from './disk-kind.ts';
import type { Watch, WatchOptions } from './port.ts';
import { createScanSchedule } from './scan-schedule.ts';

/** What it asks of the system. */
export interface WatchSources {
  readonly kindOf: typeof diskOf;
  readonly open: (root: string, options: ChokidarOptions) => Promise<FSWatcher>;
}

const ofThisMachine: WatchSources = {
  kindOf: diskOf,
  // Loaded here, since most programs watch nothing.
  open: async (root, options) => (await import('chokidar')).watch(root, options),
};

/**
 * Watches a folder with all that is in it. Events may be missed, doubled or come in any order, on every system: so they
 * only make a scan due, and the scan decides. A network drive reports what this machine does to it and not what others
 * do, so there scans come by the clock; also where the system has no more watches to give.
 */
export function watchFolder(root: string, options: WatchOptions, { kindOf, open } = ofThisMachine): Watch {
  const { onTrouble, rescanMs, pollMs, ignored } = options;
  const schedule = createScanSchedule(options);
  const { promise: ready, resolve } = Promise.withResolvers<'events' | 'polling'>();
  let watcher: FSWatcher | null = null;
  let closed = false;

  function poll(): void {
    if (!closed) schedule.begin(pollMs);
    resolve('polling');
  }

  async function begin(): Promise<void> {
    const { kind } = await kindOf(root);
    if (closed || kind === 'network') return poll();
    const opened = await open(root, { ignoreInitial: true, followSymlinks: false, ignorePermissionErrors: true, ignored });
    if (closed) return await opened.close();
    watcher = opened;
    opened.on('all', () => schedule.changed());
    opened.once('ready', () => {
      if (watcher !== opened) return;
      schedule.begin(rescanMs);
      resolve('events');
    });
    opened.on('error', (error) => {
      watcher = null;
      // It reports nothing more from now on.
      opened.close().catch(onTrouble);
      onTrouble(error as Error);
      poll();
    });
  }

  begin().catch((error: Error) => {
    onTrouble(error);
    poll();
  });
  return {
    ready,
    async close() {
      closed = true;
      schedule.end();
      const opened = watcher;
      watcher = null;
      await opened?.close();
      resolve('polling');
    },
  };
}
