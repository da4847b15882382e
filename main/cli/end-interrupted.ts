import { hasPendingCalls } from '#filesystem/pending-calls.ts';

/** Milliseconds that an interrupted command has to end by itself. */
const lingerMs = 500;

/**
 * Ends an interrupted command by the signal that interrupted it, where a disk does not answer: its calls keep the process although
 * nobody waits for them any more, and `process.exit` would wait for them as well. Shells see the same status as otherwise, 130.
 */
export function endInterrupted(): void {
  setTimeout(() => {
    if (hasPendingCalls()) process.kill(process.pid, 'SIGINT');
  }, lingerMs).unref();
}
