import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createNameCutter } from '#engine/folders/long-names.ts';
import { createSafeRoot } from '#engine/folders/safe-root.ts';
import { createTargetPlanner, type EntryKind, folderNameFor, type PlanOptions } from '#engine/folders/targets.ts';
import type { File } from '#protocol/hosted/files.ts';
import { partFault } from '#protocol/names.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

const linux: PlanOptions = { foldsCase: false, foldsUnicode: false, entryAt: () => 'nothing', collision: 'keep_both' };

function file(path: string, name: string, kind: File['kind'] = 'file'): File {
  return { id: `${path}/${name}`, kind, path, name, size: 1, last_modified: '2026-01-01T00:00:00.000Z', virus_detected: false };
}

function planTargets(listing: readonly File[], options: PlanOptions) {
  const planner = createTargetPlanner(options);
  for (const record of listing) planner.see(record);
  return listing.map(planner.plan);
}

function places(listing: readonly File[], options: Partial<PlanOptions> = {}): string[] {
  return [...planTargets(listing, { ...linux, ...options })].map((entry) => entry.local);
}

test('names that a disk tells apart stay as they are', () => {
  const listing = [file('', 'A'), file('', 'a'), file('d', 'e\u0301'), file('d', '\u00e9'), file('empty', 'folder', 'directory')];
  expect(places(listing)).toEqual(['A', 'a', 'd/e\u0301', 'd/\u00e9', 'empty/folder']);
});

test('names that a disk takes for one stand side by side', () => {
  expect(places([file('', 'A.txt'), file('', 'a.txt')], { foldsCase: true })).toEqual(['A.txt', 'a (2).txt']);
  expect(places([file('', 'e\u0301'), file('', '\u00e9')], { foldsUnicode: true })).toEqual(['e\u0301', '\u00e9 (2)']);
  expect(places([file('', 'x'), file('X', 'y')], { foldsCase: true })).toEqual(['x (2)', 'X/y']);
});

test('a number already in use is passed over', () => {
  expect(places([file('', 'a.tar.gz'), file('', 'a.tar.gz'), file('', 'a.tar (2).gz')])).toEqual([
    'a.tar.gz',
    'a.tar (2).gz',
    'a.tar (2) (2).gz',
  ]);
  expect(places([file('', '.env')], { entryAt: (path) => (path === '.env' ? 'file' : 'nothing') })).toEqual(['.env (2)']);
});

test.each([
  ['keep_both', ['a (2).txt', 'b.txt', 'c (2)', 'd (2)'], ['', '', '', '']],
  ['replace', ['a.txt', 'b.txt', 'c (2)', 'd (2)'], ['', '', '', '']],
  ['skip', ['', 'b.txt', 'c (2)', 'd (2)'], ['skipped', '', '', '']],
] as const)('what is there already, by the rule %s: only files are replaced or left alone', (collision, local, states) => {
  const there: Record<string, EntryKind> = { 'a.txt': 'file', c: 'other' };
  const listing = [file('', 'a.txt'), file('', 'b.txt'), file('', 'c'), file('', 'd'), file('d', 'e')];
  const planned = [...planTargets(listing, { ...linux, entryAt: (path) => there[path] ?? 'nothing', collision })].slice(0, 4);
  expect(planned.map((entry) => entry.local)).toEqual(local);
  expect(planned.map((entry) => entry.state ?? '')).toEqual(states);
});

test('two files of the package never replace each other', () => {
  const listing = [file('', 'A.txt'), file('', 'a.txt')];
  for (const collision of ['replace', 'skip'] as const) {
    const planned = [
      ...planTargets(listing, { ...linux, foldsCase: true, entryAt: (path) => (path === 'A.txt' ? 'file' : 'nothing'), collision }),
    ];
    expect(planned.map((entry) => entry.local)).toEqual(collision === 'replace' ? ['A.txt', 'a (2).txt'] : ['', 'a (2).txt']);
  }
});

