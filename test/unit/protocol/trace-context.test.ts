import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newSpanId, newTraceId, parseTraceparent, traceparentOf } from '#protocol/trace-context.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';

test.each([
  ['sampled', `00-${trace}-${span}-01`, { traceId: trace, spanId: span, sampled: true }],
  ['not sampled', `00-${trace}-${span}-00`, { traceId: trace, spanId: span, sampled: false }],
  ['other flags are not read', `00-${trace}-${span}-fe`, { traceId: trace, spanId: span, sampled: false }],
  ['a later version may have more', `cc-${trace}-${span}-01-what-comes`, { traceId: trace, spanId: span, sampled: true }],
  ['this version may not', `00-${trace}-${span}-01-what-comes`, null],
  ['version ff is none', `ff-${trace}-${span}-01`, null],
  ['no trace id', `00-${'0'.repeat(32)}-${span}-01`, null],
  ['no span id', `00-${trace}-${'0'.repeat(16)}-01`, null],
  ['capitals', `00-${trace.toUpperCase()}-${span}-01`, null],
  ['too short', `00-${trace.slice(1)}-${span}-01`, null],
  ['too long', `cc-${trace}-${span}-01-${'x'.repeat(300)}`, null],
  ['line breaks', `00-${trace}-${span}-01\n`, null],
  ['nothing', undefined, null],
])('%s', (_, text, context) => expect(parseTraceparent(text)).toEqual(context));

test('two headers are none', () => expect(parseTraceparent([`00-${trace}-${span}-01`, `00-${trace}-${span}-01`])).toBeNull());

test('what is written is read, and nothing else is', () => {
  const context = () => ({ traceId: newTraceId(), spanId: newSpanId(), sampled: false });
  fc.assert(
    fc.property(fc.boolean(), fc.string({ unit: 'binary-ascii', maxLength: 3 }), fc.nat(55), (sampled, noise, at) => {
      const one = { ...context(), sampled };
      const text = traceparentOf(one);
      expect(parseTraceparent(text)).toEqual(one);
      const damaged = text.slice(0, at) + noise + text.slice(at);
      const read = parseTraceparent(damaged);
      if (read) expect(traceparentOf(read)).toBe(`00-${damaged.slice(3, 53)}${read.sampled ? '01' : '00'}`);
    }),
    { numRuns: 50 },
  );
});
