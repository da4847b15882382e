import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryFault, isBlank, nameFrom, namePattern, partFault } from '#protocol/names.ts';

describe('names that every system holds', () => {
  it.each([
    ['', 'a.txt'],
    ['camera-a/day 1', 'A001C001.mov'],
    ['', '.hidden'],
    ['..a/b..c', 'x..y'],
    ['Ünïcode/日本語', 'e\u0301.txt'],
    ['', '👩‍👩‍👧.png'],
    ['', 'console.log'],
    ['', 'com10.txt'],
    ['', 'lpt'],
    ['', ' leading space'],
    ['', 'x'.repeat(255)],
    ['', '-rf'],
    ['a'.repeat(255), "it's & $HOME %PATH%"],
  ])('%j %j', (path, name) => {
    expect(entryFault(path, name)).toBeNull();
  });
});

describe('names that some system cannot hold are refused with the reason', () => {
  it.each([
    ['', '', 'name', 'empty'],
    ['', ' ', 'name', 'shows nothing'],
    ['', '\u200b', 'name', 'shows nothing'],
    ['\u3000\u00a0/a', 'b', 'path', 'shows nothing'],
    ['', '.', 'name', 'another folder'],
    ['', '..', 'name', 'another folder'],
    ['..', 'a', 'path', 'another folder'],
    ['a/../b', 'a', 'path', 'another folder'],
    ['a/.', 'a', 'path', 'another folder'],
    ['/etc', 'passwd', 'path', 'absolute'],
    ['/', 'passwd', 'path', 'absolute'],
    ['C:/Windows', 'a', 'path', ':'],
    ['a//b', 'a', 'path', 'empty'],
    ['a/', 'a', 'path', 'empty'],
    ['', 'a/b', 'name', 'separates folders'],
    ['', 'a\\b', 'name', '\\'],
    ['..\\..', 'a', 'path', '\\'],
    ['', 'a\0b', 'name', 'NUL'],
    ['', 'a\nb', 'name', 'control'],
    ['', 'a\u007f', 'name', 'control'],
    ['', 'a\u0085', 'name', 'control'],
    ['', '\ud800', 'name', 'well-formed'],
    ['', 'a.', 'name', 'dot'],
    ['a ', 'b', 'path', 'space'],
    ['', 'CON', 'name', 'device'],
    ['', 'nul.txt', 'name', 'device'],
    ['', 'NUL .tar.gz', 'name', 'device'],
    ['Com1/x', 'a', 'path', 'device'],
    ['', 'LPT²', 'name', 'device'],
    ['', 'CONIN$', 'name', 'device'],
    ['', 'x'.repeat(256), 'name', '255'],
    ...[...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'].flatMap((character) => [
      ['', `a${character}gnp.exe`, 'name', 'turns the direction'],
      [`day/${character}1`, 'a', 'path', 'turns the direction'],
    ]),
    ...[...'<>:"|?*'].map((character) => ['', `a${character}b`, 'name', character]),
  ])('%j %j', (path, name, field, reason) => {
    const fault = entryFault(path!, name!);
    expect(fault).toMatch(new RegExp(`^${field}: .*\\.$`));
    expect(fault).toContain(reason);
  });

  it('whatever is let through stays inside the folder that it is written to', () => {
    const piece = fc.constantFrom('..', '.', '/', '\\', 'a', ' ', '\0', 'é', ':', 'con', '.txt');
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, (path, name) => {
        fc.pre(entryFault(path, name) === null);
        const parts = [...(path === '' ? [] : path.split('/')), name];
        for (const part of parts) {
          expect(['', '.', '..']).not.toContain(part);
          expect(part).not.toMatch(/[/\\:\0]/);
          expect(partFault(part)).toBeNull();
        }
      }),
    );
  });
});

describe('names that people give', () => {
  const fits = (text: string) => new RegExp(namePattern, 'u').test(text);

  it.each([
    '',
    ' ',
    '\t\n',
    '\u00a0',
    '\u3000 ',
    '\u2003',
    '\u200b\u200c\u200d',
    '\ufeff',
    '\u2060',
    '\u00ad',
    '\u3164',
    '\u2800',
    '\ufe0f',
    '\u{e0020}',
  ])('%j shows nothing', (text) => {
    expect([isBlank(text), fits(text), nameFrom(text, 'Files')]).toEqual([true, false, 'Files']);
  });

  it.each(['a', ' a ', '日本', '👩‍👩‍👧', '\u200bx', 'שלום', '0', '.', '\u0301'])('%j is a name', (text) => {
    expect([isBlank(text), fits(text), nameFrom(text, 'Files')]).toEqual([false, true, text]);
  });

  it.each([...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'])(
    '%j turns the direction, wherever it stands',
    (one) => {
      for (const text of [`${one}a`, `a${one}`, `a${one}b`, one]) expect(fits(text)).toBe(false);
      expect(nameFrom(`a${one}b`, 'Files')).toBe('a_b');
    },
  );

  it('are judged in time that grows with their length', () => {
    expect(fits(`${'a'.repeat(255)}\u202e`)).toBe(false);
    expect(fits(`${' '.repeat(255)}`)).toBe(false);
  });
});
