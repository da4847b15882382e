import type { FinishedSpan, SpanAttributes, SpanKind, SpanValue } from './span.ts';

/** OTLP/HTTP's JSON form: ids are hex, 64-bit numbers are texts, enumerations are numbers. */

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };
const failed = 2;
/** The trace is sampled. */
const flags = 1;

/** The body of an export request. `resource`: what describes the program. */
export function otlpTraces(spans: readonly FinishedSpan[], resource: SpanAttributes): object {
  const byScope = Map.groupBy(spans, ({ scope }) => scope);
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [...byScope].map(([name, ofScope]) => ({ scope: { name }, spans: ofScope.map(spanOf) })),
      },
    ],
  };
}

function spanOf({ traceId, spanId, parentSpanId, name, kind, start, end, attributes, error }: FinishedSpan): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    flags,
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: keyValues(attributes),
    status: error === null ? {} : { code: failed, message: error },
  };
}

const keyValues = (attributes: SpanAttributes): object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: SpanValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** More digits than a number of JavaScript can hold. */
const nanoseconds = (milliseconds: number): string =>
  (BigInt(Math.trunc(milliseconds)) * 1_000_000n + BigInt(Math.trunc((milliseconds % 1) * 1_000_000))).toString();
