import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notReadyNames } from '#engine/automations/rules/not-ready-names.ts';
import { compilePatterns } from '#engine/automations/rules/patterns.ts';

/** With which pattern decided, which is looked up when it is asked for. */
const said = (verdictOf: ReturnType<typeof compilePatterns>) => (path: string) => {
  const { sent, ready, by } = verdictOf(path);
  return { sent, ready, by };
};
const on = (set: Parameters<typeof compilePatterns>[0]) => compilePatterns(set, 'linux');
const sent = (pattern: string, path: string) => on({ include: [pattern] })(path).sent;

describe('patterns of an automation', () => {
  it.each([
    ['*.mov', 'clip.mov', true],
    ['*.mov', 'day 1/card/clip.mov', true],
    ['*.mov', 'clip.mov.txt', false],
    ['*.mov', 'clip.MOV', false],
    ['*.mov', 'bundle.mov/data', true],
    ['day?/*.mov', 'day1/clip.mov', true],
    ['day?/*.mov', 'other/day1/clip.mov', false],
    ['day?/*.mov', 'day1/card/clip.mov', false],
    ['/clip.mov', 'clip.mov', true],
    ['/clip.mov', 'day1/clip.mov', false],
    ['DCIM', 'card/DCIM/100/a.jpg', true],
    ['DCIM/', 'card/DCIM/100/a.jpg', true],
    ['DCIM/', 'card/DCIM', false],
    ['card/**/*.mxf', 'card/clip.mxf', true],
    ['card/**/*.mxf', 'card/a/b/clip.mxf', true],
    ['card/**', 'card/a/b', true],
    ['card/**', 'card', false],
    ['*.{mov,mx{f,g}}', 'a.mxg', true],
    ['*.{mov,mx{f,g}}', 'a.mx', false],
    ['{one}', '{one}', true],
    ['Take [12].mov', 'Take 2.mov', true],
    ['Take [!12].mov', 'Take 2.mov', false],
    ['Take [!12].mov', 'Take 3.mov', true],
    ['Take [2.mov', 'Take [2.mov', true],
    ['a{b', 'a{b', true],
    ['[]x]', ']', true],
    ['[z-a]', '-', true],
    ['\\*.mov', '*.mov', true],
    ['\\*.mov', 'a.mov', false],
    ['a+(b).$', 'a+(b).$', true],
    ['*', '.hidden', true],
    ['*.mov', 'line\nbreak.mov', true],
    ['Käse*', 'Ka\u0308se.mov', true],
  ])('%j includes %j: %j', (pattern, path, expected) => {
    expect(sent(pattern, path)).toBe(expected);
  });

  it('says which pattern decided', () => {
    const look = said(on({ include: ['*.mov', '*.mxf'], exclude: ['proxy'], notReady: ['*_copying.*'] }));
    expect(look('a/clip.mxf')).toEqual({ sent: true, ready: true, by: '*.mxf' });
    expect(look('proxy/clip.mxf')).toEqual({ sent: false, ready: true, by: 'proxy' });
    expect(look('readme.txt')).toEqual({ sent: false, ready: true, by: '' });
    expect(look('clip_copying.mov')).toEqual({ sent: true, ready: false, by: '*_copying.*' });
    expect(said(on({}))('anything')).toEqual({ sent: true, ready: true, by: '' });
  });

  it('folds case where the system does', () => {
    expect(compilePatterns({ include: ['*.mov'] }, 'win32')('CLIP.MOV').sent).toBe(true);
    expect(compilePatterns({ include: ['*.mov'] }, 'darwin')('CLIP.MOV').sent).toBe(true);
  });

  it.each([
    'film.mov.part',
    'film.mov.PART',
    'Unconfirmed 1234.crdownload',
    'film.mov.download/film.mov',
    'film.mov.filepart',
    'film.mov.a1b2c3d4.partial',
    'film.mov.aspera-ckpt',
    '.film.mov.Xy3bQz',
    '.~tmp~/film.mov',
    '.syncthing.film.mov.tmp',
    'film.mov.!qB',
    '~$report.docx',
    '.~lock.report.odt#',
    'DCIM/C0001.RSV',
    '.in.film.mov',
    '.dropbox.cache/film.mov',
    'film.mov.tmp.drivedownload',
    'Avid MediaFiles/MXF/Creating/V01.mxf',
    'disk/avid mediafiles/mxf/creating/a/V01.mxf',
  ])('knows that %j is not ready', (path) => {
    expect(on({})(path)).toMatchObject({ sent: true, ready: false });
  });

  it.each([
    'film.mov',
    'part',
    'part.mov',
    '.settings.backup',
    'download/film.mov',
    'a~$b',
    'a.temp.mov',
    'Creating/V01.mxf',
    'Avid MediaFiles/MXF/1/V01.mxf',
    'Avid MediaFiles/MXF/Creating',
  ])('takes %j for whole', (path) => {
    expect(on({})(path).ready).toBe(true);
  });

  it.each([
    ['/media/avid', 'Avid MediaFiles/MXF/Creating/V01.mxf', false],
    ['/media/Avid MediaFiles', 'MXF/Creating/V01.mxf', false],
    ['/media/Avid MediaFiles/MXF/', 'Creating/V01.mxf', false],
    ['D:\\Avid MediaFiles\\MXF', 'Creating/V01.mxf', false],
    ['/media/Avid MediaFiles/MXF', '1/V01.mxf', true],
    ['/media/Avid MediaFiles/MXF', '1/Creating/V01.mxf', true],
    ['/media/Avid MediaFiles', 'Creating/V01.mxf', true],
    ['/media/Avid MediaFiles/MXF/Creating', 'V01.mxf', true],
  ])('knows folders that are not ready wherever the watched one is: below %j %j is ready: %j', (folder, path, ready) => {
    expect(on({ folder })(path).ready).toBe(ready);
  });

  it('takes own paths that are not ready, and names the whole pattern', () => {
    const look = said(on({ notReady: ['**/Export/Pending/*.mov', 'day?/raw/'], folder: '/media/Export' }));
    const by = '**/Export/Pending/*.mov';
    expect(look('Pending/a.mov')).toEqual({ sent: true, ready: false, by });
    expect(look('x/Export/Pending/a.mov')).toEqual({ sent: true, ready: false, by });
    expect(look('Pending/a.txt').ready).toBe(true);
    expect(look('day1/raw/a.mov')).toEqual({ sent: true, ready: false, by: 'day?/raw/' });
    expect(look('x/day1/raw/a.mov').ready).toBe(true);
  });

  it('has a source for each name, but for those that a path makes unmistakable', () => {
    for (const { pattern, program, source } of notReadyNames) {
      expect(program, pattern).not.toBe('');
      expect(source === null ? pattern.startsWith('**/') : URL.canParse(source), pattern).toBe(true);
    }
  });

  it('takes any pattern, and one without special characters means itself', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (pattern, path) => {
        expect(() => on({ include: [pattern] })(path)).not.toThrow();
        const plain = pattern.replace(/[\\*?[\]{}/]/g, '');
        if (plain !== '') expect(sent(plain, plain)).toBe(true);
      }),
    );
  });

  it('matches what a pattern of stars is made for, whatever stands for them', () => {
    const piece = fc.stringMatching(/^[a-z.]{0,5}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, piece), { minLength: 1, maxLength: 5 }), (pieces) => {
        const pattern = pieces.map(([fixed]) => `${fixed}*`).join('');
        const path = pieces.map(([fixed, free]) => fixed + free).join('');
        if (path !== '') expect(sent(pattern, path)).toBe(true);
      }),
    );
  });

  it('answers a name that is made to be slow', () => {
    const look = on({ include: [`${'*a'.repeat(100)}b`, `${'**/'.repeat(50)}b`, `{${'b,'.repeat(300)}b}`] });
    expect(look(`${'a/'.repeat(100)}${'a'.repeat(255)}`).sent).toBe(false);
  });
});
