import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem } from '#filesystem/port.ts';
import { systemCode } from '../errors.ts';

/**
 * Names that are too long for a disk are cut where nobody is there to shorten them, by the rule that deliveries to clouds
 * have, too: the beginning, an ellipsis written as `_x2026_` with a digest of the whole name, and the extension. So no two
 * names become one; which name it was stands in the transfer's record. Where the folders alone are too long for the
 * system, the file lies in a folder `_x2026_` with a digest of them.
 */
export interface NameCutter {
  /** The name, or a cut one if the disk cannot hold it. */
  fit(name: string): string;
  /** The same of a name and of each step of the path to it; another path if the whole is too long. */
  fitEntry(entry: { readonly path: string; readonly name: string }): { readonly path: string; readonly name: string };
  /** The same with room for a number such as ` (2)`. */
  fitNumbered(name: string): string;
}

/** Bytes that every disk holds; the least known are those of encrypted folders (eCryptfs), 143. */
const alwaysFits = 140;
/** Characters of an extension, with its dot, that a cut name keeps. */
const longestExtension = 12;
const numberRoom = ' (99999)';
/** Bytes of a whole path that every system takes: macOS 1,024, Linux 4,096 with the end. */
const wholeAlwaysFits = 1_000;

/** @param root a folder on the disk that is meant, by its real path */
export function createNameCutter(root: string, fileSystem: FileSystem = nodeFileSystem): NameCutter {
  const fits = (name: string): boolean => Buffer.byteLength(name) <= alwaysFits || holds(fileSystem, join(root, name));
  /** Of folders, which many files have in common. */
  const known = new Map<string, string>();
  const fit = (name: string): string => (fits(name) ? name : cutName(name, fits));
  const fitPath = (path: string): string => {
    let fitted = known.get(path);
    if (fitted === undefined) {
      fitted = path.split('/').map(fit).join('/');
      known.set(path, fitted);
    }
    return fitted;
  };
  /** With room for a number, and for the name that it has until it is whole. */
  const fitsWhole = ({ path, name }: { readonly path: string; readonly name: string }): boolean => {
    const last = Math.max(Buffer.byteLength(`${name}${numberRoom}`), alwaysFits);
    if (Buffer.byteLength(join(root, path)) + last < wholeAlwaysFits) return true;
    const steps = Array.from({ length: Math.ceil(last / alwaysFits) }, () => 'x'.repeat(alwaysFits));
    return holds(fileSystem, join(root, path, ...steps));
  };
  return {
    fit,
    fitEntry({ path, name }) {
      const fitted = { path: fitPath(path), name: fit(name) };
      if (path === '' || fitsWhole(fitted)) return fitted;
      return { ...fitted, path: markOf(path) };
    },
    fitNumbered(name) {
      const fitsNumbered = (one: string): boolean => fits(`${one}${numberRoom}`);
      return fitsNumbered(name) ? name : cutName(name, fitsNumbered);
    },
  };
}

/** Disks say so to whoever looks, so nothing has to be written. */
function holds(fileSystem: FileSystem, path: string): boolean {
  try {
    fileSystem.lstatNow(path);
    return true;
  } catch (cause) {
    return systemCode(cause) !== 'ENAMETOOLONG';
  }
}

const markOf = (text: string): string => `_x2026_${createHash('sha256').update(text).digest('hex').slice(0, 20)}`;

function cutName(name: string, fits: (name: string) => boolean): string {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= longestExtension ? name.slice(dot) : '';
  const mark = markOf(name);
  const characters = [...name.slice(0, name.length - extension.length)];
  for (let length = characters.length - 1; length > 0; length--) {
    const cut = `${characters.slice(0, length).join('')}${mark}${extension}`;
    if (fits(cut)) return cut;
  }
  return `${mark}${extension}`;
}
