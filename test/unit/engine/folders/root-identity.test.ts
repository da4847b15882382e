import { cpSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRoot, identifyRoots, type RootIdentity } from '#engine/folders/root-identity.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof diskFolder>>;
let root: string;

beforeEach(async () => {
  folder = await diskFolder();
  root = join(folder.path, 'card');
});
afterEach(() => folder.remove());

async function identified(path = root): Promise<RootIdentity> {
  const [identity] = await identifyRoots([path], nodeFileSystem);
  return identity!;
}
const find = (identity: RootIdentity) => findRoot(identity, nodeFileSystem);
const away = (): string => join(folder.path, 'away');
const clips = ['a.mov', 'b.mov', 'c.mov'];

/** Another folder, with what was in the first. */
function copied(): void {
  renameSync(root, away());
  cpSync(away(), root, { recursive: true, preserveTimestamps: true });
}

test('a folder is the same whatever happens in it', async () => {
  writeTree(root, { 'a.mov': 'a' });
  const identity = await identified();
  rmSync(join(root, 'a.mov'));
  writeFileSync(join(root, 'b.mov'), 'b');
  expect(find(identity)).toBe('same');
});

test('an empty folder in its place is another one, and the folder itself is known when it is back', async () => {
  writeTree(root, { 'a.mov': 'a' });
  const identity = await identified();
  renameSync(root, away());
  expect(find(identity)).toBe('missing');
  mkdirSync(root);
  expect(find(identity)).toBe('other');
  rmSync(root, { recursive: true });
  renameSync(away(), root);
  expect(find(identity)).toBe('same');
});

test('a folder with other numbers is the same if most of what was in it is there', async () => {
  writeTree(root, Object.fromEntries(clips.map((name) => [name, name])));
  const identity = await identified();
  copied();
  expect(find(identity)).toBe('same');
  rmSync(join(root, 'a.mov'));
  expect(find(identity)).toBe('same');
  utimesSync(join(root, 'b.mov'), 1_000_000, 1_000_000);
  expect(find(identity)).toBe('other');
});

test('nothing tells a copy of a folder that was empty', async () => {
  mkdirSync(root);
  const identity = await identified();
  copied();
  expect(find(identity)).toBe('other');
});

test('a file that is replaced on its own drive is the same', async () => {
  writeFileSync(root, 'a');
  const identity = await identified();
  renameSync(root, away());
  writeFileSync(root, 'another one');
  expect(find(identity)).toBe('same');
  expect(find({ ...identity, dev: identity.dev + 1, ino: identity.ino + 1 })).toBe('other');
  rmSync(root);
  expect(find(identity)).toBe('missing');
});

test('a folder in which nobody looked has no identity', async () => {
  expect(await identifyRoots([join(folder.path, 'nothing')], nodeFileSystem)).toEqual([null]);
});
