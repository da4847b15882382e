import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folderNameOf, type GroupingRule, groupPackages } from '#engine/automations/rules/group-packages.ts';

/** `a/b` is ready, `a/b…` is not yet, `a/b✓` was sent. */
const files = (...paths: string[]) =>
  paths.map((path) => ({ path: path.replace(/[…✓]$/, ''), ready: !path.endsWith('…'), sent: path.endsWith('✓') }));

function grouped(per: GroupingRule['per'], paths: string[], marker?: string) {
  const { packages, waiting } = groupPackages(files(...paths), { per, marker, folderName: 'in' });
  return {
    packages: packages.map(({ name, folder, files: some }) => [`${folder}/${name}`, ...some.map(({ path }) => path)]),
    waiting: waiting.map(({ path, why }) => `${path}: ${why}`),
  };
}

describe('one package for each entry', () => {
  it('sends files and folders once all in them is ready', () => {
    expect(grouped('entry', ['a.mov', 'card/1', 'card/sub/2', 'half/1', 'half/2…', 'old.mov✓', 'more/1✓', 'more/2'])).toEqual({
      packages: [
        ['in/a.mov', 'a.mov'],
        ['in/card', 'card/1', 'card/sub/2'],
        ['in/more', 'more/2'],
      ],
      waiting: ['half: not_ready'],
    });
  });
});

describe('one package for all that is ready', () => {
  it('tears no folder apart', () => {
    expect(grouped('batch', ['a.mov', 'card/1', 'half/1', 'half/2…'])).toEqual({
      packages: [['in/in', 'a.mov', 'card/1']],
      waiting: ['half: not_ready'],
    });
  });

  it('makes none of nothing', () => {
    expect(grouped('batch', ['a.mov…', 'b.mov✓'])).toEqual({ packages: [], waiting: ['a.mov: not_ready'] });
  });
});

describe('one package for each completed folder', () => {
  it('waits for the marker, wherever the folder is', () => {
    expect(grouped('marker', ['card/1', 'show/day1/1', 'show/day1/_READY', 'show/day2/1', 'loose.mov'])).toEqual({
      packages: [['show/day1', 'show/day1/1', 'show/day1/_READY']],
      waiting: ['card: no_marker', 'show: no_marker', 'loose.mov: no_marker'],
    });
  });

  it('waits for what is not ready under a marker', () => {
    expect(grouped('marker', ['card/1…', 'card/_ready'])).toEqual({ packages: [], waiting: ['card: not_ready'] });
  });

  it('takes the outermost completed folder', () => {
    expect(grouped('marker', ['a/_READY', 'a/b/_READY', 'a/b/1']).packages).toEqual([['in/a', 'a/_READY', 'a/b/_READY', 'a/b/1']]);
  });

  it('sends what comes later to a completed folder', () => {
    expect(grouped('marker', ['a/_READY✓', 'a/1✓', 'a/2']).packages).toEqual([['in/a', 'a/2']]);
  });

  it('takes patterns, and those with folders complete the folder that these begin in', () => {
    expect(grouped('marker', ['card/1', 'card/card_2026.MHL'], '*.mhl').packages).toEqual([['in/card', 'card/1', 'card/card_2026.MHL']]);
    expect(grouped('marker', ['card/1', 'card/ascmhl/0001.mhl'], 'ascmhl/*.mhl').packages).toEqual([
      ['in/card', 'card/1', 'card/ascmhl/0001.mhl'],
    ]);
  });

  it('takes the watched folder for one, each time by a new marker', () => {
    expect(grouped('marker', ['_READY', 'a', 'b/1']).packages).toEqual([['in/in', '_READY', 'a', 'b/1']]);
    expect(grouped('marker', ['_READY✓', 'a✓', 'c'])).toEqual({ packages: [], waiting: ['c: no_marker'] });
  });

  it('completes by a sidecar what has its name', () => {
    expect(
      grouped('marker', ['clip.mov', 'clip.xml', 'other.mov', 'Card/1', 'card.xml', 'day/x.y.mov', 'day/x.y.xml'], '{name}.xml'),
    ).toEqual({
      packages: [
        ['in/clip', 'clip.mov', 'clip.xml'],
        ['in/card', 'Card/1', 'card.xml'],
        ['day/x.y', 'day/x.y.mov', 'day/x.y.xml'],
      ],
      waiting: ['other.mov: no_marker'],
    });
  });

  it('sends no marker alone', () => {
    expect(grouped('marker', ['clip.xml'], '{name}.xml')).toEqual({ packages: [], waiting: ['clip: marker_only'] });
    expect(grouped('marker', ['a/_READY', 'a/1✓'])).toEqual({ packages: [], waiting: ['a: marker_only'] });
  });
});

it('puts every unsent file into one package or one waiting group, and every sent one into none', () => {
  const part = fc.constantFrom('a', 'b', '_READY', 'c.mov', 'c.xml');
  const file = fc.record({
    path: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
    ready: fc.boolean(),
    sent: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(file, { selector: ({ path }) => path, maxLength: 30 }),
      fc.constantFrom('entry' as const, 'batch' as const, 'marker' as const),
      fc.constantFrom('_READY', '{name}.xml', 'a/*'),
      (all, per, marker) => {
        const { packages, waiting } = groupPackages(all, { per, marker, folderName: 'in' });
        const seen = [...packages, ...waiting].flatMap((group) => group.files.map(({ path }) => path)).sort();
        expect(seen).toEqual(
          all
            .filter(({ sent }) => !sent)
            .map(({ path }) => path)
            .sort(),
        );
        for (const group of packages) expect(group.files.every(({ ready }) => ready)).toBe(true);
      },
    ),
  );
});

it('names a watched folder', () => {
  expect(['/media/in', '/media/in/', 'C:\\in\\day', '/'].map(folderNameOf)).toEqual(['in', 'in', 'day', 'root']);
});
