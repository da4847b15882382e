import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { litterNames } from '#engine/transfer/litter.ts';
import type { NewFile } from '#engine/transfer/record.ts';
import type { Root } from '#engine/transfer/scan.ts';
import { checkRoots, rootsOf, walk } from '#engine/transfer/scan.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { writeTree } from '#test/support/trees.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;

beforeEach(async () => {
  folder = await tempFolder();
});

afterEach(() => folder.remove());

async function scanned(...paths: string[]): Promise<NewFile[]> {
  const found: NewFile[] = [];
  for (const root of rootsOf(paths)) found.push(...(await walked(root, null)));
  return found;
}

async function walked(root: Root, after: readonly string[] | null): Promise<NewFile[]> {
  const found: NewFile[] = [];
  for await (const entry of walk({ ...root, folder: '', after, signal: new AbortController().signal })) found.push(entry);
  return found;
}

const shown = ({ kind, path, name, size, state }: NewFile): string => [kind, `${path}/${name}`, size, state ?? ''].join(' ').trim();

test('files, empty folders and files of nothing, in a stable order, with / between', async () => {
  const root = join(folder.path, 'root');
  writeTree(root, { 'b.txt': 'bb', 'a/deep/c.txt': 'ccc', 'a/zero': '', 'empty/in': null });
  expect((await scanned(root)).map(shown)).toEqual([
    'file root/a/deep/c.txt 3',
    'file root/a/zero 0',
    'file root/b.txt 2',
    'directory root/empty/in 0',
  ]);
});

test('a single file lies in the root of the package, and two of one name side by side', async () => {
  writeTree(folder.path, { 'x/f.txt': '1', 'y/f.txt': '2' });
  const found = await scanned(join(folder.path, 'x/f.txt'), join(folder.path, 'y/f.txt'));
  expect(found.map(shown)).toEqual(['file /f.txt 1', 'file /f (2).txt 1']);
});

test('symbolic links inside are left out and reported; one that was named is followed', async () => {
  const root = join(folder.path, 'root');
  writeTree(root, { 'f.txt': 'f' });
  symlinkSync(folder.path, join(root, 'loop'));
  symlinkSync(root, join(folder.path, 'named'));
  expect((await scanned(join(folder.path, 'named'))).map(shown)).toEqual(['file named/f.txt 1', 'file named/loop 0 skipped']);
});

test('names that a package cannot hold, and what is gone, are errors that name the path', async () => {
  const root = join(folder.path, 'root');
  mkdirSync(root);
  writeFileSync(join(root, 'a:b'), '');
  writeFileSync(join(root, 'ends.'), '');
  const found = await scanned(root, join(folder.path, 'gone'));
  expect(found.map(({ state, error }) => [state, error?.message])).toEqual([
    ['error', expect.stringContaining(`${join(root, 'a:b')} cannot be sent`)],
    ['error', expect.stringContaining('ends with a dot')],
    ['error', expect.stringContaining(`${join(folder.path, 'gone')} cannot be read`)],
  ]);
});

test('it goes on behind any entry that it gave, with no entry lost and none given twice', async () => {
  const root = join(folder.path, 'root');
  writeTree(root, {
    'a/b/1': '1',
    'a/b/2': '2',
    'a/c': '3',
    'a.txt': '4',
    'd/e/f': null,
    'd/e.txt': '5',
    g: '6',
    '.DS_Store': '',
    'a/Thumbs.db': '',
  });
  const [place] = rootsOf([root]);
  const all = await walked(place!, null);
  expect(all.length).toBe(9);
  for (const [index, { path, name }] of all.entries()) {
    const after = [...path.split('/'), name].slice(1);
    expect((await walked(place!, after)).map(shown)).toEqual(all.slice(index + 1).map(shown));
  }
  const [single] = rootsOf([join(root, 'g')]);
  expect(await walked(single!, [])).toEqual([]);
});

test("systems' own files are listed as left out, and a folder with nothing else is an empty folder", async () => {
  const root = join(folder.path, 'root');
  writeTree(root, { '.DS_Store': 'x', 'only/desktop.ini': 'x', 'f.txt': 'f', '._f.txt': 'a part of f' });
  expect((await scanned(root)).map(shown)).toEqual([
    'file root/.DS_Store 0 skipped',
    'file root/._f.txt 11',
    'file root/f.txt 1',
    'directory root/only 0',
    'file root/only/desktop.ini 0 skipped',
  ]);
  expect((await scanned(join(root, '.DS_Store'))).map(shown)).toEqual(['file /.DS_Store 1']);
  expect(litterNames).toContain('.DS_Store');
});

test('it stops when it is told to', async () => {
  writeTree(folder.path, { a: '1', b: '2' });
  const stop = new AbortController();
  const walking = walk({ ...rootsOf([folder.path])[0]!, folder: '', after: null, signal: stop.signal });
  await walking.next();
  stop.abort(new Error('enough'));
  await expect(walking.next()).rejects.toThrow('enough');
});

test('what was asked is checked before anything begins', () => {
  expect(() => checkRoots(['relative/path'])).toThrow(expect.objectContaining({ error: 'path_not_absolute' }));
  expect(() => checkRoots([folder.path, join(folder.path, 'gone')])).toThrow(expect.objectContaining({ error: 'path_not_found' }));
  expect(() => checkRoots(['/dev/null'])).toThrow(expect.objectContaining({ error: 'path_unreadable' }));
  rmSync(folder.path, { recursive: true });
});
