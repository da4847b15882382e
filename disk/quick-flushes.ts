import { type AtOnce, createAtOnce, type Patience } from './at-once.ts';

/**
 * A flush by another thread costs some 30 µs more than one at once. Where the disk has to be waited for, four threads are
 * quicker than one, and waiting here would hold up all else: so that is found out for a fiftieth of the time at most.
 */
const patience: Patience = { slowMs: 0.5, share: 1 / 128, restMs: 1_000, restTimes: 50 };

const clock = (): number => performance.now();

/** For flushes. Asking the system whether work has waited takes a tenth of these: all their time counts as waiting. */
export const quickFlushes = (): AtOnce => createAtOnce({ clock, waits: clock }, patience);
