import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageName, packageNameFault } from '#engine/automations/rules/package-name.ts';
import { hasBidiControl, isBlank } from '#protocol/names.ts';

const parts = { name: 'card_A001', folder: 'day 1', counter: 7, at: Date.UTC(2026, 10, 23, 23, 5, 9), timeZone: 'Europe/Berlin' };

describe("a package's name", () => {
  it('is made by the template', () => {
    expect(packageName('{folder} {name} {date} {time} #{counter}', parts)).toBe('day 1 card_A001 2026-11-24 00-05-09 #7');
  });

  it("is the entry's without a template", () => {
    expect(packageName(undefined, parts)).toBe('card_A001');
  });

  it('keeps braces that stand in the name of a file', () => {
    expect(packageName('{name}', { ...parts, name: '{date} {x}' })).toBe('{date} {x}');
  });

  it('is the date where nothing of it can be seen', () => {
    expect(packageName('{name}', { ...parts, name: `${'\u200b'.repeat(300)}a` })).toBe('2026-11-24');
  });

  it('can always be used', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ' ', '\u202e', '\u200b', '😀', '{', '}', '\ud800'), maxLength: 300 }),
        fc.constantFrom(undefined, '{name}{folder}', ' {name} '),
        (name, template) => {
          const made = packageName(template, { ...parts, name, folder: name });
          expect(made.length).toBeLessThanOrEqual(255);
          expect(isBlank(made) || hasBidiControl(made)).toBe(false);
        },
      ),
    );
  });
});

describe('a template', () => {
  it('is refused for what stands for nothing', () => {
    expect(packageNameFault('{nmae} {date}')).toBe('{nmae} stands for nothing. Use {name}, {date}, {time}, {folder}, {counter}.');
    expect(packageNameFault(' ')).toBe('it is empty.');
    expect(packageNameFault('Day {date}')).toBeNull();
  });
});
