import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from '#net/tracing/span.ts';
import { newSpanId, newTraceId, parseTraceparent, type TraceContext, traceparentOf } from '#protocol/trace-context.ts';

/**
 * The trace of a request or a job. Every request has one, whether or not spans are sent to a collector: its id stands in
 * the log and in error answers. Little of it is made before somebody asks for it.
 */
export class Trace {
  readonly #incoming: string | readonly string[] | undefined;
  /** Null: spans are not sent to a collector. */
  readonly span: Span | null;
  #context: TraceContext | null = null;
  /** Statements of the database, and the milliseconds that they took; counted only for spans. */
  queries = 0;
  queryMilliseconds = 0;

  /** @param incoming the caller's `traceparent` */
  constructor(incoming: string | readonly string[] | undefined, span: Span | null = null) {
    this.#incoming = incoming;
    this.span = span;
  }

  get context(): TraceContext {
    if (this.span) return this.span.context;
    this.#context ??= parseTraceparent(this.#incoming) ?? { traceId: newTraceId(), spanId: newSpanId(), sampled: false };
    return this.#context;
  }

  get id(): string {
    return this.context.traceId;
  }

  /** What is passed on to what this causes. */
  get traceparent(): string {
    return traceparentOf(this.context);
  }

  /** Ends the span with what was counted. */
  end(error: string | null): void {
    if (this.span === null) return;
    if (this.queries > 0) {
      this.span.set('longshore.db.statements', this.queries);
      this.span.set('longshore.db.milliseconds', Math.round(this.queryMilliseconds * 100) / 100);
    }
    this.span.end(error);
  }
}

const current = new AsyncLocalStorage<Trace>();

/** The trace of the request or job that this code works for. */
export const currentTrace = (): Trace | undefined => current.getStore();

/** Whatever `work` does, and what it waits for, belongs to the trace. */
export const inTrace = <T>(trace: Trace, work: () => T): T => current.run(trace, work);

/** For the pool of the database: adds a statement to the span under way. */
export function countQuery(milliseconds: number): void {
  const trace = current.getStore();
  if (!trace?.span) return;
  trace.queries += 1;
  trace.queryMilliseconds += milliseconds;
}
