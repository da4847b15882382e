import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { expect, test } from 'vitest';
import { otlpTraces } from '#net/tracing/otlp-json.ts';
import type { FinishedSpan, SpanKind } from '#net/tracing/span.ts';

const span: FinishedSpan = {
  scope: 'service',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: '00f067aa0ba902b7',
  name: 'createFile',
  kind: 'server',
  start: 1_795_000_000_123.25,
  end: 1_795_000_000_130.5,
  attributes: { 'http.route': '/v1/files', 'http.response.status_code': 201, ratio: 0.5, cached: false },
  error: null,
};
const resource = { 'service.name': 'longshore-service', 'service.version': '1.2.3' };

/** The same span as OpenTelemetry's own library writes it. */
type Request = Parameters<typeof JsonTraceSerializer.serializeRequest>[0];
const kinds: Readonly<Record<SpanKind, number>> = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 };
const time = (milliseconds: number): [number, number] => [Math.floor(milliseconds / 1_000), Math.round((milliseconds % 1_000) * 1e6)];
const theirs = (spans: readonly FinishedSpan[]): unknown => {
  const shared = { attributes: resource, merge: () => shared };
  const readable = spans.map((one) => ({
    name: one.name,
    kind: kinds[one.kind],
    spanContext: () => ({ traceId: one.traceId, spanId: one.spanId, traceFlags: 1 }),
    ...(one.parentSpanId !== null && { parentSpanContext: { traceId: one.traceId, spanId: one.parentSpanId, traceFlags: 1 } }),
    startTime: time(one.start),
    endTime: time(one.end),
    status: one.error === null ? { code: 0 } : { code: 2, message: one.error },
    attributes: one.attributes,
    ...{ links: [], events: [], ended: true, duration: time(one.end - one.start) },
    resource: shared,
    instrumentationScope: { name: one.scope },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  }));
  const text = JsonTraceSerializer.serializeRequest(readable as unknown as Request);
  return JSON.parse(Buffer.from(text!).toString());
};

/** Fields that say nothing: in OTLP's JSON an absent field, 0 and an empty list are the same, and so are 1 and "1" of 64 bits. */
function meaning(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaning);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, one]) => {
    if (name === 'flags') return [[name, (one as number) & 0xff]];
    if (name === 'intValue') return [[name, String(one)]];
    if (one === 0 || (Array.isArray(one) && one.length === 0)) return [];
    return [[name, meaning(one)]];
  });
  return Object.fromEntries(entries);
}

test("says what OpenTelemetry's own library says", () => {
  const all = [
    span,
    { ...span, scope: 'storage', spanId: '1111111111111111', parentSpanId: null, kind: 'consumer', error: 'cut' } as const,
    { ...span, spanId: '2222222222222222', kind: 'client', name: 'webhook' } as const,
    {
      ...span,
      spanId: '3333333333333333',
      kind: 'internal',
      attributes: { bytes: 9_007_199_254_740_991, text: 'Umlaut ä "x"\n' },
    } as const,
    { ...span, spanId: '4444444444444444', kind: 'producer', attributes: {} } as const,
  ];
  expect(meaning(JSON.parse(JSON.stringify(otlpTraces(all, resource))))).toEqual(meaning(theirs(all)));
});

test('times keep all their digits', () => {
  const [{ startTimeUnixNano, endTimeUnixNano }] = (
    otlpTraces([span], resource) as { resourceSpans: [{ scopeSpans: [{ spans: [Record<string, string>] }] }] }
  ).resourceSpans[0].scopeSpans[0].spans as [Record<string, string>];
  expect([startTimeUnixNano, endTimeUnixNano]).toEqual(['1795000000123250000', '1795000000130500000']);
});
