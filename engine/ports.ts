/** What the engine needs from its host. */

/** Time as the engine sees it: tests bring a clock of their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, after so many milliseconds; the answer cancels it. Keeps the process alive meanwhile. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** A structured logger; pino's shape. Secrets never go in. */
export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
