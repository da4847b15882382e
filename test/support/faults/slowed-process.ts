import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds of each round. */
const stopped = 120;
const running = 40;

/**
 * Slows a process down by stopping it again and again, as a machine does that is too busy: each time that it gets on, what should
 * have been done is late.
 *
 * @returns what lets it go on
 */
export function slowDown(pid: number): () => Promise<void> {
  let isOver = false;
  const slowing = (async () => {
    while (!isOver) {
      process.kill(pid, 'SIGSTOP');
      await sleep(stopped);
      process.kill(pid, 'SIGCONT');
      await sleep(running);
    }
  })();
  return async () => {
    isOver = true;
    await slowing;
  };
}
