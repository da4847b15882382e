/** A package's files as a tree, for the agent's page and the download page. Paths are complete, with `/`. */

/** What the tree reads of a listed file or folder. */
export interface TreeEntry {
  readonly id: string;
  /** `file` or `directory`. Others, such as zips, are not in the tree. */
  readonly kind: string;
  readonly name: string;
  /** The folder that holds it; empty for the root. */
  readonly path: string;
  readonly size?: number;
}

export interface FileNode<E extends TreeEntry> {
  readonly kind: 'file';
  readonly name: string;
  readonly path: string;
  readonly entry: E;
}

export interface FolderNode<E extends TreeEntry> {
  readonly kind: 'folder';
  readonly name: string;
  readonly path: string;
  /** The folder's own entry. Null for the root, and for a folder that only its files' paths name. */
  readonly entry: E | null;
  /** Folders first, each group sorted by name in natural order (2 before 10). */
  readonly children: readonly TreeNode<E>[];
  /** The number of files at all depths. */
  readonly files: number;
  readonly folders: number;
  readonly bytes: number;
}

export type TreeNode<E extends TreeEntry> = FileNode<E> | FolderNode<E>;

/** Unique in a tree: a file and a folder may have the same path. */
export const keyOf = ({ kind, path }: TreeNode<TreeEntry>): string => `${kind} ${path}`;

interface OpenFolder<E extends TreeEntry> {
  name: string;
  readonly path: string;
  entry: E | null;
  /** By the first part of their names. */
  readonly folders: Map<string, OpenFolder<E>>;
  readonly files: FileNode<E>[];
}

const newFolder = <E extends TreeEntry>(name: string, path: string): OpenFolder<E> => ({
  name,
  path,
  entry: null,
  folders: new Map(),
  files: [],
});

export const pathOf = ({ path, name }: Pick<TreeEntry, 'path' | 'name'>): string => (path === '' ? name : `${path}/${name}`);

/**
 * Down to this level each folder has a node of its own. Below it folders that hold one folder and nothing else share one, named
 * `a/b/c`: a path of 4,096 characters can name two thousand folders, and who sends files chooses their paths.
 */
const ownNodeDownTo = 16;

/** The tree of listed files. The root has no name. Time and memory are those of the paths as they are. */
export function treeOf<E extends TreeEntry>(entries: readonly E[], locale?: string): FolderNode<E> {
  const root = newFolder<E>('', '');
  const known = new Map([['', root]]);

  function folderAt(path: string): OpenFolder<E> {
    const found = known.get(path);
    if (found) return found;
    const folder = addFolder(root, path.split('/').filter(Boolean).join('/'));
    known.set(path, folder);
    return folder;
  }

  for (const entry of entries) {
    if (entry.kind === 'directory') folderAt(pathOf(entry)).entry = entry;
    else if (entry.kind === 'file') folderAt(entry.path).files.push({ kind: 'file', name: entry.name, path: pathOf(entry), entry });
  }
  const order = new Intl.Collator(locale, { numeric: true });
  return closed(root, (a, b) => order.compare(a.name, b.name));
}

function addFolder<E extends TreeEntry>(root: OpenFolder<E>, path: string): OpenFolder<E> {
  let folder = root;
  let rest = path;
  for (let level = 1; rest !== ''; level++) {
    const first = firstPart(rest);
    let next = folder.folders.get(first);
    if (!next) {
      const name = level <= ownNodeDownTo ? first : rest;
      next = newFolder(name, pathOf({ path: folder.path, name }));
      folder.folders.set(first, next);
    }
    const shared = sharedParts(next.name, rest);
    if (shared.length < next.name.length) {
      const above = newFolder<E>(shared, pathOf({ path: folder.path, name: shared }));
      next.name = next.name.slice(shared.length + 1);
      above.folders.set(firstPart(next.name), next);
      folder.folders.set(first, above);
      next = above;
    }
    folder = next;
    rest = rest.slice(shared.length + 1);
  }
  return folder;
}

function firstPart(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? path : path.slice(0, slash);
}

