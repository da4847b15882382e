import { expect, test } from 'vitest';
import { otlpTarget } from '#net/tracing/otlp-settings.ts';

test.each([
  ['http://127.0.0.1:4318', 'http://127.0.0.1:4318/v1/traces'],
  ['https://collector.example.com/otlp/', 'https://collector.example.com/otlp/v1/traces'],
])('%s', (url, target) => expect(otlpTarget({ url })).toEqual({ url: target, headers: {}, ratio: 1 }));

test('headers are percent-decoded', () => {
  const { headers, ratio } = otlpTarget({ url: 'http://c:1', headers: 'Authorization=Bearer%20abc%3D, x-team = a=b ', ratio: 0.25 });
  expect({ headers, ratio }).toEqual({ headers: { authorization: 'Bearer abc=', 'x-team': 'a=b' }, ratio: 0.25 });
});

test.each([
  [{ url: 'collector:4317' }, '--otlp-url'],
  [{ url: 'http://me:secret@c' }, '--otlp-url'],
  [{ url: 'http://c', headers: 'authorization' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
  [{ url: 'http://c', headers: 'a=%zz' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
  [{ url: 'http://c', headers: 'a=secret%0d%0ab: c' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
  [{ url: 'http://c', ratio: 2 }, '--trace-ratio'],
  [{ url: 'http://c', ratio: Number.NaN }, '--trace-ratio'],
])('%o is refused by name, without what is secret in it', (settings, name) => {
  expect(() => otlpTarget(settings)).toThrow(name);
  expect(() => otlpTarget(settings)).not.toThrow('secret');
});
