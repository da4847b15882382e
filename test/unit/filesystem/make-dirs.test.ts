import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DirFiles, makeDirs } from '#filesystem/make-dirs.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof diskFolder>>;
beforeEach(async () => {
  folder = await diskFolder();
});
afterEach(() => folder.remove());

const withCode = (code: string) => expect.objectContaining({ code });

it('makes every level that is missing, by its mode, and leaves what is there', () => {
  const path = join(folder.path, 'a', 'b', 'c');
  makeDirs(path, 0o700);
  makeDirs(path, 0o755);
  if (process.platform !== 'win32') expect(statSync(join(folder.path, 'a')).mode & 0o777).toBe(0o700);
  expect(statSync(path).isDirectory()).toBe(true);
});

it('goes through links to directories, and says what is in the way', () => {
  mkdirSync(join(folder.path, 'real'));
  symlinkSync(join(folder.path, 'real'), join(folder.path, 'link'));
  symlinkSync(join(folder.path, 'nowhere'), join(folder.path, 'dangling'));
  writeFileSync(join(folder.path, 'file'), '');
  makeDirs(join(folder.path, 'link', 'in'));
  expect(statSync(join(folder.path, 'real', 'in')).isDirectory()).toBe(true);
  expect(() => makeDirs(join(folder.path, 'file', 'in'))).toThrow(withCode('ENOTDIR'));
  expect(() => makeDirs(join(folder.path, 'file'))).toThrow(withCode('EEXIST'));
  expect(() => makeDirs(join(folder.path, 'dangling', 'in'))).toThrow(withCode('EEXIST'));
  expect(() => makeDirs(`${folder.path}/${'x/'.repeat(1_000_000)}`)).toThrow(withCode('ENAMETOOLONG'));
});

const failure = (code: string): Error => Object.assign(new Error(code), { code });

it('tries each level once, where a file system says again and again that the parent is missing', () => {
  const asked: string[] = [];
  const files: DirFiles = {
    stat: (path) => (path === '/' ? { isDirectory: () => true } : null),
    mkdir(path) {
      asked.push(path);
      throw failure('ENOENT');
    },
  };
  expect(() => makeDirs('/made/up', 0o777, files)).toThrow(withCode('ENOENT'));
  expect(asked).toEqual(['/made']);
});

it('takes a level that another process makes meanwhile', () => {
  const there = new Set(['/']);
  const files: DirFiles = {
    stat: (path) => (there.has(path) ? { isDirectory: () => true } : null),
    mkdir(path) {
      there.add(path);
      throw failure('EEXIST');
    },
  };
  makeDirs('/a/b', 0o777, files);
  expect(there).toEqual(new Set(['/', '/a', '/a/b']));
});

it.runIf(process.platform === 'linux')('a folder below /proc is refused in words, where Node’s own mkdir never returns', () => {
  const safeRoot = new URL('../../../engine/folders/safe-root.ts', import.meta.url).href;
  // In a process of its own: what hangs here hangs for good.
  const source = `const { openFolder } = await import(${JSON.stringify(safeRoot)}); openFolder(process.argv[1]);`;
  for (const path of ['/proc/nope', '/proc/nope/deeper', '/proc/self/fd/99/x']) {
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source, path], {
      timeout: 60_000,
      encoding: 'utf8',
    });
    expect(stderr).toContain(`${path} cannot be read: its file system takes no folder there. Choose another folder.`);
    expect(status).toBe(1);
  }
});

it('nothing of the product makes folders by recursion', async () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const rooms = ['agent-api', 'client', 'filesystem', 'engine', 'main', 'net', 'providers', 'service', 'storage'];
  const found: string[] = [];
  for (const room of rooms) {
    for (const name of await readdir(join(root, room), { recursive: true })) {
      if (!/\.tsx?$/.test(name)) continue;
      const text = await readFile(join(root, room, name), 'utf8');
      if (/\bmkdir(Sync)?\([^;]*recursive/.test(text)) found.push(join(room, name));
    }
  }
  expect(found).toEqual([]);
});