/** The folders that both paths begin with. */
function sharedParts(one: string, other: string): string {
  let length = 0;
  for (let at = 0; at <= one.length && at <= other.length; at++) {
    const [left, right] = [one[at] ?? '/', other[at] ?? '/'];
    if (left !== right) break;
    if (left === '/') length = at;
  }
  return one.slice(0, length);
}

/** How many folders one node stands for. */
const foldersIn = (name: string): number => {
  let count = 1;
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) count++;
  return count;
};

function closed<E extends TreeEntry>(folder: OpenFolder<E>, byName: (a: TreeNode<E>, b: TreeNode<E>) => number): FolderNode<E> {
  const folders = [...folder.folders.values()].map((one) => closed(one, byName)).sort(byName);
  return withChildren(folder, [...folders, ...folder.files.sort(byName)]);
}

function withChildren<E extends TreeEntry>(
  { name, path, entry }: Pick<FolderNode<E>, 'name' | 'path' | 'entry'>,
  children: readonly TreeNode<E>[],
): FolderNode<E> {
  let [files, folders, bytes] = [0, 0, 0];
  for (const child of children) {
    if (child.kind === 'folder') {
      files += child.files;
      folders += child.folders + foldersIn(child.name);
      bytes += child.bytes;
    } else {
      files += 1;
      bytes += child.entry.size ?? 0;
    }
  }
  return { kind: 'folder', name, path, entry, children, files, folders, bytes };
}

/** Case and accents are ignored: `uber` finds `Über`, and the other way round. */
const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/**
 * The tree reduced to nodes with every word of the query in their path, and their parent folders. Null for an empty
 * query. A matching folder keeps all its content, since that has the folder's name in its path.
 */
export function found<E extends TreeEntry>(root: FolderNode<E>, query: string): FolderNode<E> | null {
  const words = folded(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const matches = ({ path }: TreeNode<E>): boolean => {
    const text = folded(path);
    return words.every((word) => text.includes(word));
  };
  const reduced = (node: TreeNode<E>): TreeNode<E> | null => {
    if (node.kind === 'file') return matches(node) ? node : null;
    const children = node.children.map(reduced).filter((child) => child !== null);
    return children.length > 0 || matches(node) ? withChildren(node, children) : null;
  };
  return withChildren(
    root,
    root.children.map(reduced).filter((child) => child !== null),
  );
}

/** One visible row of the tree. */
export interface TreeRow<E extends TreeEntry> {
  readonly node: TreeNode<E>;
  /** 1 for entries in the root. */
  readonly level: number;
  /** The position among its siblings, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
}

/** The visible rows of the tree, from top to bottom. */
export function rowsOf<E extends TreeEntry>(root: FolderNode<E>, isOpen: (folder: FolderNode<E>) => boolean): TreeRow<E>[] {
  const rows: TreeRow<E>[] = [];
  const add = (folder: FolderNode<E>, level: number): void => {
    folder.children.forEach((node, index) => {
      rows.push({ node, level, position: index + 1, siblings: folder.children.length });
      if (node.kind === 'folder' && isOpen(node)) add(node, level + 1);
    });
  };
  add(root, 1);
  return rows;
}

/** Up to this number of files and folders all folders are open. */
const openUpTo = 60;

export const isSmall = ({ files, folders }: FolderNode<TreeEntry>): boolean => files + folders <= openUpTo;

/** Folders that are open at first: all of a small tree; of a large tree only the topmost folders without siblings. */
export function openAtFirst(root: FolderNode<TreeEntry>): (folder: FolderNode<TreeEntry>) => boolean {
  if (isSmall(root)) return () => true;
  const open = new Set<string>();
  for (let at = root; at.children.length === 1 && at.children[0]!.kind === 'folder'; ) {
    at = at.children[0]!;
    open.add(at.path);
  }
  return ({ path }) => open.has(path);
}

/** The leaves below a node, or itself: files and empty folders, in display order. */
export function* leavesOf<E extends TreeEntry>(node: TreeNode<E>): Generator<TreeNode<E>, void> {
  if (node.kind === 'file' || node.children.length === 0) yield node;
  else for (const child of node.children) yield* leavesOf(child);
}
