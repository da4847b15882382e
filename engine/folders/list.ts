import { dirname, join } from 'node:path';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { DirectoryEntry, FileStats, FileSystem } from '#filesystem/port.ts';
import { statOrThrow } from '#filesystem/system-error.ts';
import type { FolderEntry, FolderListing, FolderQuery } from '#protocol/agent/folders.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { engineActivity } from '../activity-channel.ts';
import { systemCode } from '../errors.ts';
import type { Answers } from './answering-disks.ts';
import { openPinnedDir, type PinnedDir } from './pinned-dir.ts';
import { allowedPath, isInside, realRoots } from './roots.ts';
import { pathTrouble } from './scan.ts';

/** Names read of one folder. A file beyond them can still be given by its path. */
const maxNames = 20_000;
/** Entries examined before other work gets a turn. */
const slice = 256;

/**
 * Lists a folder inside the roots; what is on a disk that does not answer is left out. Errors: `path_outside`, `path_not_absolute`, `path_not_found`, `path_unreadable`.
 */
export async function listFolder(
  { path, hidden, limit }: FolderQuery,
  allowed: readonly string[],
  fileSystem: FileSystem = nodeFileSystem,
  answers: Answers = async () => true,
): Promise<FolderListing> {
  engineActivity.publish(`list the folder ${path ?? ''}`);
  const roots = realRoots(allowed, fileSystem);
  if (!path && roots.length === 0) return { path: '', parent: null, roots, entries: [], truncated: false };
  const folder = path ? allowedPath(path, allowed, fileSystem) : roots[0]!;
  const above = dirname(folder);
  return {
    path: folder,
    parent: above !== folder && isInside(above, roots) ? above : null,
    roots,
    ...(await read(folder, { hidden, limit }, roots, allowed, fileSystem, answers)),
  };
}

type Read = Pick<FolderListing, 'entries' | 'truncated'>;

async function read(
  folder: string,
  { hidden, limit }: Omit<FolderQuery, 'path'>,
  roots: readonly string[],
  allowed: readonly string[],
  fileSystem: FileSystem,
  answers: Answers,
): Promise<Read> {
  const pinned = pin(folder, allowed, fileSystem);
  try {
    const { names, more } = await namesIn(fileSystem, pinned.path, hidden, roots, answers).catch((cause: unknown) => {
      throw unreadable(folder, cause);
    });
    const shown = names.sort(byKindAndName).slice(0, limit);
    const entries: FolderEntry[] = [];
    for (let at = 0; at < shown.length; at += slice) {
      const some = await Promise.all(shown.slice(at, at + slice).map((name) => entryOf(fileSystem, pinned.path, name, answers)));
      entries.push(...some.filter((entry) => entry !== null));
    }
    pinned.check();
    return { entries, truncated: more || names.length > shown.length };
  } finally {
    pinned.close();
  }
}

function pin(folder: string, allowed: readonly string[], fileSystem: FileSystem): PinnedDir {
  try {
    return openPinnedDir(folder, (path) => allowedPath(path, allowed, fileSystem), { fileSystem });
  } catch (cause) {
    throw unreadable(folder, cause);
  }
}

function unreadable(folder: string, cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const code = systemCode(cause);
  if (code === 'ENOENT') return new AgentError('path_not_found', { path: folder }, { cause });
  const detail = code === 'ENOTDIR' ? 'it is not a folder' : pathTrouble(cause);
  return new AgentError('path_unreadable', { path: folder, detail: `${detail}.` }, { cause });
}

interface Name {
  readonly name: string;
  readonly kind: FolderEntry['kind'];
}

async function namesIn(
  fileSystem: FileSystem,
  folder: string,
  hidden: boolean,
  roots: readonly string[],
  answers: Answers,
): Promise<{ names: Name[]; more: boolean }> {
  const names: Name[] = [];
  // The loop closes the folder, however it ends.
  for await (const found of await fileSystem.openDirectory(folder, slice)) {
    if (!hidden && found.name.startsWith('.')) continue;
    if (found.isSymbolicLink() && !(await answers(join(folder, found.name)))) continue;
    const kind = kindOf(fileSystem, folder, found, roots);
    if (kind === null) continue;
    if (names.length >= maxNames) return { names, more: true };
    names.push({ name: found.name, kind });
  }
  return { names, more: false };
}

/** `null` for anything but files and folders, and for links that lead outside or nowhere. */
function kindOf(fileSystem: FileSystem, folder: string, found: DirectoryEntry, roots: readonly string[]): FolderEntry['kind'] | null {
  if (!found.isSymbolicLink()) return kindOfFile(found);
  try {
    const real = fileSystem.realPath(join(folder, found.name));
    return isInside(real, roots) ? kindOfFile(statOrThrow(fileSystem, real)) : null;
  } catch {
    return null;
  }
}

function kindOfFile(found: DirectoryEntry | FileStats): FolderEntry['kind'] | null {
  if (found.isDirectory()) return 'directory';
  return found.isFile() ? 'file' : null;
}

async function entryOf(fileSystem: FileSystem, folder: string, { name, kind }: Name, answers: Answers): Promise<FolderEntry | null> {
  try {
    // A drive may be mounted on it.
    if (kind === 'directory' && !(await answers(join(folder, name)))) return null;
    let found = await fileSystem.lstat(join(folder, name));
    if (found?.isSymbolicLink()) found = fileSystem.stat(join(folder, name));
    // Gone since its name was read.
    if (!found) return null;
    const size = kind === 'file' ? found.size : 0;
    // A disk may store a time that JavaScript's dates cannot represent.
    const at = Number.isFinite(found.mtimeMs) && Math.abs(found.mtimeMs) <= 8.64e15 ? found.mtimeMs : 0;
    return { name, kind, size, last_modified: new Date(at).toISOString() };
  } catch {
    // It was deleted after its name was read.
    return null;
  }
}

const { compare } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function byKindAndName(a: Name, b: Name): number {
  if (a.kind !== b.kind) return a.kind === 'directory' ? -1 : 1;
  return compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
}
