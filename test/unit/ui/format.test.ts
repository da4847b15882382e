import { describe, expect, it } from 'vitest';
import { createFormat, formatDuration, formatMoment, formatSize } from '#ui/format.ts';

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 byte'],
  [1_000, '1 kB'],
  [18_340, '18.3 kB'],
  [118_400_000_000, '118 GB'],
  [1e15, '1 PB'],
  [5e18, '5,000 PB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatSize(bytes, 'en-GB')).toContain(text);
});

it.each([
  [0.2, '1 second'],
  [59, '59 seconds'],
  [60, '1 minute'],
  [3_599, '1 hour'],
  [4_800, '1 hour 20 minutes'],
  [180_000, '2 days'],
])('%d s are %s', (seconds, text) => {
  expect(formatDuration(seconds, 'en')).toBe(text);
});

describe('a moment', () => {
  const now = new Date(2026, 10, 20, 9);
  it.each([
    [new Date(2026, 10, 20, 8, 5), 'en-GB', '08:05'],
    [new Date(2026, 10, 19, 23, 5), 'en-GB', '19 Nov, 23:05'],
    [new Date(2025, 10, 20, 8, 5), 'en-GB', '20 Nov 2025, 08:05'],
    [new Date(2026, 10, 20, 8, 5), 'de-DE', '08:05'],
    [new Date(2026, 10, 20, 8, 5), 'en-US', '8:05 AM'],
  ])('%s in %s is %s', (at, tag, text) => {
    expect(formatMoment(at.toISOString(), now, tag).replace('\u202f', ' ')).toBe(text);
  });
});

it('a page’s format is in its language', () => {
  const format = createFormat({ messages: {}, tag: 'de-DE' }, (count, one) => `${count} ${one ? 'Datei' : 'Dateien'}`);
  expect([format.files(1), format.files(12_000), format.number(1.5)]).toEqual(['1 Datei', '12.000 Dateien', '1,5']);
  expect(format.size(1_200_000)).toMatch(/^1,2\sMB$/);
  expect(format.day(new Date(2026, 10, 20, 9))).toBe('20. November 2026');
});
