import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesNamePattern, parseNamePattern, sampleName } from '#protocol/name-pattern.ts';

const patternOf = (source: string) => {
  const parsed = parseNamePattern(source);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.pattern;
};
const matches = (source: string, name: string): boolean => matchesNamePattern(patternOf(source), name);

describe('a name', () => {
  it.each([
    ['NL_{digits:4}_{A|B}', 'NL_0042_A'],
    ['{letters:2-3}{digits}', 'ABC7'],
    ['{letters:2-3}{digits}', 'Äb12345'],
    ['{word} {date}', 'Día-7 2026-02-28'],
    ['{date:YYYYMMDD}', '20240229'],
    ['{date:YYMMDD}_{text}', '261123_anything, really. ☕'],
    ['{date:DD.MM.YYYY}', '31.01.2026'],
    ['{text}x{text}', 'axbxc'],
    ['{A|AB}{B|C}', 'ABC'],
    ['Tür', 'Tür'.normalize('NFD')],
    ['.*+?^$[]()\\', '.*+?^$[]()\\'],
  ])('is of %s: %s', (source, name) => {
    expect(matches(source, name)).toBe(true);
  });

  it.each([
    ['NL_{digits:4}_{A|B}', 'NL_0042_C'],
    ['NL_{digits:4}_{A|B}', 'NL_042_A'],
    ['NL_{digits:4}_{A|B}', 'nl_0042_A'],
    ['NL_{digits:4}_{A|B}', 'NL_0042_A '],
    ['{letters:2-3}', 'ABCD'],
    ['{word}', 'a b'],
    ['{date}', '2026-02-30'],
    ['{date}', '2026-2-3'],
    ['{date:YYYYMMDD}', '20261301'],
    ['{text}', ''],
    ['.*', 'abc'],
  ])('is not of %s: %s', (source, name) => {
    expect(matches(source, name)).toBe(false);
  });
});

it.each([
  ['{digits', 'brace'],
  ['a}b', 'brace'],
  ['{{digits}}', 'brace'],
  ['{numbers}', 'none of'],
  ['{toString}', 'none of'],
  ['{digits:0}', 'length'],
  ['{digits:4-2}', 'length'],
  ['{digits:999}', 'length'],
  ['{date:MMDD}', 'date'],
  ['{A|}', 'empty choice'],
  ['{digits}'.repeat(41), 'too many'],
])('%s is no pattern', (source, problem) => {
  expect(parseNamePattern(source)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
});

it('takes any name without a pattern only where it is not asked', () => {
  expect(patternOf('')).toEqual([]);
});

const placeholders = ['{digits}', '{digits:3}', '{letters:1-4}', '{word}', '{text}', '{date}', '{date:YYMMDD}', '{A|BC|C}', '_', 'NL '];
it('makes a sample that is of the pattern', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...placeholders), { minLength: 1, maxLength: 8 }), (parts) => {
      const source = parts.join('');
      expect(matches(source, sampleName(patternOf(source)))).toBe(true);
    }),
  );
});

it('compares the longest name with the most placeholders in few steps', () => {
  // Backtracking would take longer than the universe has existed.
  expect(matches(`${'{text}'.repeat(39)}!`, 'a'.repeat(255))).toBe(false);
  expect(matches('{text}'.repeat(40), 'a'.repeat(255))).toBe(true);
});
