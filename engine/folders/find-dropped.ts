import { join } from 'node:path';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { DirectoryEntry, FileSystem } from '#filesystem/port.ts';
import type { DroppedEntry, FoundDropped } from '#protocol/agent/paths.ts';
import { isIgnoredName } from './ignored-names.ts';
import { allowedPath, isInside, realRoots } from './roots.ts';

interface FindOptions {
  /** The allowed folders: nothing is looked for, or told, outside of them. */
  readonly allowed: readonly string[];
  /** Folders to look in first. */
  readonly first?: readonly string[];
  readonly signal: AbortSignal;
  readonly mostEntries?: number;
  readonly mostMs?: number;
  readonly now?: () => number;
  readonly fileSystem?: FileSystem;
}

/** Entries read before other work gets a turn. */
const slice = 512;

/**
 * Finds the files and folders that a browser was given. A file is known by name, size and time, a folder by its name and
 * some of the files in it. Looks through the allowed folders level by level, since what people drop mostly lies near
 * their top, and stops once all are found.
 */
export async function findDropped(
  entries: readonly DroppedEntry[],
  { allowed, first = [], signal, mostEntries = 200_000, mostMs = 5_000, now = Date.now, fileSystem = nodeFileSystem }: FindOptions,
): Promise<FoundDropped> {
  const end = now() + mostMs;
  const roots = realRoots(allowed, fileSystem);
  const paths: (string | null)[] = entries.map(() => null);
  const wanted = new Map<string, number[]>();
  entries.forEach(({ name }, index) => void wanted.set(name, [...(wanted.get(name) ?? []), index]));
  const queue = [...first.flatMap((path) => realRoots([path], fileSystem)).filter((path) => isInside(path, roots)), ...roots];
  const seen = new Set<string>();
  let looked = 0;

  const check = (folder: string, entry: DirectoryEntry): void => {
    for (const index of wanted.get(entry.name) ?? []) {
      if (paths[index] !== null) continue;
      const path = join(folder, entry.name);
      if (isWanted(entries[index]!, entry, path, (inside) => isAllowed(inside, allowed, fileSystem), fileSystem)) paths[index] = path;
    }
  };

  for (let at = 0; at < queue.length && paths.includes(null); at++) {
    const folder = queue[at]!;
    if (seen.has(folder)) continue;
    seen.add(folder);
    try {
      for await (const entry of await fileSystem.openDirectory(folder, slice)) {
        signal.throwIfAborted();
        check(folder, entry);
        if (entry.isDirectory() && !entry.name.startsWith('.') && !isIgnoredName(entry.name)) queue.push(join(folder, entry.name));
        if (++looked % slice === 0) await new Promise((resume) => setImmediate(resume));
        if (looked >= mostEntries || now() > end) return { paths, complete: false };
      }
    } catch {
      // A folder that cannot be read holds nothing that could be sent.
      signal.throwIfAborted();
    }
  }
  return { paths, complete: true };
}

/** Nothing is looked at that may not be seen: not even the size of a file tells. */
function isWanted(
  wanted: DroppedEntry,
  entry: DirectoryEntry,
  path: string,
  allowed: (path: string) => boolean,
  fileSystem: FileSystem,
): boolean {
  if (wanted.kind === 'directory') {
    if (!entry.isDirectory() || !allowed(path)) return false;
    return wanted.files.every((file) => {
      const parts = file.path.split('/');
      const inside = join(path, ...parts);
      return !parts.includes('..') && allowed(inside) && sizeAt(inside, fileSystem) === file.size;
    });
  }
  if (!entry.isFile() || !allowed(path)) return false;
  const found = statOf(path, fileSystem);
  // Browsers tell whole milliseconds.
  return found !== null && found.size === wanted.size && Math.floor(found.mtimeMs) === Date.parse(wanted.last_modified);
}

function statOf(path: string, fileSystem: FileSystem) {
  try {
    return fileSystem.lstatNow(path);
  } catch {
    return null;
  }
}

function sizeAt(path: string, fileSystem: FileSystem): number | null {
  const found = statOf(path, fileSystem);
  return found?.isFile() ? found.size : null;
}

/** It may have been exchanged for a link meanwhile. */
function isAllowed(path: string, allowed: readonly string[], fileSystem: FileSystem): boolean {
  try {
    return allowedPath(path, allowed, fileSystem) === path;
  } catch {
    return false;
  }
}
