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

/** Records what transfers do, for a collector of traces. Its form is that of net/tracing. */
export interface Tracer {
  start(
    name: string,
    options: {
      readonly kind?: 'internal' | 'client';
      readonly parent?: Span['context'];
      /** The id of the trace that begins here. */
      readonly traceId?: string;
      /** Never names or paths. */
      readonly attributes?: Readonly<Record<string, string | number | boolean>>;
    },
  ): Span;
}

export interface Span {
  readonly context: { readonly traceId: string; readonly spanId: string; readonly sampled: boolean };
  /** `error`: why it failed, in a word. */
  end(error?: string | null): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
