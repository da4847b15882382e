import { RE2JS } from 're2js';
import { globToRe2 } from '../glob.ts';
import { stemOf } from './sidecar.ts';

/** The files of a watched folder, so that finding each entry's sidecar costs the same however many entries there are. */
export interface SidecarIndex {
  readonly byPath: ReadonlyMap<string, string>;
  /** Files by their path without the ending. */
  readonly byStem: ReadonlyMap<string, readonly string[]>;
  /** Folders with files, sorted, and what is right in each. */
  readonly folders: readonly string[];
  readonly inFolder: ReadonlyMap<string, readonly string[]>;
}

/** @param paths of all files inside the watched folder, also of those that are not sent */
export function indexSidecars(paths: Iterable<string>): SidecarIndex {
  const byPath = new Map<string, string>();
  const byStem = new Map<string, string[]>();
  const inFolder = new Map<string, string[]>();
  for (const path of paths) {
    byPath.set(keyOf(path), path);
    add(byStem, keyOf(join(folderOf(path), stemOf(nameOf(path)))), path);
    add(inFolder, folderOf(path), path);
  }
  return { byPath, byStem, inFolder, folders: [...inFolder.keys()].sort() };
}

/**
 * The path of the file that `pattern` means for an entry. A file in the entry counts before one beside it. Beside it,
 * only a file that has the entry's name but for the ending, or one whose whole name is given, since `*.json` could be
 * any other's. `{name}` stands for the entry's name without its ending.
 *
 * @param entry its path inside the watched folder; empty for that folder itself
 */
export function findSidecar(pattern: string, entry: string, index: SidecarIndex): string | null {
  const stem = stemOf(nameOf(entry));
  const source = pattern
    .normalize('NFC')
    .split('{name}')
    .map(globToRe2)
    .join(RE2JS.quote(stem.normalize('NFC')));
  const compiled = RE2JS.compile(`(?s)^(?:${source})$`, RE2JS.CASE_INSENSITIVE);
  const matches = (path: string, folder: string): boolean => {
    const below = folder === '' ? path : path.slice(folder.length + 1);
    return compiled.matches((pattern.includes('/') ? below : nameOf(path)).normalize('NFC'));
  };
  const inside = foldersIn(entry, index)
    .flatMap((folder) => index.inFolder.get(folder) ?? [])
    .filter((path) => matches(path, entry));
  if (inside.length > 0) return inside.sort(shallowestFirst)[0]!;
  const folder = folderOf(entry);
  const exact = index.byPath.get(keyOf(join(folder, pattern.replaceAll('{name}', stem))));
  if (exact !== undefined && exact !== entry) return exact;
  const beside = index.byStem.get(keyOf(join(folder, stem))) ?? [];
  return beside.filter((path) => path !== entry && matches(path, folder)).sort()[0] ?? null;
}

/** The entry's own folder and those below it. */
function foldersIn(entry: string, { folders, inFolder }: SidecarIndex): readonly string[] {
  if (entry === '') return folders;
  const below = `${entry}/`;
  let [low, high] = [0, folders.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (folders[middle]! < below) low = middle + 1;
    else high = middle;
  }
  const found = inFolder.has(entry) ? [entry] : [];
  for (let at = low; folders[at]?.startsWith(below); at += 1) found.push(folders[at]!);
  return found;
}

const depthOf = (path: string): number => path.split('/').length;
const shallowestFirst = (one: string, other: string): number => depthOf(one) - depthOf(other) || (one < other ? -1 : 1);

/** Names of a clip and its sidecar may differ in case, and in how an accent is written. */
const keyOf = (path: string): string => path.normalize('NFC').toLowerCase();
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

function add(map: Map<string, string[]>, key: string, path: string): void {
  const known = map.get(key);
  if (known) known.push(path);
  else map.set(key, [path]);
}
