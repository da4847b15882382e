/** Milliseconds that pieces of work may take on average: longer than a mebibyte takes from memory, also on a busy machine. */
const slowMs = 3;
/** How much one piece counts in the average: a single hitch of 20 ms among quick ones changes nothing. */
const share = 1 / 8;
/** How long a disk that had to be waited for is left to other threads. */
const restMs = 1_000;

/**
 * Runs work on the disk synchronously while the disk answers as memory does: a thread that moves the bytes itself has
 * them in its cache, and wakes no other one. False, without having run it, in the second after work has taken
 * long: so a slow disk holds up the agent for one piece a second at most.
 */
export type AtOnce = (work: () => void) => boolean;

/** @param clock milliseconds, only going forward */
export function createAtOnce(clock: () => number = () => performance.now()): AtOnce {
  let restsUntil = Number.NEGATIVE_INFINITY;
  let averageMs = 0;
  return (work) => {
    const began = clock();
    if (began < restsUntil) return false;
    work();
    const ended = clock();
    averageMs += (ended - began - averageMs) * share;
    if (averageMs > slowMs) {
      // One quick piece after the rest is enough to go on.
      averageMs = slowMs;
      restsUntil = ended + restMs;
    }
    return true;
  };
}
