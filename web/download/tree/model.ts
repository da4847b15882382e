import type { File } from '#protocol/hosted/files.ts';

/** A package as a tree of folders. Paths are complete, with `/`; they are the nodes' keys. */
interface FileNode {
  readonly kind: 'file';
  readonly name: string;
  readonly path: string;
  readonly file: File;
}

export interface FolderNode {
  readonly kind: 'folder';
  readonly name: string;
  readonly path: string;
  /** Folders first, each group sorted by name in natural order (2 before 10). */
  readonly children: readonly Node[];
  /** The number of files at all depths. */
  readonly files: number;
  readonly folders: number;
  readonly bytes: number;
}

export type Node = FileNode | FolderNode;

interface Growing {
  readonly name: string;
  readonly path: string;
  readonly folders: Map<string, Growing>;
  readonly files: FileNode[];
}

export const pathOf = ({ path, name }: Pick<File, 'path' | 'name'>): string => (path === '' ? name : `${path}/${name}`);

/** The tree of listed files; zips are not in it. The root has no name. */
export function treeOf(records: readonly File[], locale?: string): FolderNode {
  const root: Growing = { name: '', path: '', folders: new Map(), files: [] };
  const known = new Map<string, Growing>([['', root]]);

  function folderAt(path: string): Growing {
    const there = known.get(path);
    if (there) return there;
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    const made: Growing = { name, path, folders: new Map(), files: [] };
    folderAt(slash < 0 ? '' : path.slice(0, slash)).folders.set(name, made);
    known.set(path, made);
    return made;
  }

  for (const file of records) {
    if (file.kind === 'directory') folderAt(pathOf(file));
    else if (file.kind === 'file') folderAt(file.path).files.push({ kind: 'file', name: file.name, path: pathOf(file), file });
  }
  const order = new Intl.Collator(locale, { numeric: true });
  return grown(root, (a, b) => order.compare(a.name, b.name));
}

function grown({ name, path, folders, files }: Growing, byName: (a: Node, b: Node) => number): FolderNode {
  const inside = [...folders.values()].map((folder) => grown(folder, byName)).sort(byName);
  return folderOf(name, path, [...inside, ...files.sort(byName)]);
}

function folderOf(name: string, path: string, children: readonly Node[]): FolderNode {
  let [files, folders, bytes] = [0, 0, 0];
  for (const child of children) {
    if (child.kind === 'folder') {
      files += child.files;
      folders += child.folders + 1;
      bytes += child.bytes;
    } else {
      files += 1;
      bytes += child.file.size ?? 0;
    }
  }
  return { kind: 'folder', name, path, children, files, folders, bytes };
}

/** Case and accents are ignored: `uber` finds `Über`, and the other way round. */
const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/**
 * The tree reduced to nodes with every word of the query in their path, and their parent folders. Null for an empty
 * query. A matching folder keeps all its content, since that has the folder's name in its path.
 */
export function found(root: FolderNode, query: string): FolderNode | null {
  const messages = folded(query).split(/\s+/).filter(Boolean);
  if (messages.length === 0) return null;
  const has = ({ path }: Node): boolean => {
    const text = folded(path);
    return messages.every((word) => text.includes(word));
  };
  const left = (node: Node): Node | null => {
    if (node.kind === 'file') return has(node) ? node : null;
    const children = node.children.map(left).filter((child) => child !== null);
    return children.length > 0 || has(node) ? folderOf(node.name, node.path, children) : null;
  };
  const children = root.children.map(left).filter((child) => child !== null);
  return folderOf('', '', children);
}

/** One visible row of the tree. */
export interface Row {
  readonly node: Node;
  /** 1 for entries in the root. */
  readonly level: number;
  /** The position among its siblings, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
}

/** The visible rows of the tree, from top to bottom. */
export function rowsOf(root: FolderNode, isOpen: (folder: FolderNode) => boolean): Row[] {
  const rows: Row[] = [];
  const add = (folder: FolderNode, level: number): void => {
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

export const isSmall = (root: FolderNode): boolean => root.files + root.folders <= openUpTo;

/** Folders that are open at first: all of a small tree; of a large tree only the topmost folders without siblings. */
export function openAtFirst(root: FolderNode): (folder: FolderNode) => boolean {
  if (isSmall(root)) return () => true;
  const open = new Set<string>();
  for (let at = root; at.children.length === 1 && at.children[0]!.kind === 'folder'; ) {
    at = at.children[0]!;
    open.add(at.path);
  }
  return ({ path }) => open.has(path);
}

/** Files in display order. */
export function filesIn(root: FolderNode): FileNode[] {
  return root.children.flatMap((node) => (node.kind === 'file' ? [node] : filesIn(node)));
}
