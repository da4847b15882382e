import { describe, expect, it } from 'vitest';
import { baseName, isAbsolute, joined, nameFor, withPaths } from '#renderer/paths/path-text.ts';
import { addressesOf } from '#renderer/send/recipients-field.tsx';
import { initials } from '#ui/initials.ts';

it('withPaths trims, and takes each path once, in order', () => {
  expect(withPaths(['/c'], [' /a b ', '', '/c', '/a b'])).toEqual(['/c', '/a b']);
});

it('joined goes by the folder’s own system', () => {
  expect(joined('/media', 'A001')).toBe('/media/A001');
  expect(joined('/', 'A001')).toBe('/A001');
  expect(joined('C:\\rushes', 'day 12')).toBe('C:\\rushes\\day 12');
  expect(joined('C:\\', 'rushes')).toBe('C:\\rushes');
  expect([baseName('/media/A001/'), baseName('/'), baseName('C:\\rushes\\x.mov')]).toEqual(['A001', '/', 'x.mov']);
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
