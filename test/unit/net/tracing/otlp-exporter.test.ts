import { expect, test } from 'vitest';
import { createOtlpExporter, maxBatch, maxWaiting, type Post } from '#net/tracing/otlp-exporter.ts';
import type { FinishedSpan } from '#net/tracing/span.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

const span = (n: number): FinishedSpan => ({
  scope: 'test',
  ...{ traceId: String(n).padStart(32, 'a'), spanId: String(n).padStart(16, 'b'), parentSpanId: null },
  ...{ name: String(n), kind: 'internal', start: 1, end: 2, attributes: {}, error: null },
});

type Answer = Awaited<ReturnType<Post>>;
const taken: Answer = { status: 200, retryAfter: null, text: '{}' };

/** What follows from an answer is a few promises further. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** A collector whose answers the test gives; they say what they were asked. */
function scene() {
  const clock = createFakeClock();
  const asked: { readonly names: string[]; answer(answer: Answer | Error): Promise<void> }[] = [];
  const troubles: { reason: string; dropped: number }[] = [];
  const exporter = createOtlpExporter({
    url: 'http://collector/v1/traces',
    headers: {},
    resource: {},
    onTrouble: (facts) => troubles.push(facts),
    after: clock.after,
    now: clock.now,
    post(_url, _headers, body) {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const names = JSON.parse(body).resourceSpans[0].scopeSpans[0].spans.map(({ name }: { name: string }) => name);
      asked.push({
        names,
        async answer(answer) {
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
          await settled();
        },
      });
      return promise;
    },
  });
  return { exporter, clock, asked, troubles };
}

test('spans are sent together after a while, or when they are many', async () => {
  const { exporter, clock, asked } = scene();
  exporter.add(span(1));
  exporter.add(span(2));
  expect(asked).toEqual([]);
  clock.advance(2_000);
  expect(asked.map(({ names }) => names)).toEqual([['1', '2']]);
  await asked[0]!.answer(taken);
  expect(exporter.counts).toEqual({ exported: 2, dropped: 0 });
  for (let n = 0; n < maxBatch; n++) exporter.add(span(n));
  expect(asked[1]!.names).toHaveLength(maxBatch);
});

test('while the collector is away the queue has an end, the same batch is tried again, and it is told once', async () => {
  const { exporter, clock, asked, troubles } = scene();
  for (let n = 0; n < maxBatch; n++) exporter.add(span(n));
  const refused = Object.assign(new TypeError('fetch failed for http://secret'), {
    cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
  });
  await asked[0]!.answer(refused);
  for (let n = 0; n < maxWaiting + 10; n++) exporter.add(span(n));
  expect(exporter.counts).toEqual({ exported: 0, dropped: 10 });
  clock.advance(999);
  expect(asked).toHaveLength(1);
  clock.advance(1);
  expect(asked[1]!.names).toEqual(asked[0]!.names);
  await asked[1]!.answer({ status: 503, retryAfter: 7, text: '' });
  clock.advance(6_999);
  expect(asked).toHaveLength(2);
  clock.advance(1);
  await asked[2]!.answer(taken);
  expect(exporter.counts).toEqual({ exported: maxBatch, dropped: 10 });
  expect(troubles).toEqual([{ reason: 'ECONNREFUSED', dropped: 0 }]);
  // The rest follows at once.
  expect(asked[3]!.names).toHaveLength(maxBatch);
});

test('what the collector does not take is dropped and counted', async () => {
  const { exporter, clock, asked, troubles } = scene();
  exporter.add(span(1));
  clock.advance(2_000);
  await asked[0]!.answer({ status: 400, retryAfter: null, text: 'no' });
  for (const n of [2, 3, 4]) exporter.add(span(n));
  clock.advance(2_000);
  await asked[1]!.answer({ status: 200, retryAfter: null, text: '{"partialSuccess":{"rejectedSpans":"2"}}' });
  expect(exporter.counts).toEqual({ exported: 1, dropped: 3 });
  expect(troubles).toEqual([{ reason: 'the collector answered 400', dropped: 1 }]);
});

test('the end sends what is there, and drops what is not taken', async () => {
  const { exporter, asked } = scene();
  for (const n of [1, 2]) exporter.add(span(n));
  const closed = exporter.close();
  await settled();
  await asked[0]!.answer(taken);
  await closed;
  expect(exporter.counts).toEqual({ exported: 2, dropped: 0 });

  const away = scene();
  away.exporter.add(span(1));
  const gone = away.exporter.close();
  await settled();
  await away.asked[0]!.answer(new Error('away'));
  await gone;
  expect(away.exporter.counts).toEqual({ exported: 0, dropped: 1 });
});
