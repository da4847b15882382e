/** Spans as OpenTelemetry has them: what was done, from when to when, and what caused it. */

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
export type SpanValue = string | number | boolean;
/** Never secrets, and nothing that names a person or a file: ids, counts, sizes, names of routes. */
export type SpanAttributes = Readonly<Record<string, SpanValue>>;

/** What a span passes on to what it causes: the fields of `traceparent`. */
export interface SpanContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

export interface FinishedSpan {
  /** Which part of the program recorded it. */
  readonly scope: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since 1970, with fractions. */
  readonly start: number;
  readonly end: number;
  readonly attributes: SpanAttributes;
  /** Why it failed; null: it did not. */
  readonly error: string | null;
}

/** A span under way. If its trace is not sampled, nothing of it is kept. */
export interface Span {
  readonly context: SpanContext;
  set(name: string, value: SpanValue): void;
  /** Records it, once. `error`: why it failed, in a word. */
  end(error?: string | null): void;
}

interface SpanStart {
  readonly kind?: SpanKind;
  /** What causes it; without it a new trace begins. */
  readonly parent?: SpanContext | null;
  /** The id of a trace that begins here. */
  readonly traceId?: string;
  readonly attributes?: SpanAttributes;
}

export interface Tracer {
  start(name: string, start?: SpanStart): Span;
  /** Whether spans of this trace are kept, where nobody before has decided. */
  samples(traceId: string): boolean;
}
