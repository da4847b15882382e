import { basename } from 'node:path/posix';
import { defaultMarker, findMarkers } from './marker.ts';

/** A file of a watched folder that its patterns let through. */
export interface GroupedFile {
  /** Inside the watched folder, with `/` between folders. */
  readonly path: string;
  /** Whether it is whole: still, closed, and not under a name that means "not yet". */
  readonly ready: boolean;
  /** Whether it has been sent as it is; such a file is in no package again. */
  readonly sent: boolean;
}

export interface GroupingRule {
  readonly per: 'entry' | 'batch' | 'marker';
  /** For `marker`: the name that completes a folder (`marker.ts`). */
  readonly marker?: string | undefined;
  /** The watched folder's own name. */
  readonly folderName: string;
}

export interface PackageGroup<T> {
  /** Of the entry: its file's or folder's name; the watched folder's name for all of it. */
  readonly name: string;
  /** The name of the folder that the entry lies in. */
  readonly folder: string;
  /** The entry's path inside the watched folder; empty for the watched folder itself. */
  readonly path: string;
  readonly files: readonly T[];
}

/** What cannot be sent yet. */
export interface WaitingGroup<T> {
  readonly path: string;
  /** Something in it is not ready; its marker is not there; its marker is there and nothing else is. */
  readonly why: 'not_ready' | 'no_marker' | 'marker_only';
  readonly files: readonly T[];
}

export interface Grouping<T> {
  readonly packages: readonly PackageGroup<T>[];
  readonly waiting: readonly WaitingGroup<T>[];
}

/**
 * Sorts the files of a watched folder into packages: contract/agent.md §10.
 *
 * - `entry`: a package for each file or folder right under the watched one, once all in it is ready.
 * - `batch`: one package of all entries that are ready. A folder is never torn apart, so that half a camera card does
 *   not travel alone.
 * - `marker`: a package for each folder that a marker completes, once all in it is ready. The outermost one counts
 *   where a completed folder is inside another. A marker that was sent still completes what is added to its folder
 *   later; only for the watched folder itself each package needs a marker of its own.
 */
export function groupPackages<T extends GroupedFile>(files: readonly T[], rule: GroupingRule): Grouping<T> {
  const { entries, markers } = rule.per === 'marker' ? markedEntries(files, rule.marker ?? defaultMarker) : topEntries(files);
  const packages: PackageGroup<T>[] = [];
  const waiting: WaitingGroup<T>[] = [];
  for (const [path, { complete, files: all }] of entries) {
    const unsent = all.filter((file) => !file.sent);
    if (unsent.length === 0) continue;
    const why = !complete
      ? 'no_marker'
      : !unsent.every(({ ready }) => ready)
        ? 'not_ready'
        : unsent.every((file) => markers.has(file.path))
          ? 'marker_only'
          : null;
    if (why !== null) waiting.push({ path, why, files: unsent });
    else packages.push({ ...namesOf(path, rule.folderName), path, files: unsent });
  }
  if (rule.per !== 'batch' || packages.length === 0) return { packages, waiting };
  const { folderName: name } = rule;
  return { packages: [{ name, folder: name, path: '', files: packages.flatMap(({ files: some }) => some) }], waiting };
}

interface Entry<T> {
  readonly complete: boolean;
  readonly files: T[];
}

interface Entries<T> {
  /** By path inside the watched folder. */
  readonly entries: ReadonlyMap<string, Entry<T>>;
  /** Paths of the marker files. */
  readonly markers: ReadonlySet<string>;
}

/** What `GroupingRule.per` makes a package of, for a path: its entry, or for a batch the watched folder itself. */
export const entryOf = (path: string, per: 'entry' | 'batch'): string => (per === 'batch' ? '' : topOf(path));

export function namesOf(path: string, watched: string): { readonly name: string; readonly folder: string } {
  if (path === '') return { name: watched, folder: watched };
  const parts = path.split('/');
  return { name: parts.at(-1)!, folder: parts.at(-2) ?? watched };
}

function topEntries<T extends GroupedFile>(files: readonly T[]): Entries<T> {
  const entries = new Map<string, Entry<T>>();
  for (const file of files) add(entries, topOf(file.path), true, file);
  return { entries, markers: new Set() };
}

const topOf = (path: string): string => path.split('/', 1)[0]!;

function add<T>(entries: Map<string, Entry<T>>, path: string, complete: boolean, file: T): void {
  const known = entries.get(path);
  if (known) known.files.push(file);
  else entries.set(path, { complete, files: [file] });
}

function markedEntries<T extends GroupedFile>(files: readonly T[], marker: string): Entries<T> {
  const found = findMarkers(files, marker);
  const folders = new Set(
    found.flatMap(({ file, completes }) => (completes.kind === 'folder' && !(completes.path === '' && file.sent) ? [completes.path] : [])),
  );
  const siblings = new Map(
    found.flatMap(({ completes }) => (completes.kind === 'sibling' ? [[siblingKey(completes.path), completes.path]] : [])),
  );
  const ofMarkers = new Map(found.flatMap(({ file, completes }) => (completes.kind === 'sibling' ? [[file.path, completes.path]] : [])));
  const entries = new Map<string, Entry<T>>();
  for (const file of files) {
    const completed = outermost(file.path, folders, siblings) ?? ofMarkers.get(file.path) ?? (folders.has('') ? '' : null);
    add(entries, completed ?? topOf(file.path), completed !== null, file);
  }
  return { entries, markers: new Set(found.map(({ file }) => file.path)) };
}

/** The outermost entry around a file that a marker completes, but for the watched folder itself. */
function outermost(path: string, folders: ReadonlySet<string>, siblings: ReadonlyMap<string, string>): string | null {
  if (folders.size + siblings.size === 0) return null;
  for (let end = 0; end < path.length; ) {
    const slash = path.indexOf('/', end + 1);
    end = slash < 0 ? path.length : slash;
    const upTo = path.slice(0, end);
    if (slash >= 0 && folders.has(upTo)) return upTo;
    if (siblings.size === 0) continue;
    const sibling = siblings.get(siblingKey(upTo)) ?? siblings.get(siblingKey(withoutEnding(upTo)));
    if (sibling !== undefined) return sibling;
  }
  return null;
}

/** A path without its last name's ending: `day/clip` for `day/clip.mov`. */
function withoutEnding(path: string): string {
  const dot = path.lastIndexOf('.');
  return dot > path.lastIndexOf('/') + 1 ? path.slice(0, dot) : path;
}

/** Names of a clip and its sidecar may differ in case, and in how an accent is written. */
const siblingKey = (path: string): string => path.normalize('NFC').toLowerCase();

/** The name of a watched folder for its packages; `root` for a disk's own. */
export function folderNameOf(folder: string): string {
  return basename(folder.replaceAll('\\', '/')) || 'root';
}
