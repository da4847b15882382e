import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ignoredNames } from '#engine/folders/ignored-names.ts';
import type { Root } from '#engine/folders/scan.ts';
import { checkRoots, pathIn, rootsOf, walk } from '#engine/folders/scan.ts';
import { checkpointAt, type ScanCheckpoint } from '#engine/folders/scan-checkpoint.ts';
import type { Files } from '#engine/state/files.ts';
import type { NewFile } from '#engine/transfer/record.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof diskFolder>>;

beforeEach(async () => {
  folder = await diskFolder();
});

afterEach(() => folder.remove());

async function scanned(...paths: string[]): Promise<NewFile[]> {
  const found: NewFile[] = [];
  for (const root of rootsOf(paths)) found.push(...(await walked(root)));
  return found;
}

const { signal } = new AbortController();

async function walked(root: Root, checkpoint: ScanCheckpoint | null = null, namesPerPage = 10_000): Promise<NewFile[]> {
  const found: NewFile[] = [];
  for await (const entry of walk({ ...root, folder: '', checkpoint, signal, namesPerPage })) found.push(entry);
  return found;
}

/** As a restart finds it: these stand in the table, the last of them came last. */
function checkpointOf(entries: readonly NewFile[]): Promise<ScanCheckpoint> {
  const rows = entries.map(({ path, name, state = 'pending' }, index) => ({ id: index + 1, path, name, state }));
  const places = (_: string, afterId: number, limit: number) => rows.slice(afterId, afterId + limit);
  const last = rows.at(-1)!;
  return checkpointAt({ files: { paths: places } as Pick<Files, 'paths'> as Files }, 'id', pathIn(last.path, last.name), signal);
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

describe.each([
  ['folders read whole', 10_000],
  ['folders read page by page', 2],
  ['folders read name by name', 1],
])('%s', (_, namesPerPage) => {
  const tree = {
    'a/b/1': '1',
    'a/b/2': '2',
    'a/c': '3',
    'a.txt': '4',
    'd/e/f': null,
    'd/e.txt': '5',
    g: '6',
    '.DS_Store': '',
    'a/Thumbs.db': '',
    'only/.DS_Store': '',
    'only/Thumbs.db': '',
    'only/desktop.ini': '',
  };

  test('give every entry once', async () => {
    const root = join(folder.path, 'root');
    writeTree(root, tree);
    const [start] = rootsOf([root]);
    const whole = (await walked(start!)).map(shown);
    expect(whole).toHaveLength(13);
    expect((await walked(start!, null, namesPerPage)).map(shown).sort()).toEqual(whole.sort());
  });

  test('go on after any entry that was given, with none lost and none given twice', async () => {
    const root = join(folder.path, 'root');
    writeTree(root, tree);
    const [start] = rootsOf([root]);
    const all = await walked(start!, null, namesPerPage);
    for (let count = 1; count <= all.length; count++) {
      const before = all.slice(0, count);
      const rest = await walked(start!, await checkpointOf(before), namesPerPage);
      expect([...before, ...rest].map(shown).sort()).toEqual(all.map(shown).sort());
    }
  });

  test('take up what has come into a folder meanwhile', async () => {
    const root = join(folder.path, 'root');
    writeTree(root, tree);
    const [start] = rootsOf([root]);
    const all = await walked(start!, null, namesPerPage);
    const upTo = all.findIndex(({ name }) => name === '2' || name === '1') + 1;
    const checkpoint = await checkpointOf(all.slice(0, upTo));
    writeTree(root, { 'a/b/0': 'new' });
    expect((await walked(start!, checkpoint, namesPerPage)).map(shown)).toContain('file root/a/b/0 3');
  });
});

test('a single file that stands in the table is not given again', async () => {
  writeTree(folder.path, { g: '6' });
  const [single] = rootsOf([join(folder.path, 'g')]);
  const all = await walked(single!);
  expect(all.map(shown)).toEqual(['file /g 1']);
  expect(await walked(single!, await checkpointOf(all))).toEqual([]);
});

test("systems' own files are listed as left out, and a folder with nothing else is an empty folder", async () => {
  const root = join(folder.path, 'root');
  writeTree(root, { '.DS_Store': 'x', 'only/desktop.ini': 'x', 'f.txt': 'f', '._f.txt': 'a part of f' });
  expect((await scanned(root)).map(shown)).toEqual([
    'file root/.DS_Store 0 skipped',
    'file root/._f.txt 11',
    'file root/f.txt 1',
    'file root/only/desktop.ini 0 skipped',
    'directory root/only 0',
  ]);
  expect((await scanned(join(root, '.DS_Store'))).map(shown)).toEqual(['file /.DS_Store 1']);
  expect(ignoredNames).toContain('.DS_Store');
});

test('a folder of which all is left out is an empty folder, also where an earlier run noted some of it', async () => {
  const root = join(folder.path, 'root');
  writeTree(root, {
    'links/.DS_Store': 'x',
    'deep/er/.DS_Store': 'x',
    'mixed/a.txt': 'a',
    'unsendable/a:b': 'x',
  });
  for (const place of ['links/a', 'links/z', 'mixed/z']) symlinkSync('nowhere', join(root, place));
  execFileSync('mkfifo', [join(root, 'links/pipe')]);
  const all = await scanned(root);
  expect(all.map(shown)).toEqual([
    'file root/deep/er/.DS_Store 0 skipped',
    'directory root/deep/er 0',
    'file root/links/.DS_Store 0 skipped',
    'file root/links/a 0 skipped',
    'file root/links/pipe 0 skipped',
    'file root/links/z 0 skipped',
    'directory root/links 0',
    'file root/mixed/a.txt 1',
    'file root/mixed/z 0 skipped',
    'file root/unsendable/a:b 1 error',
  ]);
  for (let upTo = 1; upTo <= all.length; upTo++) {
    const rest = await walked(rootsOf([root])[0]!, await checkpointOf(all.slice(0, upTo)));
    expect([upTo, rest.map(shown)]).toEqual([upTo, all.slice(upTo).map(shown)]);
  }
});

test('it stops when it is told to', async () => {
  writeTree(folder.path, { a: '1', b: '2' });
  const stop = new AbortController();
  const walking = walk({ ...rootsOf([folder.path])[0]!, folder: '', signal: stop.signal });
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
