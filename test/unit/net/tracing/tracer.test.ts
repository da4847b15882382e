import { expect, test } from 'vitest';
import type { FinishedSpan } from '#net/tracing/span.ts';
import { createTracer, inSpan, isInRatio } from '#net/tracing/tracer.ts';

const parent = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', sampled: true };

function recording(ratio: number) {
  const spans: FinishedSpan[] = [];
  let now = 1_000;
  const tracer = createTracer({ scope: 'test', ratio, onEnd: (span) => spans.push(span), now: () => now++ });
  return { tracer, spans };
}

test('a span has its parent, its time and what it was given, once', () => {
  const { tracer, spans } = recording(1);
  const span = tracer.start('GET /v1/packages', { kind: 'server', parent, attributes: { 'http.request.method': 'GET' } });
  span.set('long', 'x'.repeat(1_000));
  span.end('not_found');
  span.end();
  expect(spans).toEqual([
    {
      scope: 'test',
      ...{ traceId: parent.traceId, spanId: span.context.spanId, parentSpanId: parent.spanId },
      ...{ name: 'GET /v1/packages', kind: 'server', start: 1_000, end: 1_001, error: 'not_found' },
      attributes: { 'http.request.method': 'GET', long: 'x'.repeat(200) },
    },
  ]);
});

test('without a parent a trace begins, by its own id or a given one', () => {
  const { tracer, spans } = recording(1);
  const own = tracer.start('one');
  own.end();
  tracer.start('two', { traceId: parent.traceId }).end();
  expect(own.context.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(spans.map(({ traceId, parentSpanId }) => ({ traceId, parentSpanId }))).toEqual([
    { traceId: own.context.traceId, parentSpanId: null },
    { traceId: parent.traceId, parentSpanId: null },
  ]);
});

test('what a caller has sampled is kept at any ratio; for others the trace id decides', () => {
  const { tracer, spans } = recording(0);
  tracer.start('sampled', { parent }).end();
  const other = tracer.start('other', { parent: { ...parent, sampled: false } });
  other.set('a', 1);
  other.end();
  expect(spans.map(({ name }) => name)).toEqual(['sampled']);
  expect(other.context).toEqual({ traceId: parent.traceId, spanId: expect.stringMatching(/^[0-9a-f]{16}$/), sampled: false });
  expect(recording(1).tracer.start('all').context.sampled).toBe(true);
});

test('the ratio goes by the last digits of the id, in all programs alike', () => {
  const last = (digits: string): string => digits.padStart(32, 'f');
  expect(isInRatio(last('4000000000000'), 0.25)).toBe(false);
  expect(isInRatio(last('3ffffffffffff'), 0.25)).toBe(true);
  expect(isInRatio(last('0000000000000'), 0)).toBe(false);
});

test('work that fails ends its span with the reason', async () => {
  const { tracer, spans } = recording(1);
  expect(await inSpan(tracer.start('good'), async () => 7, String)).toBe(7);
  const failing = inSpan(
    tracer.start('bad'),
    async () => {
      throw new Error('no');
    },
    (error) => (error as Error).message,
  );
  await expect(failing).rejects.toThrow('no');
  expect(spans.map(({ name, error }) => [name, error])).toEqual([
    ['good', null],
    ['bad', 'no'],
  ]);
});
