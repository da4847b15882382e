import { expect, test } from 'vitest';
import { expandBlueprints } from '#client/blueprint-template.ts';

const blank = { method: 'PUT', headers: { a: 'b' }, body: '' } as const;
const template = { ...blank, url: 'http://storage.test/key?partNumber={part_number}&signature=s', first_part: 9, last_part: 11 };
const numbered = (number: number) => ({ ...blank, url: `http://storage.test/key?partNumber=${number}&signature=s` });

test('a template becomes a blueprint for each of its parts', () => {
  expect(expandBlueprints(template, 3)).toEqual([9, 10, 11].map(numbered));
});

test('a template never becomes more blueprints than were asked for', () => {
  expect(expandBlueprints({ ...template, last_part: 1_000_000_000 }, 2)).toEqual([9, 10].map(numbered));
});

test('a list is what it is', () => {
  expect(expandBlueprints([numbered(1), numbered(2)], 2)).toEqual([numbered(1), numbered(2)]);
});
