import { join, posix } from 'node:path';
import type { FileStats, FileSystem } from '#filesystem/port.ts';
import type { CloudFile } from '#protocol/hosted/connections.ts';
import { isIgnoredName } from '../../folders/ignored-names.ts';
import { openPinnedDir } from '../../folders/pinned-dir.ts';
import { allowedPath, isInside } from '../../folders/roots.ts';
import type { Browse, BrowsePage } from './messages.ts';
import { pathInMount } from './mount-path.ts';

/** Names kept while a folder is read, beyond those of the page. */
const mostSpareNames = 4_000;
const namesAtOnce = 256;

/**
 * One page of a folder of the mount, by name. Links appear as what they lead to; those that lead out of the root are
 * left out. `path_outside`, or the system's error.
 */
export async function browse(root: string, { prefix, prevKey, count }: Browse, fileSystem: FileSystem): Promise<BrowsePage> {
  const real = fileSystem.realPath(root);
  const folder = allowedPath(pathInMount(real, prefix), [real], fileSystem);
  const pinned = openPinnedDir(folder, (path) => allowedPath(path, [real], fileSystem), { fileSystem });
  try {
    const { names, more } = await namesAfter(pinned.path, prevKey, count, fileSystem);
    const items = names.flatMap((name) => itemOf(pinned.path, name, { real, prefix }, fileSystem));
    pinned.check();
    return { items, nextKey: more ? (names.at(-1) ?? '') : '' };
  } finally {
    pinned.close();
  }
}

/** The first `count` names after one, in the order of their code units; memory is bounded in a folder of any size. */
async function namesAfter(
  path: string,
  after: string,
  count: number,
  fileSystem: FileSystem,
): Promise<{ readonly names: string[]; readonly more: boolean }> {
  let names: string[] = [];
  let more = false;
  const cut = (): void => {
    more ||= names.length > count;
    names = names.sort().slice(0, count);
  };
  for await (const { name } of await fileSystem.openDirectory(path, namesAtOnce)) {
    if (isIgnoredName(name) || (after !== '' && name <= after)) continue;
    names.push(name);
    if (names.length > count + mostSpareNames) cut();
  }
  cut();
  return { names, more };
}

function itemOf(
  folder: string,
  name: string,
  { real, prefix }: { readonly real: string; readonly prefix: string },
  fileSystem: FileSystem,
): CloudFile[] {
  const found = statInside(join(folder, name), real, fileSystem);
  const kind = found?.isDirectory() ? 'directory' : found?.isFile() ? 'file' : null;
  if (!found || kind === null) return [];
  const id = posix.join(prefix, name);
  if (kind === 'directory') return [{ id, name, kind }];
  const at = Number.isFinite(found.mtimeMs) && Math.abs(found.mtimeMs) <= 8.64e15 ? found.mtimeMs : 0;
  return [{ id, name, kind, size: found.size, last_modified: new Date(at).toISOString() }];
}

/** `null` for what is gone meanwhile, and for links that lead out of the root or nowhere. */
function statInside(path: string, real: string, fileSystem: FileSystem): FileStats | null {
  const found = fileSystem.lstatNow(path);
  if (!found?.isSymbolicLink()) return found;
  try {
    const target = fileSystem.realPath(path);
    return isInside(target, [real]) ? fileSystem.stat(target) : null;
  } catch {
    return null;
  }
}
