/** What tells whether work had to wait for the disk. */
export interface DiskWatch {
  /** Milliseconds, only going forward. */
  clock(): number;
  /** How often a thread of this process has given up the processor of itself, as it does to wait for a disk. */
  waits(): number;
}

const systemWatch: DiskWatch = {
  clock: () => performance.now(),
  // Windows does not count them: there all time that passed is the disk's.
  waits: process.platform === 'win32' ? () => performance.now() : () => process.resourceUsage().voluntaryContextSwitches,
};

/** When a disk is slow, and what follows. */
export interface Patience {
  /** Milliseconds that pieces of work may wait for the disk on average. */
  readonly slowMs: number;
  /** How much one piece counts in the average. */
  readonly share: number;
  /** How long a disk that had to be waited for is left to other threads: this at least, */
  readonly restMs: number;
  /** and so many times as long as the last piece took. */
  readonly restTimes: number;
}

/** For large reads and writes: a single hitch of 20 ms among quick ones changes nothing. */
const usual: Patience = { slowMs: 3, share: 1 / 8, restMs: 1_000, restTimes: 0 };

/**
 * Runs work on the disk synchronously while the disk answers as memory does: a thread that moves the bytes itself has
 * them in its cache, and wakes no other one. `undefined`, without having run it, in the second after work has waited
 * long: so a slow disk holds up the others for one piece a second at most. Time in which other programs had the
 * processor is not the disk's.
 */
export type AtOnce = <T>(work: () => T) => T | undefined;

export function createAtOnce({ clock, waits }: DiskWatch = systemWatch, { slowMs, share, restMs, restTimes } = usual): AtOnce {
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
      // One quick piece after the rest is enough to go on.
      averageMs = slowMs;
      restsUntil = ended + Math.max(restMs, (ended - began) * restTimes);
    }
    return result;
  };
}
