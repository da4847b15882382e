import { describe, expect, it } from 'vitest';
import { chosenIn, leafIds, toggled } from '#ui/tree/choice.ts';
import { type FolderNode, found, keyOf, leavesOf, openAtFirst, rowsOf, type TreeEntry, treeOf } from '#ui/tree/file-tree.ts';

const record = (whole: string, size = 1, kind = 'file'): TreeEntry => {
  const slash = whole.lastIndexOf('/');
  return {
    id: whole,
    kind,
    name: whole.slice(slash + 1),
    path: slash < 0 ? '' : whole.slice(0, slash),
    size,
  };
};
const all = (): boolean => true;
const paths = (root: FolderNode<TreeEntry>, isOpen: (folder: FolderNode<TreeEntry>) => boolean = all) =>
  rowsOf(root, isOpen).map(({ node }) => node.path);

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
    expect([...leavesOf(root)].map(({ path }) => path)).toEqual(['b/audio/T1.wav', 'b/take 9.mov', 'b/take 10.mov', 'empty', 'a.txt']);
  });

  it('tells each row its level and its position among its siblings', () => {
    expect(rowsOf(root, all).map(({ level, position, siblings }) => [level, position, siblings])).toEqual([
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
    expect(openAtFirst(root)(root.children[0] as FolderNode<TreeEntry>)).toBe(true);
    const large = treeOf(Array.from({ length: 100 }, (_, index) => record(`plates/all/seq ${index % 10}/p${index}.exr`)));
    expect(paths(large, openAtFirst(large)).slice(0, 4)).toEqual(['plates', 'plates/all', 'plates/all/seq 0', 'plates/all/seq 1']);
    expect(paths(large, openAtFirst(large))).toHaveLength(12);
  });

  it('keeps a file and a folder of one path apart, and takes empty parts of a path as none', () => {
    const both = treeOf([record('a'), record('a/b'), record('/a//c')]);
    expect(paths(both)).toEqual(['a', 'a/b', '/a//c', 'a']);
    expect(new Set(rowsOf(both, all).map(({ node }) => keyOf(node))).size).toBe(4);
  });

  it('has each of 100,000 files in 300 folders once, and only open folders as rows', () => {
    const large = treeOf(Array.from({ length: 100_000 }, (_, index) => record(`seq ${index % 300}/plate ${index}.exr`)));
    expect(large).toMatchObject({ files: 100_000, folders: 300 });
    expect(rowsOf(large, openAtFirst(large))).toHaveLength(300);
    expect(found(large, 'plate 99999')).toMatchObject({ files: 1 });
    expect(leafIds(large)).toHaveLength(100_000);
  });

  it('makes few nodes of paths with thousands of folders, and still counts each folder', () => {
    const deep = treeOf(Array.from({ length: 200 }, (_, index) => record(`${index}${'/a'.repeat(2_000)}/x`)));
    expect(deep).toMatchObject({ files: 200, folders: 200 * 2_001 });
    expect(rowsOf(deep, all)).toHaveLength(200 * 18);
  });

  it('parts folders that share a node where another path leaves them, in any order', () => {
    const top = Array.from({ length: 16 }, (_, level) => `l${level}`).join('/');
    const entries = [
      record(`${top}/a/b/c/d/e/one`),
      record(`${top}/a/b/c2/two`),
      record(`${top}/a/b/c/d`, 0, 'directory'),
      record(`${top}/a/b/three`),
      record(`${top}/a/b/c/f`, 0, 'directory'),
    ];
    const below = [
      `${top}/a/b`,
      `${top}/a/b/c`,
      `${top}/a/b/c/d`,
      `${top}/a/b/c/d/e`,
      `${top}/a/b/c/d/e/one`,
      `${top}/a/b/c/f`,
      `${top}/a/b/c2`,
      `${top}/a/b/c2/two`,
      `${top}/a/b/three`,
    ];
    for (const given of [entries, entries.toReversed()]) {
      const tree = treeOf(given);
      expect(paths(tree).slice(16)).toEqual(below);
      expect(
        rowsOf(tree, all)
          .map(({ node }) => node.name)
          .slice(15, 18),
      ).toEqual(['l15', 'a/b', 'c']);
      expect(tree).toMatchObject({ files: 3, folders: 16 + 7 });
    }
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

describe('a choice of files', () => {
  const folder = (name: string) => root.children.find(({ path }) => path === name)!;

  it('takes a folder with all in it, and an empty folder by itself', () => {
    const some = toggled(root.children[0]!.kind === 'folder' ? root.children[0]!.children[0]! : root, new Set());
    expect([...some]).toEqual(['b/audio/T1.wav']);
    expect(chosenIn(root, some)(folder('b'))).toBe('some');
    const b = toggled(folder('b'), some);
    expect([...b].sort()).toEqual(['b/audio/T1.wav', 'b/take 10.mov', 'b/take 9.mov']);
    expect([folder('b'), folder('empty'), folder('a.txt'), root].map(chosenIn(root, b))).toEqual(['all', 'none', 'none', 'some']);
    expect(toggled(folder('b'), b).size).toBe(0);
    expect(leafIds(folder('empty'))).toEqual(['empty']);
    expect(chosenIn(root, new Set(leafIds(root)))(root)).toBe('all');
  });

  it('of an empty package is none', () => {
    const empty = treeOf<TreeEntry>([]);
    expect(leafIds(empty)).toEqual([]);
    expect(chosenIn(empty, new Set())(empty)).toBe('none');
  });
});
