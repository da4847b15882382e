import { join } from 'node:path';
import type { FileStats, FileSystem } from '#filesystem/port.ts';
import { AgentError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { entryFault } from '#protocol/names.ts';
import { systemCode } from '../../errors.ts';
import { openPages } from '../../folders/folder-pages.ts';
import { isIgnoredName } from '../../folders/ignored-names.ts';
import { type Looked, lookAhead, lookNow } from '../../folders/look-ahead.ts';
import type { PathGuard } from '../../folders/path-guard.ts';
import { openPinnedDir, openSubfolder, type PinnedDir } from '../../folders/pinned-dir.ts';
import { pathTrouble } from '../../folders/scan.ts';
import { untilDiskAnswers } from '../../folders/until-disk-answers.ts';
import type { WatchedFolder } from '../record.ts';

/** A file as a scan found it. */
export interface SeenFile {
  /** Inside the watched folder, with `/`. */
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970, with their fraction. */
  readonly mtimeMs: number;
  /** When anything of it changed last, its name included. */
  readonly ctimeMs: number;
  /** Inode and time of birth, which is 0 where the disk keeps none. */
  readonly identity: string;
  /** `device:inode`, as transfers note it. */
  readonly inode: string;
}

/** Something that is there and cannot be sent. */
export interface Trouble {
  readonly path: string;
  /** A sentence. */
  readonly reason: string;
}

export interface FolderScan {
  readonly root: WatchedFolder;
  /** The folder's real path. */
  readonly realPath: string;
  readonly files: readonly SeenFile[];
  /** Folders with nothing in them. */
  readonly emptyFolders: readonly string[];
  /** Unreadable folders, and names that no package can hold: their entries wait. */
  readonly troubles: readonly Trouble[];
  /** Links, devices: left out. */
  readonly leftOut: readonly Trouble[];
}

interface ScanOptions {
  readonly recursive: boolean;
  /** Keeps the scan inside the allowed folders. */
  readonly guard: PathGuard | null;
  readonly fileSystem: FileSystem;
  readonly signal: AbortSignal;
}

/** Entries examined before the event loop gets a turn. */
const slice = 128;

/** Identity of what a path names: its inode and its time of birth, which is 0 where the disk keeps none. */
export function identityOf({ ino, birthtimeMs }: FileStats): string {
  return `${ino}:${Math.trunc(birthtimeMs)}`;
}

/**
 * Finds all files in a watched folder. Symbolic links are not followed, but for the folder itself, also where one comes in a
 * folder's place meanwhile: whoever may write there could have the agent's own files sent. Files of the
 * operating system are passed over. `path_not_found`, `path_unreadable` or `path_outside` where the folder itself
 * cannot be read; what goes away meanwhile is not reported.
 */
export async function scanFolder(folder: string, { recursive, guard, fileSystem, signal }: ScanOptions): Promise<FolderScan> {
  const files: SeenFile[] = [];
  const emptyFolders: string[] = [];
  const troubles: Trouble[] = [];
  const leftOut: Trouble[] = [];
  let looked = 0;
  let isLocal = false;

  const turn = async (): Promise<void> => {
    if (++looked % slice !== 0) return;
    await new Promise((resume) => setImmediate(resume));
    signal.throwIfAborted();
  };

  const enter = async (local: string, by: string, inside: string): Promise<void> => {
    const pinned: PinnedDir | null = guard
      ? openPinnedDir(local, guard, { by, fileSystem })
      : inside === '' || !isLocal
        ? null
        : openSubfolder(local, by, fileSystem);
    const path = pinned?.path ?? local;
    const pages = openPages(path, undefined, fileSystem);
    let empty = true;
    try {
      for (let last = false; !last; ) {
        const page = await pages.next();
        pinned?.check();
        last = page.last;
        for await (const [name, found] of lookedUp(path, page.names)) {
          if (await look(local, path, inside, name, found)) empty = false;
        }
      }
    } finally {
      await pages.close();
      pinned?.close();
    }
    if (empty && inside !== '') emptyFolders.push(inside);
  };

  /** Looks up the names in a folder: on a disk that may hang where that can be left behind. */
  async function* lookedUp(folder: string, all: readonly string[]): AsyncGenerator<readonly [string, Looked]> {
    const names = all.filter((name) => !isIgnoredName(name));
    const ahead = isLocal
      ? null
      : lookAhead(
          fileSystem,
          names.map((name) => join(folder, name)),
        );
    for (const name of names) {
      await turn();
      const path = join(folder, name);
      const looked = ahead ? await ahead.at(path) : lookNow(fileSystem, path);
      signal.throwIfAborted();
      yield [name, looked];
    }
  }

  /** Whether there is something at this name. */
  const look = async (parent: string, by: string, folderInside: string, name: string, looked: Looked): Promise<boolean> => {
    const inside = folderInside === '' ? name : `${folderInside}/${name}`;
    const local = join(parent, name);
    if ('cause' in looked) {
      troubles.push({ path: inside, reason: `It cannot be read: ${pathTrouble(looked.cause)}.` });
      return true;
    }
    const { found } = looked;
    if (!found) return false;
    if (!found.isFile() && !found.isDirectory()) {
      leftOut.push({ path: inside, reason: found.isSymbolicLink() ? 'It is a symbolic link.' : 'It is neither a file nor a folder.' });
      return true;
    }
    const fault = faultOf(folderInside, name, inside, found);
    if (fault !== null) {
      troubles.push({ path: inside, reason: fault });
      return true;
    }
    if (found.isFile()) {
      files.push({
        path: inside,
        size: found.size,
        mtimeMs: found.mtimeMs,
        ctimeMs: found.ctimeMs,
        identity: identityOf(found),
        inode: `${found.dev}:${found.ino}`,
      });
      return true;
    }
    if (!recursive) return true;
    try {
      await enter(local, by === parent ? local : join(by, name), inside);
    } catch (cause) {
      signal.throwIfAborted();
      if (systemCode(cause) === 'ENOENT') return false;
      troubles.push({
        path: inside,
        reason: `It cannot be read: ${cause instanceof AgentError ? cause.message : `${pathTrouble(cause)}.`}`,
      });
    }
    return true;
  };

  try {
    isLocal = await untilDiskAnswers(folder, fileSystem);
    signal.throwIfAborted();
    const realPath = guard ? guard(folder) : fileSystem.realPath(folder);
    const found = fileSystem.stat(realPath);
    if (!found) throw new AgentError('path_not_found', { path: folder });
    if (!found.isDirectory()) throw new AgentError('path_unreadable', { path: folder, detail: 'it is not a folder.' });
    await enter(realPath, realPath, '');
    return { root: { dev: found.dev, identity: identityOf(found) }, realPath, files, emptyFolders, troubles, leftOut };
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof AgentError) throw cause;
    if (systemCode(cause) === 'ENOENT') throw new AgentError('path_not_found', { path: folder }, { cause });
    throw new AgentError('path_unreadable', { path: folder, detail: `${pathTrouble(cause)}.` }, { cause });
  }
}

function faultOf(folder: string, name: string, inside: string, { size }: FileStats): string | null {
  if (name.includes('\uFFFD')) return 'Its name is not valid Unicode. Rename it.';
  const fault = entryFault(folder, name);
  if (fault !== null) return `No package can hold its name: ${fault.replace(/^(name|path): /, '')}`;
  if (inside.length > limits.pathLength) return `Its path is longer than ${limits.pathLength} characters.`;
  if (size > limits.maxFileSize) return `It is larger than ${limits.maxFileSize} bytes.`;
  return null;
}