test('whatever the listing says, every place is below the root, of harmless parts, and of one file only', () => {
  const part = fc.oneof(
    fc.constantFrom('..', '.', '', 'a', 'A', 'con', 'C:', '\\', '/', 'a/b', '\0', 'x.', ' '),
    fc.string({ maxLength: 5 }),
  );
  const record = fc.tuple(fc.array(part, { maxLength: 3 }), part, fc.boolean());
  fc.assert(
    fc.property(fc.array(record, { maxLength: 12 }), fc.boolean(), (records, foldsCase) => {
      const listing = records.map(([path, name, folder]) => file(path.join('/'), name, folder ? 'directory' : 'file'));
      const entries = [...planTargets(listing, { ...linux, foldsCase })];
      expect(entries).toHaveLength(listing.length);
      const files = entries.filter((entry) => entry.state !== 'error' && entry.kind === 'file').map((entry) => entry.local);
      const folded = files.map((local) => (foldsCase ? local.toLowerCase() : local));
      expect(new Set(folded).size).toBe(files.length);
      for (const entry of entries) {
        if (entry.state === 'error') expect(entry.error?.message).toContain('was not written');
        else for (const step of entry.local.split('/')) expect(partFault(step)).toBeNull();
      }
    }),
  );
});

test.each([
  ['Dailies, day 12', 'Dailies, day 12'],
  ['../../evil', '.._.._evil'],
  ['a:b*c?', 'a_b_c_'],
  ['trailing. . ', 'trailing'],
  ['NUL', '_NUL'],
  ['...', 'package'],
  ['\u0000\u001b', '__'],
  ['x'.repeat(400), 'x'.repeat(200)],
  ['a\u202egnp', 'a_gnp'],
])('the folder for a package named %j', (name, folder) => {
  expect(folderNameFor(name)).toBe(folder);
});

test('of ten thousand names that the disk takes for one each is asked for once, not for every number before its own', () => {
  // 14 letters in every mixture of cases.
  const listing = Array.from({ length: 10_000 }, (_, index) =>
    file('', [...'abcdefghijklmn'].map((letter, at) => ((index >> at) & 1 ? letter.toUpperCase() : letter)).join('')),
  );
  let asked = 0;
  const entryAt = (): EntryKind => {
    asked++;
    return 'nothing';
  };
  const found = places(listing, { foldsCase: true, entryAt });
  expect(new Set(found.map((place) => place.toLowerCase())).size).toBe(10_000);
  expect(found.at(-1)).toMatch(/ \(10000\)$/);
  expect(asked).toBeLessThan(20_000);
});

test('characters that turn the direction of text are replaced, and told', () => {
  const planner = createTargetPlanner(linux);
  const listing = [
    file('', 'photo\u202egnp.exe'),
    file('', 'photo_gnp.exe'),
    file('a\u2066/b', 'c\u200f.txt'),
    file('', 'empty\u2069', 'directory'),
    file('', '\u202e..'),
  ];
  for (const record of listing) planner.see(record);
  const planned = listing.map(planner.plan);
  expect(planned.slice(0, 4).map(({ local }) => local)).toEqual(['photo_gnp.exe', 'photo_gnp (2).exe', 'a_/b/c_.txt', 'empty_']);
  expect(planned.slice(0, 4).map(({ path, name }) => [path, name])).toEqual(listing.slice(0, 4).map(({ path, name }) => [path, name]));
  // What is left of it is judged as any other name.
  expect(planned[4]).toMatchObject({ state: 'error' });
  expect(planner.redirected).toEqual({ count: 3, first: 'photo\ufffdgnp.exe' });
});

