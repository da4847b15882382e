import type { FakeClock } from './fake-clock.ts';

/**
 * Runs work with real sockets and files to its end by a clock of ours, which goes on only when nothing moves without it. So
 * the time that it took by that clock is what its own waits made of it, however busy the machine is.
 * `moves` counts whatever happens, `busy` says whether something is under way that no count shows; the answer is the
 * milliseconds that passed.
 */
export async function inVirtualTime<T>(
  clock: FakeClock,
  work: Promise<T>,
  { moves, busy = () => false, step = 100 }: { readonly moves: () => number; readonly busy?: () => boolean; readonly step?: number },
): Promise<{ readonly result: T; readonly milliseconds: number }> {
  const began = clock.now();
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  ended.catch(() => {});
  while (!over) {
    await quiet(moves, busy);
    if (!over && clock.pending > 0) clock.advance(step);
  }
  return { result: await ended, milliseconds: clock.now() - began };
}

/** What a busy disk has not answered yet: on a crowded machine that takes longer than any number of turns. */
const diskIsAsked = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));

/** Lets real sockets and disks do all they can without more time: until nothing has moved for some turns. */
async function quiet(moves: () => number, busy: () => boolean): Promise<void> {
  for (let still = 0, before = moves(); still < 40; still++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (still % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 1));
    if (moves() === before && !diskIsAsked() && !busy()) continue;
    before = moves();
    still = 0;
  }
}
