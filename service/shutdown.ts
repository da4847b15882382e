import { type StoppingPart, stopWithin } from '#net/stop-within.ts';
import type { Log } from './log.ts';

/** The close functions of everything that was started. */
interface Shutdown {
  /** `name`: what it is, for an operator. */
  add(name: string, close: StoppingPart['close']): void;
  /**
   * Closes everything, last started first. A failure is logged, and the others are still closed. May be called again.
   *
   * @param milliseconds that all of them have; by default any time
   * @throws LateStopError that names what has not ended by then
   */
  run(milliseconds?: number): Promise<void>;
}

const late = {
  silent: 'a disk, the database or the storage',
  next: 'nothing that was confirmed is lost, and what it was doing is done again at the next start',
};

export function createShutdown(log: Pick<Log, 'error'>): Shutdown {
  const started: StoppingPart[] = [];
  const failed = (error: unknown): void => log.error({ err: error }, 'something did not close in order');
  return {
    add(name, close) {
      started.push({ name: name.replace(/^./, (first) => first.toUpperCase()), close: () => Promise.try(close).catch(failed) });
    },
    async run(milliseconds) {
      await stopWithin(milliseconds ?? null, started.splice(0).reverse(), late);
    },
  };
}
