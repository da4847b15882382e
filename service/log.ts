import { type Logger, pino } from 'pino';

/** Structured log, as pino and Fastify have it: facts first, then a sentence. Never a secret among the facts. */
export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** JSON lines on standard error, written at once so that the last one of a dying process is not lost. */
export function createLogger(level: LogLevel): Logger {
  return pino({ level, base: null, serializers: { err: describeError } }, pino.destination({ dest: 2, sync: true }));
}

/** An error's own facts only: libraries hang whole connections on theirs, with settings and statements. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause };
}
