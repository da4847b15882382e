import { join, resolve } from 'node:path';
import type { FileStats, FileSystem } from '#filesystem/port.ts';
import { closeRead } from './close-read.ts';
import { type FolderIdentity, folderIdentityOf, isSameFolder } from './folder-identity.ts';
import { isIgnoredName } from './ignored-names.ts';
import { mountsBelow } from './mounts-below.ts';
import { realPathOf } from './real-path.ts';

/** A file or folder that somebody asked to send, as it was then. */
export interface RootIdentity extends FolderIdentity {
  readonly kind: 'file' | 'directory';
  /** Its real path. */
  readonly path: string;
  /** Bytes of a file. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  /** Some of a folder's entries, from which it is known where its own numbers have changed. */
  readonly entries: readonly RootEntry[];
  /** Other drives that were mounted in the folder. */
  readonly mounts?: readonly RootIdentity[];
}

interface RootEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory';
  readonly size: number;
  readonly modifiedAt: number;
  /** As in `FolderIdentity`. */
  readonly bornAt: number;
}

/** `missing`: nothing can be looked at there; whoever reads it is told why. */
export type RootFound = 'same' | 'other' | 'missing';

const mostEntries = 8;
/** Names read to find that many. */
const mostNames = 64;
/** Milliseconds: FAT stores times to two seconds. */
const timeTolerance = 2_000;

/** Of each path; `null` where nothing can be looked at. */
export async function identifyRoots(paths: readonly string[], fileSystem: FileSystem): Promise<(RootIdentity | null)[]> {
  const roots: (RootIdentity | null)[] = [];
  for (const path of paths) {
    const root = await identifyRoot(path, fileSystem);
    const mounts = root?.kind === 'directory' ? await identifyMounts(root.path, fileSystem) : [];
    roots.push(root && mounts.length > 0 ? { ...root, mounts } : root);
  }
  return roots;
}

async function identifyMounts(folder: string, fileSystem: FileSystem): Promise<RootIdentity[]> {
  const found: RootIdentity[] = [];
  for (const path of await mountsBelow(folder, fileSystem)) {
    const mount = await identifyRoot(path, fileSystem);
    if (mount) found.push(mount);
  }
  return found;
}

async function identifyRoot(path: string, fileSystem: FileSystem): Promise<RootIdentity | null> {
  const real = realPathOf(fileSystem, resolve(path));
  // Before the folder itself, since reading it mounts a drive that is mounted on demand.
  const entries = await someEntries(real, fileSystem);
  const found = lookAt(real, fileSystem);
  const kind = found && kindOf(found);
  if (!kind) return null;
  const size = kind === 'file' ? found.size : 0;
  return { ...folderIdentityOf(found), kind, path: real, size, modifiedAt: found.mtimeMs, entries };
}

/**
 * What is at the path of a root now. A folder is the same by its identity, or if most of the noted entries are in it, since
 * some file systems number their folders and date their uppermost one anew when they are connected again
 * (docs/decisions/0048). A file is the same on the same drive, whatever it has become.
 */
export function findRoot(root: RootIdentity, fileSystem: FileSystem): RootFound {
  const found = findItself(root, fileSystem);
  return found === 'same' && awayMount(root, fileSystem) ? 'other' : found;
}

/** The first drive that was mounted in the folder and is not there now. */
export function awayMount({ mounts = [] }: RootIdentity, fileSystem: FileSystem): RootIdentity | undefined {
  return mounts.find((mount) => findItself(mount, fileSystem) !== 'same');
}

function findItself(root: RootIdentity, fileSystem: FileSystem): RootFound {
  let found = lookAt(root.path, fileSystem);
  if (!found) return 'missing';
  if (isSameRoot(root, found)) return 'same';
  if (root.entries.filter((entry) => isThere(root.path, entry, fileSystem)).length * 2 > root.entries.length) return 'same';
  // A look at its entries has mounted a drive that is mounted on demand.
  found = lookAt(root.path, fileSystem);
  return found && isSameRoot(root, found) ? 'same' : 'other';
}

function isSameRoot(root: RootIdentity, found: FileStats): boolean {
  if (isSameFolder(root, folderIdentityOf(found))) return kindOf(found) === root.kind;
  if (root.kind === 'directory') return false;
  return found.dev === root.dev || (kindOf(found) === 'file' && found.size === root.size && isSameTime(found.mtimeMs, root.modifiedAt));
}

function isThere(folder: string, entry: RootEntry, fileSystem: FileSystem): boolean {
  const found = lookAt(join(folder, entry.name), fileSystem);
  if (!found || kindOf(found) !== entry.kind) return false;
  const { bornAt } = folderIdentityOf(found);
  if (entry.kind === 'directory' && bornAt !== 0 && entry.bornAt !== 0) return isSameTime(bornAt, entry.bornAt);
  return (entry.kind === 'directory' || found.size === entry.size) && isSameTime(found.mtimeMs, entry.modifiedAt);
}

async function someEntries(path: string, fileSystem: FileSystem): Promise<RootEntry[]> {
  const entries: RootEntry[] = [];
  try {
    if (!fileSystem.lstatNow(path)?.isDirectory()) return [];
    const folder = await fileSystem.openDirectory(path, mostNames);
    try {
      for (let names = 0; names < mostNames && entries.length < mostEntries; names++) {
        const next = await folder.read();
        if (!next) break;
        const found = isIgnoredName(next.name) ? null : lookAt(join(path, next.name), fileSystem);
        const kind = found && kindOf(found);
        if (!kind) continue;
        const { bornAt } = folderIdentityOf(found);
        entries.push({ name: next.name, kind, size: kind === 'file' ? found.size : 0, modifiedAt: found.mtimeMs, bornAt });
      }
    } finally {
      await closeRead(folder);
    }
  } catch {
    // The scan says what is wrong with it.
  }
  return entries;
}

function lookAt(path: string, fileSystem: FileSystem): FileStats | null {
  try {
    return fileSystem.lstatNow(path);
  } catch {
    return null;
  }
}

function kindOf(found: FileStats): 'file' | 'directory' | null {
  if (found.isFile()) return 'file';
  return found.isDirectory() ? 'directory' : null;
}

const isSameTime = (one: number, other: number): boolean => Math.abs(one - other) <= timeTolerance;