test('two thousand folders within each other are looked at once each', () => {
  const parts = Array.from({ length: 2_000 }, () => 'd');
  const listing = parts.map((_, depth) => file(parts.slice(0, depth).join('/'), 'd', 'directory'));
  let folded = 0;
  const counting = {
    ...linux,
    get foldsCase() {
      folded++;
      return false;
    },
  };
  const planned = planTargets(listing, counting);
  expect(planned.at(-1)!.local).toBe(parts.join('/'));
  // One for each that is seen, and one for that above it, which is known.
  expect(folded).toBeLessThan(5_000);
  expect(planTargets([file(`${parts.join('/')}/nul/x`, 'y')], linux)[0]!.error?.message).toContain('is a device on Windows');
});

test('of paths with a thousand folders each no folder is looked at by itself', () => {
  const listing = Array.from({ length: 20 }, (_, index) => file(`${index}${'/d'.repeat(1_000)}`, 'x'));
  let folded = 0;
  const planned = planTargets(listing, {
    ...linux,
    get foldsCase() {
      folded++;
      return true;
    },
  });
  expect(planned.every(({ local }, index) => local === `${listing[index]!.path}/x`)).toBe(true);
  expect(folded).toBeLessThan(10 * listing.length);
});

describe('a path that is too long as a whole', () => {
  const deep = Array.from({ length: 21 }, () => 'd'.repeat(199)).join('/');
  const listing = [file(deep, 'a.mov'), file(`${deep}e`, 'a.mov'), file(deep, 'b.mov'), file('day', 'c.mov')];

  test('is an error of its own file, and the rest arrives', () => {
    const planned = planTargets(listing, { ...linux, entryAt: createSafeRoot('/').entryAt });
    expect(planned.map(({ state, local }) => [state, local])).toEqual([
      ['error', ''],
      ['error', ''],
      ['error', ''],
      [undefined, 'day/c.mov'],
    ]);
    expect(planned[0]!.error?.message).toMatch(/longer than the disk can hold/);
  });

  test('lies in a folder of its own where that is asked for', async () => {
    const own = await diskFolder();
    try {
      const found = places(listing, { cut: createNameCutter(own.path), entryAt: createSafeRoot(own.path).entryAt });
      const shape = (place: string): string => place.replaceAll(/[0-9a-f]{20}/g, '#');
      expect(found.map(shape)).toEqual(['_x2026_#/a.mov', '_x2026_#/a.mov', '_x2026_#/b.mov', 'day/c.mov']);
      expect(new Set(found).size).toBe(4);
    } finally {
      await own.remove();
    }
  });
});

test('names that a disk cannot hold are cut where that is asked for, and none of them becomes another', async () => {
  const own = await diskFolder();
  try {
    const long = '影'.repeat(100);
    const listing = [
      file('', `${long}a.mov`),
      file('', `${long}b.mov`),
      file(`${long}/in`, 'x.mov'),
      file('', `${'y'.repeat(251)}.mov`),
      file('', 'short.mov'),
    ];
    const cut = createNameCutter(own.path);
    const taken = `${'y'.repeat(251)}.mov`;
    const found = places(listing, { cut, entryAt: (path) => (path === taken ? 'file' : 'nothing') });
    const shape = (place: string): string =>
      place
        .replaceAll(/影+/g, '影')
        .replaceAll(/y+/g, 'y')
        .replaceAll(/[0-9a-f]{20}/g, '#');
    expect(found.map(shape)).toEqual(['影_x2026_#.mov', '影_x2026_#.mov', '影_x2026_#/in/x.mov', 'y_x2026_#.mov', 'short.mov']);
    expect(new Set(found).size).toBe(5);
    for (const place of found) for (const step of place.split('/')) writeFileSync(join(own.path, `${step}`), '');
    expect(places([file('', taken)], { cut })).toEqual([taken]);
    // The same package lands in the same names.
    expect(places(listing, { cut: createNameCutter(own.path), entryAt: (path) => (path === taken ? 'file' : 'nothing') })).toEqual(found);
  } finally {
    await own.remove();
  }
});
