import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { parseTexts, parseTimestamp } from '#service/database/value-parsers.ts';

const reads = (oid: number) => pg.types.getTypeParser(oid as typeof pg.types.builtins.INT8, 'text') as (text: string) => unknown;

describe('a moment of the database', () => {
  it.each([
    ['2026-11-21 08:15:30+00', '2026-11-21T08:15:30.000Z'],
    ['2026-11-21 08:15:30.5+00', '2026-11-21T08:15:30.500Z'],
    ['2026-11-21 08:15:30.07+00', '2026-11-21T08:15:30.070Z'],
    ['2024-02-29 23:59:59.123+00', '2024-02-29T23:59:59.123Z'],
    ['2026-11-21 08:15:30.123999+00', '2026-11-21T08:15:30.123Z'],
    ['0999-01-01 00:00:00+00', '0999-01-01T00:00:00.000Z'],
  ])('%s is read to the millisecond, and as pg-types does', (text, iso) => {
    expect((parseTimestamp(text) as Date).toISOString()).toBe(iso);
    expect(parseTimestamp(text)).toEqual(reads(1184)(text));
  });

  it.each([
    '0001-01-01 00:00:00+00',
    '2026-11-21 08:15:30+05:30',
    '2026-11-21 08:15:30.25-07',
    '0044-03-15 12:00:00+00 BC',
    '12026-11-21 08:15:30+00',
    'infinity',
    '-infinity',
  ])('%s is left to pg-types', (text) => expect(parseTimestamp(text)).toEqual(reads(1184)(text)));
});

it.each([
  '{}',
  '{a}',
  '{post@example.com,mia@example.com}',
  '{"a,b","c\\"d"}',
  '{NULL,a}',
  '{"NULL"}',
  '{{a,b},{c,d}}',
  '{"{a"}',
  '{ä,🚢}',
  '[2:3]={a,b}',
])('texts of the database, %s, are those that pg-types reads', (text) => expect(parseTexts(text)).toEqual(reads(1009)(text)));
