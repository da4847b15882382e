import { stopRequest } from './signals.ts';

/** A program that serves. */
export interface Serving {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a program, says in one line on stdout where it answers, and ends it when asked to. A wish to stop
 * that comes during the start is granted as soon as there is something to stop.
 */
export async function runUntilStopped(name: string, start: () => Promise<Serving>): Promise<void> {
  const stop = stopRequest();
  try {
    const serving = await start();
    process.stdout.write(`Longshore ${name} is ready at ${serving.url}\n`);
    await stop.asked;
    await serving.close();
  } finally {
    stop.release();
    // An open channel to the parent would keep the process alive.
    if (process.connected) process.disconnect();
  }
}
