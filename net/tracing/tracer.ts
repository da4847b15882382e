import { randomBytes } from 'node:crypto';
import type { FinishedSpan, Span, SpanAttributes, SpanContext, SpanValue, Tracer } from './span.ts';

interface TracerOptions {
  readonly scope: string;
  /** The share of traces that are kept, from 0 to 1. */
  readonly ratio: number;
  readonly onEnd: (span: FinishedSpan) => void;
  /** Milliseconds since 1970, with fractions. */
  readonly now?: () => number;
}

/** Longer texts of attributes are cut. */
const longestValue = 200;

const preciseNow = (): number => performance.timeOrigin + performance.now();

/**
 * Records spans. What a caller has sampled is kept, so that traces are whole; for all others the trace id decides, so that
 * every program with the same ratio decides the same.
 */
export function createTracer({ scope, ratio, onEnd, now = preciseNow }: TracerOptions): Tracer {
  const samples = (traceId: string): boolean => isInRatio(traceId, ratio);
  return {
    samples,
    start(name, { kind = 'internal', parent = null, traceId = parent?.traceId ?? randomId(16), attributes = {} } = {}) {
      const context = { traceId, spanId: randomId(8), sampled: parent?.sampled === true || samples(traceId) };
      if (!context.sampled) return { context, set() {}, end() {} };
      const start = now();
      const values: Record<string, SpanValue> = short(attributes);
      let ended = false;
      return {
        context,
        set(key, value) {
          values[key] = shortened(value);
        },
        end(error = null) {
          if (ended) return;
          ended = true;
          const { spanId } = context;
          const end = Math.max(start, now());
          onEnd({ scope, traceId, spanId, parentSpanId: parent?.spanId ?? null, name, kind, start, end, attributes: values, error });
        },
      } satisfies Span;
    },
  };
}

/** By the last 52 bits, which are random in every kind of trace id that is in use. */
export function isInRatio(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true;
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52;
}

function randomId(bytes: number): string {
  const id = randomBytes(bytes).toString('hex');
  // All 0 means "none".
  return /^0+$/.test(id) ? randomId(bytes) : id;
}

const short = (attributes: SpanAttributes): Record<string, SpanValue> =>
  Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, shortened(value)]));

const shortened = (value: SpanValue): SpanValue => (typeof value === 'string' ? value.slice(0, longestValue) : value);

/** Does something as a span that ends with it. */
export async function inSpan<T>(span: Span, work: (context: SpanContext) => Promise<T>, reasonOf: (error: unknown) => string): Promise<T> {
  try {
    const result = await work(span.context);
    span.end();
    return result;
  } catch (error) {
    span.end(reasonOf(error));
    throw error;
  }
}
