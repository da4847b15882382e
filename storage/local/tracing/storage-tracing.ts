import type { FinishedSpan, Span, Tracer } from '#net/tracing/span.ts';
import { createTracer } from '#net/tracing/tracer.ts';
import { parseTraceparent } from '#protocol/trace-context.ts';

/** How spans of storage are recorded. */
export interface StorageTracing {
  /** The `traceparent` of the call that is being served, if its trace is sampled. */
  readonly current: () => string | null;
  /** The share of traces that are kept, as everywhere in the service. */
  readonly ratio: number;
  readonly onSpans: (spans: readonly FinishedSpan[]) => void;
}

/** Spans that are passed on in one message: a message between threads costs as much for many as for one. */
const batchSize = 64;
const delayMilliseconds = 500;

/** A tracer whose spans are passed on in groups. */
export function createStorageTracer({ ratio, onSpans }: Pick<StorageTracing, 'ratio' | 'onSpans'>): { tracer: Tracer; flush(): void } {
  let spans: FinishedSpan[] = [];
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (spans.length === 0) return;
    const ended = spans;
    spans = [];
    onSpans(ended);
  };
  const tracer = createTracer({
    scope: 'storage',
    ratio,
    onEnd(span) {
      spans.push(span);
      if (spans.length >= batchSize) flush();
      else timer ??= setTimeout(flush, delayMilliseconds).unref();
    },
  });
  return { tracer, flush };
}

/** The span of a request whose address has a trace; `null` for any other. */
export function storageSpan(tracer: Tracer | null, method: string, traceparent: string | null): Span | null {
  if (tracer === null || traceparent === null) return null;
  const parent = parseTraceparent(traceparent);
  if (parent === null) return null;
  return tracer.start(`storage ${method}`, { kind: 'server', parent, attributes: { 'http.request.method': method } });
}
