import { expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import { rangesOf, rangesOfAll, rangesOfFolder } from '#web/download/choice/ranges.ts';

const record = (whole: string, kind: File['kind'] = 'file'): File => {
  const slash = whole.lastIndexOf('/');
  return {
    id: whole,
    kind,
    name: whole.slice(slash + 1),
    path: slash < 0 ? '' : whole.slice(0, slash),
    last_modified: '2026-11-20T18:04:11.000Z',
    size: 1,
    virus_detected: false,
  };
};

/** In the service's order: by path, then by name, byte by byte. */
const list = [
  record('a', 'directory'),
  record('notes.txt'),
  record('a/b', 'directory'),
  record('a/empty', 'directory'),
  record('a/one.mov'),
  record('a-b/two.mov'),
  record('a/b/three.mov'),
  record('all.zip', 'zip_windows'),
];
const ids = (...some: string[]): ReadonlySet<string> => new Set(some);
const one = (at: number) => ({ first: at, last: at });

it('a file is its place in the list, with the folders that it is in', () => {
  expect(rangesOf(list, ids('notes.txt'))).toEqual([one(1)]);
  expect(rangesOf(list, ids('a/b/three.mov'))).toEqual([one(0), one(2), one(6)]);
});

it('all of it is one range, without the zips', () => {
  expect(rangesOf(list, ids('notes.txt', 'a/empty', 'a/one.mov', 'a-b/two.mov', 'a/b/three.mov'))).toEqual([{ first: 0, last: 6 }]);
});

it('a folder is all below it, and nothing of one whose name begins so', () => {
  expect(rangesOfFolder(list, 'a')).toEqual([one(0), { first: 2, last: 4 }, one(6)]);
  expect(rangesOfFolder(list, 'a/empty')).toEqual([one(3)]);
});

it.each([
  ['has a virus', { virus_detected: true }],
  ['is damaged', { damaged: true as const }],
])('what %s stays out, unless there is nothing else', (_, flag) => {
  const ill = list.map((file) => (file.name === 'one.mov' ? { ...file, ...flag } : file));
  expect(rangesOfAll(list)).toEqual([{ first: 0, last: 6 }]);
  expect(rangesOfAll(ill)).toEqual([
    { first: 0, last: 3 },
    { first: 5, last: 6 },
  ]);
  expect(rangesOfFolder(ill, 'a')).toEqual([one(0), { first: 2, last: 3 }, one(6)]);
  expect(rangesOf(ill, ids('a/one.mov', 'notes.txt'))).toEqual([{ first: 0, last: 1 }]);
  expect(rangesOf(ill, ids('a/one.mov'))).toEqual([one(0), one(4)]);
});
