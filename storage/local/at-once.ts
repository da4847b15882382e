/** Longer than a mebibyte takes from memory; whoever took longer had to wait for the disk. */
const slowMs = 5;
/** How long a disk that had to be waited for is left to other threads. */
const restMs = 1_000;

/**
 * Runs work on the disk synchronously while the disk answers as memory does: a thread that moves the bytes itself has
 * them in its cache, and wakes no other one. `undefined`, without having run it, in the second after a piece of work
 * that took long: so a slow disk holds up the others for one piece a second at most. `clock` gives milliseconds.
 */
export type AtOnce = <T>(work: () => T) => T | undefined;

export function createAtOnce(clock: () => number = () => performance.now()): AtOnce {
  let restsUntil = Number.NEGATIVE_INFINITY;
  return (work) => {
    const began = clock();
    if (began < restsUntil) return undefined;
    const result = work();
    const ended = clock();
    if (ended - began >= slowMs) restsUntil = ended + restMs;
    return result;
  };
}
