import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { azurePaths } from '#providers/azure/paths.ts';
import type { PathRules } from '#providers/ports.ts';
import { foldedPath, originalName, safeName, safeNames, safePath } from '#service/transfers/delivery/names.ts';
import { anyCharacter } from '#test/support/any-text.ts';
import { runs } from '#test/support/faults/seeds.ts';

/** As strict as any: no control characters, backslashes, asterisks; no space or dot at either end. */
const strict: PathRules = {
  problem: (path) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
    if (/[\u0000-\u001f\\*]/.test(path) || !path.isWellFormed()) return 'A character is refused.';
    return path.split('/').some((step) => step === '' || step !== step.trim() || step.startsWith('.') || step.endsWith('.'))
      ? 'A name begins or ends with a space or a dot.'
      : null;
  },
  ignoresCase: true,
};

/** Names that hit every branch often. */
const name = fc
  .oneof(
    {
      weight: 3,
      arbitrary: fc.string({ unit: fc.constantFrom('_', 'x', '0', '4', 'F', 'a', 'A', 'b', ' ', '.', '*', '\\', '\t', 'é', '😀') }),
    },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter }) },
    { weight: 1, arbitrary: fc.constantFrom('_x0041_', '_x005F_x0041_', 'a_x0041', '_x0041_x0042_', '\ud800', '..', '.', ' ') },
  )
  .filter((one) => one !== '' && !one.includes('/'));

describe('names that a provider cannot hold', () => {
  test.each([
    ['usual.mov', 'usual.mov'],
    ['shot_x1234.mov', 'shot_x1234.mov'],
    ['is_x0041_.mov', 'is_x005F_x0041_.mov'],
    ['a*b', 'a_x002A_b'],
    ['ends with a dot.', 'ends with a dot_x002E_'],
    [' begins with a space', '_x0020_begins with a space'],
    [' both ', '_x0020_both_x0020_'],
    ['.', '_x002E_'],
    ['tab\there', 'tab_x0009_here'],
  ])('%j becomes %j', (before, after) => {
    expect(safeName(strict, before)).toBe(after);
  });

  test('a path keeps its steps', () => {
    expect(safePath(azurePaths, 'day 1./a\u0085b/c')).toBe('day 1_x002E_/a_x0085_b/c');
  });

  test('every name is held, and turned back', () => {
    fc.assert(
      fc.property(name, (one) => {
        const safe = safeName(strict, one);
        expect(strict.problem(safe)).toBeNull();
        expect(originalName(safe)).toBe(one);
      }),
      { numRuns: runs(500, 20_000) },
    );
  });

  test('every other spelling is turned back too, and one is free whatever else is there', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 8 }), fc.boolean(), (names, isReversed) => {
        const taken = new Set<string>();
        for (const one of isReversed ? names.toReversed() : names) {
          const all = [...safeNames(strict, one)];
          for (const spelling of all) expect(originalName(spelling)).toBe(one);
          const free = all.find((spelling) => !taken.has(foldedPath(spelling)));
          expect(free, one).toBeDefined();
          taken.add(foldedPath(free!));
        }
      }),
      { numRuns: runs(300, 10_000) },
    );
  });

  test('names that differ in case alone are told apart by their first letters', () => {
    expect([...safeNames(strict, 'aB.c')]).toEqual(['aB.c', '_x0061_B.c', '_x0061__x0042_.c', '_x0061__x0042_._x0063_']);
  });

  test('what no change helps is left as it is', () => {
    const short: PathRules = { problem: (path) => (path.length > 3 ? 'Too long.' : null), ignoresCase: false };
    expect(safeName(short, 'long')).toBe('long');
  });
});
