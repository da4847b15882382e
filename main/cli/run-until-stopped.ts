import { endProcess } from '#filesystem/end-process.ts';
import { endProcessAfter } from '#filesystem/end-process-after.ts';
import { keepCompiled } from '../compile-cache.js';
import { stopRequest } from './signals.ts';

/** A running server program. */
interface Serving {
  readonly url: string;
  /** Resolves when something has failed that the program needs. */
  readonly failed?: Promise<Error>;
  /** Rejects after `stopMs`, with what has not stopped. */
  close(): Promise<void>;
  readonly stopMs: number;
}

/** Milliseconds from the close of a program to the end of its process, if something of it is left. */
const lingerMs = 500;
/** After `stopMs`, for a program that says by itself what has not stopped. */
const slackMs = 1_000;

/**
 * Starts a program, prints one line with its address on stdout, and closes it on a stop request. A stop request during
 * the start takes effect once the program has started.
 *
 * @throws the program's own failure, after it was closed
 */
export async function runUntilStopped(name: string, start: () => Promise<Serving>): Promise<void> {
  const stop = stopRequest();
  try {
    const serving = await start();
    process.stdout.write(`Longshore ${name} is ready at ${serving.url}\n`);
    keepCompiled();
    const failure = await Promise.race([stop.asked.then(() => null), ...(serving.failed ? [serving.failed] : [])]);
    // Where a disk does not answer, its calls keep the process although nobody waits for them any more.
    const why = 'a call to the system does not return, most likely because a disk does not answer';
    const takeBack = endProcessAfter(
      serving.stopMs + slackMs,
      `The ${name} has not stopped in time: ${why}. Its process is ended as it is.`,
    );
    await serving.close().finally(() => setTimeout(endProcess, lingerMs).unref());
    takeBack();
    if (failure) throw failure;
  } finally {
    stop.release();
    // An open IPC channel to the parent would keep this process alive.
    if (process.connected) process.disconnect();
  }
}
