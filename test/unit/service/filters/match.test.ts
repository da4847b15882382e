import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FilterRule } from '#protocol/hosted/filters.ts';
import { limits } from '#protocol/limits.ts';
import { compileFilter, FilterError } from '#service/filters/match.ts';
import { anyCharacter } from '#test/support/any-text.ts';
import { runs } from '#test/support/faults/seeds.ts';

const rule = (action: FilterRule['action'], ...values: string[]): FilterRule => ({
  action,
  criterion: 'file_name',
  operator: 'regex_match',
  values,
});

describe('compileFilter', () => {
  const cases: readonly [values: string[], name: string, matches: boolean][] = [
    [['\\.(mov|mxf)$'], 'A001.mov', true],
    [['\\.(mov|mxf)$'], 'A001.MOV', false],
    [['(?i)\\.(mov|mxf)$'], 'A001.MOV', true],
    [['\\.(mov|mxf)$'], 'A001.mov.txt', false],
    [['A'], 'xAx', true],
    [['^A$'], 'xAx', false],
    [['^a', 'z$'], 'buzz', true],
    [['^a', 'z$'], 'bus', false],
    [['^.$'], '😀', true],
    [['^\\pL+$'], 'Übung', true],
    // macOS sends names decomposed.
    [['^übung$'], 'u\u0308bung', true],
    [['^a\\x{0301}?.{3}$'], 'abcd', true],
  ];
  it.each(cases)('%j and %j', (values, name, matches) => {
    expect(compileFilter([rule('include', ...values)])(name)).toBe(matches);
    expect(compileFilter([rule('exclude', ...values)])(name)).toBe(!matches);
  });

  it('says how large it is', () => {
    expect(compileFilter([rule('include', 'abc')]).steps).toBeLessThan(10);
    expect(compileFilter([rule('include', '(a?){480}[yz]$')]).steps).toBeGreaterThan(480);
  });

  it('agrees with a small model: one matching value is enough, and exclusion is the opposite', () => {
    const part = fc.constantFrom('a', 'b', 'c', '.');
    const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
    const value = fc.record({ start: fc.boolean(), end: fc.boolean(), literal: text.filter((it) => it !== '') });
    fc.assert(
      fc.property(fc.constantFrom('include', 'exclude'), fc.array(value, { minLength: 1, maxLength: 4 }), text, (action, values, name) => {
        const sources = values.map(({ start, end, literal }) => `${start ? '^' : ''}${literal.replaceAll('.', '\\.')}${end ? '$' : ''}`);
        const some = values.some(({ start, end, literal }) =>
          start && end ? name === literal : start ? name.startsWith(literal) : end ? name.endsWith(literal) : name.includes(literal),
        );
        expect(compileFilter([rule(action, ...sources)])(name)).toBe(action === 'include' ? some : !some);
      }),
    );
  });

  it('refuses two rules with one criterion, none, and too many', () => {
    expect(() => compileFilter([rule('include', 'a'), rule('exclude', 'b')])).toThrow(
      new FilterError('rules[1].criterion: another rule has file_name too; put its values in one rule.'),
    );
    expect(() => compileFilter([])).toThrow('rules: a filter has 1 to 20 rules.');
    expect(() => compileFilter(Array.from({ length: 21 }, () => rule('include', 'a')))).toThrow('rules: a filter has 1 to 20 rules.');
    expect(() => compileFilter([rule('include')])).toThrow('rules[0].values must not be empty.');
  });

  const refusals: readonly [pattern: string, reason: string][] = [
    ['a(?=b)', 'at character 2 ((?=), look-ahead is not supported'],
    ['😀(?!b)', 'at character 2 ((?!), look-ahead is not supported'],
    ['(?<=a)b', 'at character 1 ((?<=), look-behind is not supported'],
    ['x(?<!a)b', 'at character 2 ((?<!), look-behind is not supported'],
    ['(a)\\1', 'at character 4 (\\1), backreferences are not supported'],
    // The first of those that are no escaped backslash.
    ['(a)\\\\1\\1\\1', 'at character 7 (\\1), backreferences are not supported'],
    ['(?<n>a)\\k<n>', 'at character 8 (\\k), backreferences are not supported'],
    ['a(?>b)', 'at character 2 ((?>), atomic groups are not supported'],
    ['a**', 'at character 2 (**), invalid nested repetition operator'],
    ['*.mov', 'at character 1 (*), missing argument to repetition operator'],
    ['[(]a(b(c)', 'at character 5 ((), missing closing )'],
    ['a)', 'at character 2 ()), unexpected )'],
    ['a[b', 'at character 2 ([b), missing closing ]'],
    ['ab[z-a]', 'at character 4 (z-a), invalid character class range'],
    ['a{1001}', 'at character 2 ({1001}), invalid repeat count'],
    ['\\p{Klingon}', 'at character 1 (\\p{Klingon}), invalid character class range'],
    ['ab\\', 'at character 3 (\\), trailing backslash at end of expression'],
  ];
  it.each(refusals)('refuses %j, with the position and the reason', (pattern, reason) => {
    expect(() => compileFilter([rule('include', 'fine', pattern)])).toThrow(
      new FilterError(`rules[0].values[1] is not a regular expression that can be used: ${reason}.`),
    );
  });

  it('refuses characters that no name contains', () => {
    for (const value of ['a\0', '\ud800']) {
      expect(() => compileFilter([rule('include', value)])).toThrow('rules[0].values[0] holds a character that no file name can have.');
    }
  });

  it('refuses what compiles to too much, before compiling it', () => {
    const large = 'rules[0].values[0] makes the filter too large.';
    for (const pattern of [
      '(?:a?){0,1000}'.repeat(70),
      'a{1000}'.repeat(142),
      `(?:${'a?'.repeat(490)}){1000}`,
      '((((a{10}){10}){10}){10}){10}',
    ]) {
      expect(() => compileFilter([rule('include', pattern)])).toThrow(large);
    }
    const values = Array.from({ length: limits.valuesPerRule }, (_, i) => `${i}`.padEnd(101, 'x'));
    expect(() => compileFilter([rule('include', ...values)])).toThrow(/^rules\[0\]\.values\[99\] makes the filter too large/);
    expect(compileFilter([rule('include', ...values.slice(1))])('7'.padEnd(101, 'x'))).toBe(true);
  });

  it('ends for patterns on which backtracking would not', () => {
    const long = 'a'.repeat(4_000);
    for (const pattern of [
      '^(a*)*b$',
      '^(a|a)*c$',
      '^(a|aa)+b$',
      '(.*a){20}b',
      '^(\\w+\\s?)*!$',
      '^(([a-z])+.)+[A-Z]$',
      '(a?){500}a{500}b',
    ]) {
      expect([pattern, compileFilter([rule('include', pattern)])(long)]).toEqual([pattern, false]);
    }
  });

  it('throws nothing but FilterError for any text', () => {
    const pieces = fc.constantFrom(
      'a',
      '(',
      ')',
      '[',
      ']',
      '{2}',
      '{,',
      '*',
      '?',
      '|',
      '\\',
      '\\Q',
      '\\E',
      '(?',
      '(?<',
      '^',
      '[:alpha:]',
      'é',
      '\\pL',
      '\\x{41}',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.array(pieces).map((all) => all.join('')),
        ),
        (pattern) => {
          fc.pre(pattern !== '');
          try {
            expect(typeof compileFilter([rule('include', pattern)])('name')).toBe('boolean');
          } catch (error) {
            if (!(error instanceof FilterError)) throw error;
          }
        },
      ),
      { numRuns: runs(500, 20_000) },
    );
  });
});
