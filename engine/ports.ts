/** What the engine needs from its host. */

/** The engine's clock; tests replace it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after this time; the returned function cancels it. Keeps the process alive meanwhile. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** A structured logger with pino's interface. Secrets must never be logged. */
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
