import type { LinkPreview } from '#protocol/agent/previews.ts';

type PreviewedFile = LinkPreview['files'][number];

/** A non-empty folder of a package, or a leaf: a file or an empty folder. */
export interface TreeNode {
  /** Full path in the package; unique among the nodes of its kind. */
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  /** The id of a leaf; null for a non-empty folder. */
  readonly id: string | null;
  readonly kind: 'file' | 'directory';
  /** Total bytes of all leaves below it. */
  readonly size: number;
  /** Ids of all leaves below it; for a leaf its own id. */
  readonly leaves: readonly string[];
  readonly children: readonly TreeNode[];
}

interface Growing {
  readonly folders: Map<string, Growing>;
  readonly files: PreviewedFile[];
  /** The id of the folder's own entry in the listing. */
  id: string | null;
}

const growing = (): Growing => ({ folders: new Map(), files: [], id: null });

/** A package's files as a tree: folders first, each group sorted by name. */
export function treeOf(files: readonly PreviewedFile[]): TreeNode[] {
  const root = growing();
  const folderAt = (path: string): Growing => {
    let at = root;
    for (const part of path.split('/').filter((one) => one !== '')) {
      let next = at.folders.get(part);
      if (!next) {
        next = growing();
        at.folders.set(part, next);
      }
      at = next;
    }
    return at;
  };
  for (const file of files) {
    if (file.kind === 'file') folderAt(file.path).files.push(file);
    else folderAt(`${file.path}/${file.name}`).id = file.id;
  }
  return grown(root, '', 0);
}

function grown(at: Growing, path: string, depth: number): TreeNode[] {
  const within = (name: string): string => (path === '' ? name : `${path}/${name}`);
  const folders = [...at.folders]
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([name, folder]): TreeNode[] => {
      const children = grown(folder, within(name), depth + 1);
      const empty = children.length === 0;
      if (empty && folder.id === null) return [];
      return [
        {
          path: within(name),
          name,
          depth,
          id: empty ? folder.id : null,
          kind: 'directory',
          size: children.reduce((sum, child) => sum + child.size, 0),
          leaves: empty ? [folder.id!] : children.flatMap(({ leaves }) => leaves),
          children,
        },
      ];
    });
  const files = [...at.files]
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(
      (file): TreeNode => ({
        path: within(file.name),
        name: file.name,
        depth,
        id: file.id,
        kind: 'file',
        size: file.size,
        leaves: [file.id],
        children: [],
      }),
    );
  return [...folders, ...files];
}

/** The visible rows: the content of open folders; during a search, the files with the text in their path. */
export function rowsOf(tree: readonly TreeNode[], open: ReadonlySet<string>, find: string): TreeNode[] {
  const wanted = find.trim().toLocaleLowerCase();
  const rows: TreeNode[] = [];
  const walk = (nodes: readonly TreeNode[]): void => {
    for (const node of nodes) {
      if (wanted === '') {
        rows.push(node);
        if (open.has(node.path)) walk(node.children);
      } else {
        if (node.id !== null && node.path.toLocaleLowerCase().includes(wanted)) rows.push(node);
        walk(node.children);
      }
    }
  };
  walk(tree);
  return rows;
}

/** Whether all, some or none of a node's leaves are chosen. */
export function chosenOf(node: TreeNode, chosen: ReadonlySet<string>): 'all' | 'some' | 'none' {
  const count = node.leaves.reduce((sum, id) => sum + (chosen.has(id) ? 1 : 0), 0);
  return count === 0 ? 'none' : count === node.leaves.length ? 'all' : 'some';
}

/** The choice after a node was ticked or unticked. */
export function toggled(node: TreeNode, chosen: ReadonlySet<string>): Set<string> {
  const after = new Set(chosen);
  const add = chosenOf(node, chosen) !== 'all';
  for (const id of node.leaves) {
    if (add) after.add(id);
    else after.delete(id);
  }
  return after;
}
