import type { Log } from './log.ts';

/** The close functions of everything that was started. */
interface Shutdown {
  add(close: () => Promise<unknown> | unknown): void;
  /** Closes everything, last started first. A failure is logged, and the others are still closed. May be called again. */
  run(): Promise<void>;
}

export function createShutdown(log: Pick<Log, 'error'>): Shutdown {
  const closes: (() => Promise<unknown> | unknown)[] = [];
  return {
    add(close) {
      closes.push(close);
    },
    async run() {
      for (const close of closes.splice(0).reverse()) {
        await Promise.resolve()
          .then(close)
          .catch((error: unknown) => log.error({ err: error }, 'something did not close in order'));
      }
    },
  };
}
