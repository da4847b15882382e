import { describe, expect, it } from 'vitest';
import { addressesOf, isAbsolute, linesOf, nameFor } from '#renderer/send/lists.ts';
import { initials } from '#renderer/session/initials.ts';

it('linesOf trims and drops empty lines and repeats', () => {
  expect(linesOf(' /a b \r\n\n/c\n/a b')).toEqual(['/a b', '/c']);
});

it('addressesOf takes commas, semicolons, spaces and lines', () => {
  expect(addressesOf('a@b.example, c@d.example;e@f.example\ng@h.example a@b.example')).toEqual([
    'a@b.example',
    'c@d.example',
    'e@f.example',
    'g@h.example',
  ]);
});

describe('nameFor', () => {
  it.each([
    [[], ''],
    [['/media/A001'], 'A001'],
    [['/media/A001/'], 'A001'],
    [['/media/A001', '/media/A002'], 'media'],
    [['C:\\rushes\\day 12'], 'day 12'],
    [['/A001', '/A002'], 'A001'],
    [['/'], ''],
  ])('%j', (paths, name) => {
    expect(nameFor(paths)).toBe(name);
  });
});

it.each([
  ['/media', true],
  ['C:\\media', true],
  ['c:/media', true],
  ['\\\\nas\\media', true],
  ['media', false],
  ['./media', false],
  ['C:media', false],
  ['', false],
])('isAbsolute(%j)', (path, expected) => {
  expect(isAbsolute(path)).toBe(expected);
});

it.each([
  ['Mia Lindqvist', 'ML'],
  ['mia', 'M'],
  ['Ána von  Öst', 'ÁÖ'],
  ['', '?'],
])('initials(%j)', (name, letters) => {
  expect(initials(name)).toBe(letters);
});
