import { type Logger, pino } from 'pino';
import { currentTrace } from './tracing/current-trace.ts';

/** Structured log, as in pino and Fastify: facts first, then a sentence. Facts never contain a secret. */
export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** JSON lines on standard error, or in a file, written synchronously so that the last line of a crashing process is not lost. */
export function createLogger(level: LogLevel, file?: string): Logger {
  const repeats = createRepeats(Date.now);
  return pino(
    {
      level,
      base: null,
      serializers: { err: describeError },
      mixin: traceFacts,
      hooks: {
        logMethod(args, method) {
          const facts = repeats(args[0]);
          if (facts !== null) method.apply(this, [facts, ...args.slice(1)] as Parameters<typeof method>);
        },
      },
    },
    pino.destination({ dest: file ?? 2, sync: true }),
  );
}

/** Lines of one request, of the jobs that it caused and of its answer's error have one id. */
function traceFacts(): object {
  const trace = currentTrace();
  return trace ? { trace_id: trace.id } : {};
}

const minute = 60_000;
/** Maximum names to track; there are few, all from our code. */
const maxNames = 200;

/**
 * Of lines with the same `onceAMinute` in their facts, only one per minute is logged; it contains the number of
 * suppressed ones (`leftOut`). Returns the facts to log, or `null`.
 */
export function createRepeats(now: () => number): (facts: unknown) => unknown {
  const last = new Map<string, { at: number; leftOut: number }>();
  return (facts) => {
    if (typeof facts !== 'object' || facts === null || !('onceAMinute' in facts)) return facts;
    const { onceAMinute, ...rest } = facts;
    const name = String(onceAMinute);
    const before = last.get(name);
    if (before && now() - before.at < minute) {
      before.leftOut += 1;
      return null;
    }
    if (!before && last.size >= maxNames) last.clear();
    last.set(name, { at: now(), leftOut: 0 });
    return before && before.leftOut > 0 ? { ...rest, leftOut: before.leftOut } : rest;
  };
}

/** What has an error's fields: pg-boss tells of some errors by a plain object with a copy of these. */
const isErrorLike = (value: unknown): value is Error =>
  value instanceof Error || (typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string');

/** Only an error's own simple fields: libraries attach whole connections to errors, with settings and statements. */
function describeError(error: unknown): unknown {
  if (!isErrorLike(error)) return { message: String(error) };
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause };
}
