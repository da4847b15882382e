import { IsDateTime } from 'typebox/format';
import { describe, expect, test } from 'vitest';
import { isPlainDateTime } from '#protocol/plain-date-time.ts';

/** What the quick look takes, the whole one takes too; what it does not take is left to the whole one. */

describe('a date-time that is taken at a glance', () => {
  test.each(['2026-11-20T18:04:11.000Z', '0001-01-01T00:00:00.000Z', '2026-02-28T23:59:59Z', '1999-12-01T00:00:00.123456789Z'])(
    '%s',
    (text) => {
      expect(isPlainDateTime(text)).toBe(true);
      expect(IsDateTime(text)).toBe(true);
    },
  );

  test('is every day of a year that is no leap year, and every minute; and nothing that a calendar or a clock does not have', () => {
    const two = (number: number): string => String(number).padStart(2, '0');
    const days = Array.from({ length: 14 * 33 }, (_, n) => `2026-${two(Math.floor(n / 33))}-${two(n % 33)}T00:00:00.000Z`);
    const times = Array.from({ length: 26 * 62 }, (_, n) => `2026-11-20T${two(Math.floor(n / 62))}:${two(n % 62)}:${two(n % 62)}Z`);
    const taken = [...days, ...times].filter(isPlainDateTime);
    expect(taken).toEqual([...days, ...times].filter(IsDateTime));
  });

  test.each([
    '',
    '2026-11-20',
    '2024-02-29T18:04:11.000Z',
    '2026-11-20T18:04:11.000',
    '2026-11-20T18:04:11.Z',
    '2026-11-20T18:04:11.000z ',
    'x2026-11-20T18:04:11Z',
    '2026-11-20T18:04:11Z\n',
  ])('is not %j', (text) => expect(isPlainDateTime(text)).toBe(false));
});
