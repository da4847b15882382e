import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';

type Close = () => Promise<unknown> | unknown;

/** The close functions of everything that was started. */
interface Shutdown {
  /** `name`: what it is, for an operator. */
  add(name: string, close: Close): void;
  /**
   * Closes everything, last started first. A failure is logged, and the others are still closed. May be called again.
   *
   * @param milliseconds that all of them have; by default any time
   * @throws an error that names what has not ended by then: the process has to be ended (`endProcess`)
   */
  run(milliseconds?: number): Promise<void>;
}

export function createShutdown(log: Pick<Log, 'error'>): Shutdown {
  const parts: { readonly name: string; readonly close: Close }[] = [];
  let closing = '';
  async function closeAll(): Promise<'stopped'> {
    for (const { name, close } of parts.splice(0).reverse()) {
      closing = name;
      await Promise.resolve()
        .then(close)
        .catch((error: unknown) => log.error({ err: error }, 'something did not close in order'));
    }
    return 'stopped';
  }
  return {
    add(name, close) {
      parts.push({ name, close });
    },
    async run(milliseconds) {
      if (milliseconds === undefined) return void (await closeAll());
      const inTime = new AbortController();
      const end = await Promise.race([closeAll(), sleep(milliseconds, 'late' as const, { signal: inTime.signal })]);
      inTime.abort();
      if (end === 'stopped') return;
      const waited = `The service has not stopped within ${milliseconds / 1_000} s: ${closing} did not end, most likely because a disk, the database or the storage does not answer`;
      throw new Error(
        `${waited}. Its process is ended as it is; nothing that was confirmed is lost, and what it was doing is done again at the next start.`,
      );
    },
  };
}
