import { isFast } from './fast.ts';

/** Measures whether work had to wait for the disk. */
interface DiskWatch {
  /** Milliseconds, monotonic. */
  clock(): number;
  /** Number of voluntary context switches of this process: a thread gives up the processor while it waits for a disk. */
  waits(): number;
}

const systemWatch: DiskWatch = {
  clock: () => performance.now(),
  // Windows does not count them: there all elapsed time counts as disk time.
  waits: process.platform === 'win32' ? () => performance.now() : () => process.resourceUsage().voluntaryContextSwitches,
};

/** When a disk counts as slow, and for how long synchronous work is then avoided. */
export interface SlowDiskRule {
  /** Limit of the average wait for the disk per piece of work, in milliseconds. */
  readonly slowMs: number;
  /** Weight of one piece in the moving average. */
  readonly share: number;
  /** Cooldown after slow work, during which other threads do it: at least this many milliseconds, */
  readonly restMs: number;
  /** and at least this many times the duration of the last piece. */
  readonly restTimes: number;
}

/** For large reads and writes: a single delay of 20 ms among fast ones changes nothing. */
const usual: SlowDiskRule = { slowMs: 3, share: 1 / 8, restMs: 1_000, restTimes: 0 };

/**
 * Runs disk work synchronously while the disk is as fast as memory: a thread that moves the bytes itself has them in
 * its cache and wakes no other thread. Returns `undefined`, without running the work, during the second after work has
 * waited long. So a slow disk blocks this thread for one piece a second at most. Time in which other programs had the
 * processor does not count.
 */
export type SyncWhenFast = <T>(work: () => T) => T | undefined;

export function createSyncWhenFast(
  { clock, waits }: DiskWatch = systemWatch,
  { slowMs, share, restMs, restTimes } = usual,
  fast = isFast,
): SyncWhenFast {
  if (!fast) return () => undefined;
  let restsUntil = Number.NEGATIVE_INFINITY;
  let averageMs = 0;
  return (work) => {
    const began = clock();
    if (began < restsUntil) return undefined;
    const waitsBefore = waits();
    const result = work();
    const ended = clock();
    averageMs += ((waits() > waitsBefore ? ended - began : 0) - averageMs) * share;
    if (averageMs > slowMs) {
      // One fast piece after the cooldown is enough to continue.
      averageMs = slowMs;
      restsUntil = ended + Math.max(restMs, (ended - began) * restTimes);
    }
    return result;
  };
}
