import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { patternSteps } from '#service/filters/size.ts';
import { runs } from '#test/support/faults/seeds.ts';

describe('patternSteps', () => {
  it.each([
    ['abc', 3],
    ['[a-z0-9]+', 2],
    ['[]a]b', 2],
    ['[^]\\]a]b', 2],
    ['[[:alpha:]]b', 2],
    ['\\x{0300}\\d', 2],
    ['a\\{1000}', 7],
    ['\\Qa{1000}\\E', 11],
    ['a{3}b', 5],
    ['(ab){9}', 40],
    ['\\p{Greek}', 20],
    ['[\\pL]', 21],
  ])('%s is %i', (pattern, steps) => expect(patternSteps(pattern)).toBe(steps));

  it('is an upper bound of the size of the compiled pattern', () => {
    const { pattern } = fc.letrec((tie) => ({
      pattern: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('a', '.', '[a-z]', '\\d', '\\pL', '\\Qa{9}\\E', '\\x{41}', '^', '\\b', '[]]', '[^\\]{9}]', ''),
        fc.array(tie('pattern'), { minLength: 1, maxLength: 4 }).map((parts) => (parts as string[]).join('')),
        fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a as string}|${b as string})`),
        fc
          .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{0,3}', '{2,}', '{7}', '{1}', '{3,5}?'))
          .map(([a, times]) => `(${a as string})${times}`),
      ),
    }));
    fc.assert(
      fc.property(pattern, (source) => {
        const text = source as string;
        // Two instructions at most for a step, and the beginning and end of the program.
        expect(RE2JS.compile(text).programSize()).toBeLessThanOrEqual(2 * patternSteps(text) + 4);
      }),
      { numRuns: runs(300, 10_000) },
    );
  });
});
