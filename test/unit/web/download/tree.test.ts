import { describe, expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import { moveFor } from '#web/download/tree/keys.ts';
import { type FolderNode, filesIn, found, openAtFirst, rowsOf, treeOf } from '#web/download/tree/model.ts';

const record = (whole: string, size = 1, kind: File['kind'] = 'file'): File => {
  const slash = whole.lastIndexOf('/');
  return {
    id: whole,
    kind,
    name: whole.slice(slash + 1),
    path: slash < 0 ? '' : whole.slice(0, slash),
    last_modified: '2026-11-20T18:04:11.000Z',
    size,
    virus_detected: false,
  };
};
const all = (): boolean => true;
const paths = (root: FolderNode, isOpen: (folder: FolderNode) => boolean = all) => rowsOf(root, isOpen).map(({ node }) => node.path);

const root = treeOf(
  [
    record('b/take 10.mov', 10),
    record('b/take 9.mov', 9),
    record('a.txt', 1),
    record('b/audio/T1.wav', 3),
    record('empty', 0, 'directory'),
    record('all.zip', 0, 'zip_mac'),
  ],
  'en',
);

describe('the tree', () => {
  it('has folders first, names as people count, empty folders and no zips', () => {
    expect(paths(root)).toEqual(['b', 'b/audio', 'b/audio/T1.wav', 'b/take 9.mov', 'b/take 10.mov', 'empty', 'a.txt']);
    expect(root).toMatchObject({ files: 4, folders: 3, bytes: 23 });
    expect(root.children[0]).toMatchObject({ path: 'b', files: 3, folders: 1, bytes: 22 });
    expect(filesIn(root).map(({ path }) => path)).toEqual(['b/audio/T1.wav', 'b/take 9.mov', 'b/take 10.mov', 'a.txt']);
  });

  it('tells each row its level and its place among its siblings', () => {
    expect(rowsOf(root, all).map(({ level, position: place, siblings }) => [level, place, siblings])).toEqual([
      [1, 1, 3],
      [2, 1, 3],
      [3, 1, 1],
      [2, 2, 3],
      [2, 3, 3],
      [1, 2, 3],
      [1, 3, 3],
    ]);
    expect(paths(root, () => false)).toEqual(['b', 'empty', 'a.txt']);
  });

  it('is open where it is small, and only down to the first choice where it is large', () => {
    expect(openAtFirst(root)(root.children[0] as FolderNode)).toBe(true);
    const large = treeOf(Array.from({ length: 100 }, (_, index) => record(`plates/all/seq ${index % 10}/p${index}.exr`)));
    expect(paths(large, openAtFirst(large)).slice(0, 4)).toEqual(['plates', 'plates/all', 'plates/all/seq 0', 'plates/all/seq 1']);
    expect(paths(large, openAtFirst(large))).toHaveLength(12);
  });

  it('is made and searched fast enough for 5,000 files in 300 folders, each once', () => {
    const large = treeOf(Array.from({ length: 5_000 }, (_, index) => record(`seq ${index % 300}/plate ${index}.exr`)));
    expect(large).toMatchObject({ files: 5_000, folders: 300 });
    expect(found(large, 'plate 4999')).toMatchObject({ files: 1 });
  });
});

describe('the search', () => {
  it.each([
    ['T1', ['b', 'b/audio', 'b/audio/T1.wav']],
    ['TAKE b', ['b', 'b/take 9.mov', 'b/take 10.mov']],
    ['audio', ['b', 'b/audio', 'b/audio/T1.wav']],
    ['empty', ['empty']],
    ['nowhere', []],
  ])('%s', (query, expected) => {
    expect(paths(found(root, query)!)).toEqual(expected);
  });

  it('takes no notice of accents, and of nothing', () => {
    const tree = treeOf([record('Über/Größe.txt')]);
    expect(paths(found(tree, 'uber grosse')!)).toEqual([]);
    expect(paths(found(tree, 'uber große')!)).toEqual(['Über', 'Über/Größe.txt']);
    expect(found(root, '  ')).toBe(null);
    expect(found(root, 'take')).toMatchObject({ files: 2, bytes: 19 });
  });
});

describe('the keys', () => {
  const rows = rowsOf(root, all);
  const at = (path: string) => rows.findIndex(({ node }) => node.path === path);
  const move = (key: string, from: string, more: { closed?: string; typed?: string; rightToLeft?: boolean } = {}) =>
    moveFor(key, more.typed ?? key, {
      rows,
      at: at(from),
      isOpen: ({ path }) => path !== more.closed,
      page: 3,
      rightToLeft: more.rightToLeft ?? false,
    });
  const go = (path: string) => ({ kind: 'go', to: at(path) });

  it.each([
    ['ArrowDown', 'b', go('b/audio')],
    ['ArrowDown', 'a.txt', go('a.txt')],
    ['ArrowUp', 'b/audio', go('b')],
    ['ArrowUp', 'b', go('b')],
    ['Home', 'a.txt', go('b')],
    ['End', 'b', go('a.txt')],
    ['PageDown', 'b', go('b/take 9.mov')],
    ['PageUp', 'b/audio/T1.wav', go('b')],
    ['ArrowRight', 'b', go('b/audio')],
    ['ArrowRight', 'empty', null],
    ['ArrowRight', 'a.txt', null],
    ['ArrowLeft', 'b', { kind: 'close', path: 'b' }],
    ['ArrowLeft', 'b/take 10.mov', go('b')],
    ['ArrowLeft', 'b/audio/T1.wav', go('b/audio')],
    ['ArrowLeft', 'a.txt', null],
    ['Enter', 'a.txt', { kind: 'act' }],
    [' ', 'b', { kind: 'act' }],
    ['*', 'b', { kind: 'open_siblings' }],
    ['Escape', 'b', null],
    ['t', 'b', go('b/audio/T1.wav')],
    ['t', 'b/audio/T1.wav', go('b/take 9.mov')],
    ['t', 'b/take 10.mov', go('b/audio/T1.wav')],
    ['x', 'b', null],
  ])('%s at %s', (key, from, expected) => {
    expect(move(key, from)).toEqual(expected);
  });

  it('open what is closed, find what is typed in one go, and turn round with the page', () => {
    expect(move('ArrowRight', 'b', { closed: 'b' })).toEqual({ kind: 'open', path: 'b' });
    expect(move('1', 'b/take 9.mov', { typed: 'take 1' })).toEqual(go('b/take 10.mov'));
    expect(move('ArrowRight', 'b/audio', { rightToLeft: true })).toEqual({ kind: 'close', path: 'b/audio' });
    expect(move('ArrowLeft', 'b', { rightToLeft: true })).toEqual(go('b/audio'));
    expect(moveFor('ArrowDown', '', { rows: [], at: 0, isOpen: all, page: 3, rightToLeft: false })).toBe(null);
  });
});
