import { createSyncWhenFast, type SlowDiskRule, type SyncWhenFast } from './sync-when-fast.ts';

/**
 * A flush by another thread costs some 30 µs more than a synchronous one. On a slow disk four threads are faster than
 * one, and a synchronous flush would block all other work. So at most a fiftieth of the time is spent on testing the
 * disk.
 */
const slowFsync: SlowDiskRule = { slowMs: 0.5, share: 1 / 128, restMs: 1_000, restTimes: 50 };

const clock = (): number => performance.now();

/** For flushes. Counting context switches would take a tenth of a flush, so all elapsed time counts as waiting. */
export const createSyncFsync = (): SyncWhenFast => createSyncWhenFast({ clock, waits: clock }, slowFsync);
