import { stopRequest } from './signals.ts';

/** A program that serves. */
export interface Serving {
  readonly url: string;
  /** Resolves when something ended that it cannot go on without. */
  readonly failed?: Promise<Error>;
  close(): Promise<void>;
}

/**
 * Starts a program, says in one line on stdout where it answers, and ends it when asked to. A wish to stop
 * that comes during the start is granted as soon as there is something to stop.
 *
 * @throws the program's own failure, after it was closed
 */
export async function runUntilStopped(name: string, start: () => Promise<Serving>): Promise<void> {
  const stop = stopRequest();
  try {
    const serving = await start();
    process.stdout.write(`Longshore ${name} is ready at ${serving.url}\n`);
    const failure = await Promise.race([stop.asked.then(() => null), ...(serving.failed ? [serving.failed] : [])]);
    await serving.close();
    if (failure) throw failure;
  } finally {
    stop.release();
    // An open channel to the parent would keep the process alive.
    if (process.connected) process.disconnect();
  }
}
