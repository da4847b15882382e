import { basename, isAbsolute, join, resolve } from 'node:path';
import { accessModes } from '#filesystem/flags.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileStats, FileSystem } from '#filesystem/port.ts';
import { statOrThrow, systemError } from '#filesystem/system-error.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { entryFault } from '#protocol/names.ts';
import { createNumbering } from '#protocol/numbered-names.ts';
import { systemCode, wordsOf } from '../errors.ts';
import { stampOf } from '../io/file-stamp.ts';
import type { FileOutcome, NewFile } from '../transfer/record.ts';
import { childPath } from './child-path.ts';
import { closeRead } from './close-read.ts';
import { type NamesPage, openPages } from './folder-pages.ts';
import { isIgnoredName } from './ignored-names.ts';
import { type LookAhead, type Looked, lookAhead, lookLater, lookNow } from './look-ahead.ts';
import type { PathGuard } from './path-guard.ts';
import { openPinnedDir, openSubfolder, type PinnedDir } from './pinned-dir.ts';
import { realPathOf } from './real-path.ts';
import type { ScanCheckpoint } from './scan-checkpoint.ts';
import { untilDiskAnswers } from './until-disk-answers.ts';

/** Entries examined before the event loop gets a turn. */
const slice = 64;

const words: Readonly<Record<string, string>> = {
  EACCES: 'the permission to read it is missing',
  EPERM: 'the permission to read it is missing',
  ENOENT: 'it is not there any more',
  ENOTDIR: 'a folder on the way to it is not there any more',
  EIO: 'the disk reports a read error',
  ELOOP: 'its path goes in circles',
};

/** Whether the path exists and is visible to this process. */
export function exists(path: string, fileSystem: FileSystem = nodeFileSystem): boolean {
  return fileSystem.lstatNow(path) !== null;
}

/** What a system error means for a path, as the end of a sentence. */
export function pathTrouble(cause: unknown): string {
  return words[systemCode(cause)] ?? wordsOf(cause);
}

/**
 * Checks the paths that a person asked to send before anything begins: `path_not_absolute`, `path_not_found` or
 * `path_unreadable` name the first path that cannot be sent.
 */
export function checkRoots(paths: readonly string[], fileSystem: FileSystem = nodeFileSystem): void {
  for (const path of paths) {
    if (!isAbsolute(path)) throw new AgentError('path_not_absolute', { path });
    try {
      const found = statOrThrow(fileSystem, path);
      if (!found.isFile() && !found.isDirectory()) {
        throw new AgentError('path_unreadable', { path, detail: `it is ${kindOf(found)}. Give a file or a folder.` });
      }
      fileSystem.access(path, found.isDirectory() ? accessModes.read | accessModes.enter : accessModes.read);
    } catch (cause) {
      if (cause instanceof ApiError) throw cause;
      if (systemCode(cause) === 'ENOENT') throw new AgentError('path_not_found', { path }, { cause });
      throw new AgentError('path_unreadable', { path, detail: `${pathTrouble(cause)}.` }, { cause });
    }
  }
}

/** A path that a person named, and its name in the package. */
export interface Root {
  readonly local: string;
  readonly name: string;
}

/** The source of each path and its name in the package. Paths added at the end do not change those before them. */
export function rootsOf(paths: readonly string[], fileSystem: FileSystem = nodeFileSystem): Root[] {
  const taken = new Set<string>();
  const numbered = createNumbering();
  /** Two roots of one name get different names in the package: `day`, `day (2)`. */
  const ownName = (name: string): string => {
    const free = numbered(name, (candidate) => !taken.has(candidate));
    taken.add(free);
    return free;
  };
  return paths.map((path) => {
    const whole = resolve(path);
    return { local: realPathOf(fileSystem, whole), name: ownName(basename(whole) || 'root') };
  });
}

export interface Walk extends Root {
  /** Its folder in the package; empty for the root. */
  readonly folder: string;
  /** Throws for a folder that leads out of the allowed ones; nothing of that folder is read. */
  readonly guard?: PathGuard | null;
  /** Checkpoint of an earlier run: its entries are not yielded again. */
  readonly checkpoint?: ScanCheckpoint | null;
  readonly signal: AbortSignal;
  /** Entries are looked up on the agent's own thread: for a root of few entries, on a disk that has just answered. */
  readonly blocks?: boolean;
  /** Names in one page of a folder. */
  readonly namesPerPage?: number;
  readonly platform?: NodeJS.Platform | undefined;
  readonly fileSystem?: FileSystem;
}

