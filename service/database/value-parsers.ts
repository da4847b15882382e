import pg from 'pg';

/**
 * How values from PostgreSQL are parsed. We replace the parsers of pg-types that would take a large part of the time
 * of a list's page.
 */

const { INT8: int8, TIMESTAMPTZ: timestamptz } = pg.types.builtins;
/** pg-types has no name for this type, only its number. */
const texts = 1_009 as typeof int8;

type Parse = (text: string) => unknown;

const parseAnyTimestamp = pg.types.getTypeParser(timestamptz, 'text') as Parse;
const parseAnyTexts = pg.types.getTypeParser(texts, 'text') as Parse;

const own: Readonly<Record<number, Parse>> = {
  // Sizes are bytes, far below 2^53.
  [int8]: Number,
  [timestamptz]: parseTimestamp,
  [texts]: parseTexts,
};

export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : own[oid]) ??
    pg.types.getTypeParser(oid as typeof int8, format as 'text')) as pg.CustomTypesConfig['getTypeParser'],
};

const digit = (text: string, at: number): number => text.charCodeAt(at) - 48;
const two = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

/**
 * Parses a timestamp that PostgreSQL wrote in UTC, `2026-11-21 08:15:30.123456+00`, to whole milliseconds. Other
 * forms are parsed by pg-types.
 */
export function parseTimestamp(text: string): unknown {
  const end = text.length - 3;
  const usual = end >= 19 && end <= 26 && text.endsWith('+00') && text.charAt(4) === '-' && !text.startsWith('00');
  if (!usual) return parseAnyTimestamp(text);
  let milliseconds = 0;
  for (let at = 20, worth = 100; at < 23; at += 1, worth /= 10) if (at < end) milliseconds += digit(text, at) * worth;
  const year = two(text, 0) * 100 + two(text, 2);
  return new Date(Date.UTC(year, two(text, 5) - 1, two(text, 8), two(text, 11), two(text, 14), two(text, 17), milliseconds));
}

/** Parses a list of texts of which none is quoted or null, `{a,b}`. Other forms are parsed by pg-types. */
export function parseTexts(text: string): unknown {
  if (text === '{}') return [];
  if (text.startsWith('{') && !/["\\]|NULL|\{.*\{/.test(text)) return text.slice(1, -1).split(',');
  return parseAnyTexts(text);
}
