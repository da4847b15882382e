import { expect, it } from 'vitest';
import { isTooDeep, mostLevels } from '#protocol/json-depth.ts';

const lists = (levels: number, inside = ''): string => '['.repeat(levels) + inside + ']'.repeat(levels);
const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

it.each([lists, objects])('levels are counted, of lists and objects alike', (nest) => {
  expect([mostLevels, mostLevels + 1, 1_000_000].map((levels) => isTooDeep(nest(levels)))).toEqual([false, true, true]);
});

it('what stands beside each other is not deep, however much there is', () => {
  expect(isTooDeep(`[${'{"a":[]},'.repeat(10_000)}1]`)).toBe(false);
});

it('brackets in texts are text, and closed ones hide nothing', () => {
  expect(isTooDeep(JSON.stringify(['['.repeat(10_000), '\\"{'.repeat(10_000)]))).toBe(false);
  expect(isTooDeep(`["${']'.repeat(10_000)}\\"${']'.repeat(10_000)}",${lists(mostLevels)}]`)).toBe(true);
});

it('all that it lets through can be written out again', () => {
  expect(() => JSON.stringify(JSON.parse(objects(mostLevels)))).not.toThrow();
});