/**
 * Walks a file or folder and yields each entry of the package when it is found: files, and folders that would be lost
 * otherwise because they are empty, or because all their entries are left out. Names are sorted in each folder; very
 * large folders are sorted page by page (`folder-pages.ts`). Symbolic links are not followed: they are yielded as
 * `skipped`, like devices, sockets and files of the operating system. Unreadable entries, and names that a package
 * cannot hold, are yielded as `error`; the walk continues. Memory is limited to one page of names for each level. If
 * `guard` restricts the walk to the allowed folders, each folder stays open while its entries are examined, so that
 * nothing is reported of a folder that replaces it. On a disk that is not certainly this machine's, entries are looked up
 * where one that hangs can be left behind.
 */
export function walk({
  local: root,
  folder,
  name,
  guard = null,
  checkpoint = null,
  signal,
  blocks = false,
  namesPerPage,
  platform,
  fileSystem = nodeFileSystem,
}: Walk): AsyncGenerator<NewFile> {
  const pause = pacer(signal);
  /** Whether the disk is certainly this machine's, or taken as such; not known before the first look. */
  let isLocal: boolean | null = blocks ? true : null;
  return walkOn(root, root, folder, name, checkpoint, null);

  /**
   * Returns whether the entry is in the package and not left out.
   *
   * @param by the path used to examine `local`: its name in a pinned folder
   * @param ahead what looks up the entries of its folder, if these may hang
   */
  async function* walkOn(
    local: string,
    by: string,
    folder: string,
    name: string,
    checkpoint: ScanCheckpoint | null,
    ahead: LookAhead | null,
  ): AsyncGenerator<NewFile, boolean> {
    await pause();
    isLocal ??= await untilDiskAnswers(root, fileSystem);
    const looked = isLocal ? lookNow(fileSystem, by) : await (ahead ? ahead.at(by) : lookLater(fileSystem, by));
    signal.throwIfAborted();
    const entry = examine(fileSystem, looked, local, folder, name, by);
    const inside = pathIn(folder, name);
    const known = checkpoint?.has(inside) ?? false;
    if (entry.kind === 'file' || entry.state) {
      if (!known) yield local === root ? ifAllowed(entry) : entry;
      return entry.state !== 'skipped';
    }
    let pinned: PinnedDir | null;
    try {
      if (!isLocal && guard) await untilDiskAnswers(by, fileSystem);
      pinned = pin(local, by);
    } catch (cause) {
      if (!known) yield { ...entry, ...refused(local, cause) };
      return true;
    }
    const path = pinned?.path ?? local;
    const pages = openPages(path, namesPerPage, fileSystem);
    try {
      // Entries of the checkpoint are not examined again.
      let empty = !checkpoint?.holdsAny(inside);
      for (let page: NamesPage | null = null; !page?.last; ) {
        try {
          page = await pages.next();
          pinned?.check();
        } catch (cause) {
          if (!known) yield { ...entry, ...refused(local, cause) };
          return true;
        }
        const children = isLocal ? null : lookAhead(fileSystem, lookedAt(page.names, path, inside, checkpoint));
        for (const child of page.names) {
          const found = checkpoint ? null : otherThanFolder(local, path, inside, child);
          const file = found instanceof Promise ? await found : found;
          if (file) {
            yield file;
            if (file.state !== 'skipped') empty = false;
          } else if (yield* childOf(local, path, inside, child, checkpoint, children)) empty = false;
        }
      }
      if (empty && !known) yield entry;
      return true;
    } finally {
      await closeRead(pages);
      pinned?.close();
      // Its siblings may have changed meanwhile.
      ahead?.forget();
    }
  }

  /**
   * The entry of a folder on this machine's own disk unless it is one that is walked, or none of ours: a generator of its own for
   * each of many files costs more than to look at them.
   */
  function otherThanFolder(parent: string, by: string, inside: string, child: string): NewFile | null | Promise<NewFile | null> {
    if (!isLocal || isIgnoredName(child)) return null;
    const local = childPath(parent, child);
    const path = by === parent ? local : childPath(by, child);
    const look = (): NewFile | null => {
      const looked = lookNow(fileSystem, path);
      if ('found' in looked && looked.found?.isDirectory()) return null;
      return examine(fileSystem, looked, local, inside, child, path);
    };
    const paused = pause();
    return paused ? paused.then(look) : look();
  }

  /** The paths of the entries of a page that are examined. */
  function lookedAt(names: readonly string[], by: string, inside: string, checkpoint: ScanCheckpoint | null): string[] {
    return names.flatMap((name) => {
      const path = pathIn(inside, name);
      const isKnown = checkpoint?.has(path) && !checkpoint.wasEntered(path);
      return isKnown || isIgnoredName(name) ? [] : [join(by, name)];
    });
  }

  function pin(local: string, by: string): PinnedDir | null {
    // A link in place of a folder is met as it is opened. The root is what was chosen.
    if (!guard) return local === root || !isLocal ? null : openSubfolder(local, by, fileSystem, platform);
    guard(local);
    return openPinnedDir(local, guard, { by, platform, fileSystem });
  }

  /** Reports nothing of a named file that was replaced by one that may not be seen. */
  function ifAllowed(entry: NewFile): NewFile {
    try {
      guard?.(entry.local);
      return entry;
    } catch (cause) {
      return { ...entry, size: 0, modifiedAt: 0, inode: '', ...refused(entry.local, cause) };
    }
  }

  async function* childOf(
    parent: string,
    by: string,
    inside: string,
    child: string,
    checkpoint: ScanCheckpoint | null,
    ahead: LookAhead | null,
  ): AsyncGenerator<NewFile, boolean> {
    const path = pathIn(inside, child);
    const wasEntered = checkpoint?.wasEntered(path) ?? false;
    if (!wasEntered && checkpoint?.has(path)) return false;
    const local = join(parent, child);
    if (!isIgnoredName(child))
      return yield* walkOn(local, by === parent ? local : join(by, child), inside, child, wasEntered ? checkpoint : null, ahead);
    yield skipped(local, inside, child, "it is the system's own.");
    return false;
  }
}

