import { join, parse, sep } from 'node:path';
import type { FileSystem } from '../port.ts';

const fold = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * The path in the letters that are on the disk, as a file system finds it that takes `A` for `a`, and composed for
 * decomposed letters. Unchanged where nothing of such a name is.
 */
export function foldedPath(files: FileSystem, path: string): string {
  const { root } = parse(path);
  let at = root;
  for (const part of path.slice(root.length).split(sep)) {
    if (part !== '') at = join(at, nameIn(files, at, part));
  }
  return at;
}

function nameIn(files: FileSystem, folder: string, name: string): string {
  try {
    if (files.lstatNow(join(folder, name))) return name;
    return files.list(folder).find((other) => fold(other) === fold(name)) ?? name;
  } catch {
    return name;
  }
}
