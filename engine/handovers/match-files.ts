import { basename, join, sep } from 'node:path';
import type { FileSystem } from '#filesystem/port.ts';
import type { HandoverFile } from '#protocol/hosted/handovers.ts';
import { entryFault } from '#protocol/names.ts';
import type { PathGuard } from '../folders/path-guard.ts';
import { type FileStamp, stampOf } from '../io/file-stamp.ts';

/** A file of a browser, and what is of it on this machine. */
export type MatchedFile = {
  readonly file: HandoverFile;
  /** Where it is, or would be; empty where nothing says so. */
  readonly local: string;
} & ({ readonly state: 'found'; readonly stamp: FileStamp } | { readonly state: 'changed' | 'missing' | 'not_needed' });

/** Files that are looked for before the event loop gets a turn. */
const slice = 64;

/**
 * Finds the files of a package in the files and folders that a person chose. The package's paths come from a stranger:
 * only regular files below a chosen folder, on their real paths, count, and only with the size and time that the browser
 * saw. A browser knows no path above the folder that it was given, so that folder may be the chosen one itself, one
 * above, or have another name now.
 */
export async function matchFiles(
  files: readonly HandoverFile[],
  paths: readonly string[],
  { fileSystem, guard, signal }: { readonly fileSystem: FileSystem; readonly guard: PathGuard | null; readonly signal?: AbortSignal },
): Promise<MatchedFile[]> {
  const roots = paths.map((path) => openRoot(path, fileSystem));
  const matched: MatchedFile[] = [];
  for (const [index, file] of files.entries()) {
    matched.push(matchFile(file, roots, fileSystem, guard));
    if (index % slice !== slice - 1) continue;
    await new Promise((resume) => setImmediate(resume));
    signal?.throwIfAborted();
  }
  return matched;
}

interface Root {
  readonly path: string;
  readonly name: string;
  readonly real: string;
  readonly isFile: boolean;
}

function openRoot(path: string, fileSystem: FileSystem): Root {
  const real = fileSystem.realPath(path);
  return { path, name: basename(path), real, isFile: fileSystem.stat(real)?.isFile() ?? false };
}

function matchFile(file: HandoverFile, roots: readonly Root[], fileSystem: FileSystem, guard: PathGuard | null): MatchedFile {
  if (file.kind === 'directory' || file.sent) return { file, local: '', state: 'not_needed' };
  if (entryFault(file.path, file.name) !== null) return { file, local: '', state: 'missing' };
  let first = '';
  let changed = '';
  for (const root of roots) {
    for (const local of candidatesIn(root, file)) {
      first ||= local;
      const stamp = stampIn(root, local, fileSystem, guard);
      if (!stamp) continue;
      if (stamp.size === file.size && Math.floor(stamp.mtimeMs) === Date.parse(file.last_modified)) {
        return { file, local, state: 'found', stamp };
      }
      changed ||= local;
    }
  }
  return changed === '' ? { file, local: first, state: 'missing' } : { file, local: changed, state: 'changed' };
}

/** Where a file of this path could lie, the likeliest first. */
function candidatesIn({ path, name, isFile }: Root, file: HandoverFile): string[] {
  if (isFile) return name === file.name ? [path] : [];
  const parts = [...(file.path === '' ? [] : file.path.split('/')), file.name];
  const candidates = [join(path, ...parts)];
  for (const [index, part] of parts.slice(0, -1).entries()) {
    if (part === name) candidates.push(join(path, ...parts.slice(index + 1)));
  }
  if (parts.length > 1) candidates.push(join(path, ...parts.slice(1)));
  return [...new Set(candidates)];
}

function stampIn(root: Root, local: string, fileSystem: FileSystem, guard: PathGuard | null): FileStamp | null {
  try {
    const found = fileSystem.lstatNow(local);
    if (!found?.isFile()) return null;
    const real = guard ? guard(local) : fileSystem.realPath(local);
    // A link on the way may lead elsewhere.
    if (real !== root.real && !real.startsWith(root.real.endsWith(sep) ? root.real : root.real + sep)) return null;
    return stampOf(found);
  } catch {
    return null;
  }
}