/** A path in the package. */
export function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** One entry of the package, as a look at it found it. */
function examine(fileSystem: FileSystem, looked: Looked, local: string, path: string, name: string, by: string): NewFile {
  const nothing = { path, name, local, size: 0, modifiedAt: 0, inode: '' };
  let found: FileStats;
  try {
    if ('cause' in looked) throw looked.cause;
    if (!looked.found) throw systemError('ENOENT', 'lstat', by);
    found = looked.found;
    // The disk has just answered for it.
    if (found.isFile()) fileSystem.access(by, accessModes.read);
  } catch (cause) {
    const garbled = systemCode(cause) === 'ENOENT' && name.includes('\uFFFD');
    const trouble = garbled ? new Error('its name is not valid Unicode. Rename it') : cause;
    return { kind: 'file', ...nothing, ...unreadable(local, trouble) };
  }
  if (!found.isFile() && !found.isDirectory()) {
    return skipped(local, path, name, `it is ${kindOf(found)}.`);
  }
  const kind = found.isFile() ? 'file' : 'directory';
  const entry = {
    kind,
    path,
    name,
    local,
    size: kind === 'file' ? found.size : 0,
    modifiedAt: found.mtimeMs,
    inode: stampOf(found).inode,
  } as const;
  const fault = faultOf(entry);
  return fault === null ? entry : { ...entry, state: 'error', error: new AgentError('name_refused', { path: local, detail: fault }).body };
}

function faultOf(entry: { path: string; name: string; size: number }): string | null {
  const fault = entryFault(entry.path, entry.name);
  if (fault !== null) return fault.replace(/^(name|path): /, '');
  if (entry.path.length > limits.pathLength) return `its path is longer than ${limits.pathLength} characters.`;
  if (entry.size > limits.maxFileSize) return `it is larger than ${limits.maxFileSize} bytes.`;
  return null;
}

type Failed = Extract<FileOutcome, { readonly state: 'error' }>;

function unreadable(path: string, cause: unknown): Failed {
  return { state: 'error', error: new AgentError('path_unreadable', { path, detail: `${pathTrouble(cause)}.` }).body };
}

function refused(path: string, cause: unknown): Failed {
  return cause instanceof ApiError ? { state: 'error', error: cause.body } : unreadable(path, cause);
}

function kindOf(found: FileStats): string {
  if (found.isSymbolicLink()) return 'a symbolic link';
  if (found.isSocket()) return 'a socket';
  if (found.isFIFO()) return 'a pipe';
  return 'a device';
}

function skipped(local: string, path: string, name: string, detail: string): NewFile {
  const error = new AgentError('left_out', { path: local, detail }).body;
  return { kind: 'file', path, name, local, size: 0, modifiedAt: 0, inode: '', state: 'skipped', error };
}

function pacer(signal: AbortSignal): () => Promise<void> | undefined {
  let looked = 0;
  return () => {
    signal.throwIfAborted();
    return ++looked % slice === 0 ? new Promise((resume) => setImmediate(resume)) : undefined;
  };
}
