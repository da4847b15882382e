import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds of each round. */
const held = 120;
const free = 40;

/**
 * Holds a process up by stopping it again and again, as a machine does that is too busy: each time that it gets on, what should
 * have been done is late.
 *
 * @returns what lets it go on
 */
export function holdUp(pid: number): () => Promise<void> {
  let isOver = false;
  const holding = (async () => {
    while (!isOver) {
      process.kill(pid, 'SIGSTOP');
      await sleep(held);
      process.kill(pid, 'SIGCONT');
      await sleep(free);
    }
  })();
  return async () => {
    isOver = true;
    await holding;
  };
}
