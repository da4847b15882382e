import type { File } from '#protocol/hosted/files.ts';
import type { FolderNode, TreeRow } from '#ui/tree/file-tree.ts';

type Row = TreeRow<File>;

/** The action of a key in the tree (the ARIA practices' tree view). */
type Move =
  | { readonly kind: 'go'; readonly to: number }
  | { readonly kind: 'open' | 'close'; readonly path: string }
  /** Opens every sibling folder. */
  | { readonly kind: 'open_siblings' }
  /** The same as a click. */
  | { readonly kind: 'act' }
  /** Chooses the row, or no longer. */
  | { readonly kind: 'choose' };

interface TreeKeys {
  readonly rows: readonly Row[];
  /** Index of the row with the focus. */
  readonly at: number;
  readonly isOpen: (folder: FolderNode<File>) => boolean;
  /** Rows that fit into the window. */
  readonly page: number;
  /** Whether the page is right-to-left: the arrow keys are swapped. */
  readonly rightToLeft: boolean;
}

/** Null for a key without an action. `typed` is the text typed in quick succession, including this key. */
export function moveFor(key: string, typed: string, { rows, at, isOpen, page, rightToLeft }: TreeKeys): Move | null {
  const row = rows[at];
  if (!row) return null;
  const go = (to: number): Move => ({ kind: 'go', to: Math.max(0, Math.min(rows.length - 1, to)) });
  const { node } = row;
  switch (rightToLeft ? mirrored(key) : key) {
    case 'ArrowDown':
      return go(at + 1);
    case 'ArrowUp':
      return go(at - 1);
    case 'PageDown':
      return go(at + page);
    case 'PageUp':
      return go(at - page);
    case 'Home':
      return go(0);
    case 'End':
      return go(rows.length - 1);
    case 'ArrowRight':
      if (node.kind !== 'folder') return null;
      if (!isOpen(node)) return { kind: 'open', path: node.path };
      return node.children.length > 0 ? go(at + 1) : null;
    case 'ArrowLeft': {
      if (node.kind === 'folder' && isOpen(node)) return { kind: 'close', path: node.path };
      const parent = rows.slice(0, at).findLastIndex(({ level }) => level < row.level);
      return parent < 0 ? null : go(parent);
    }
    case 'Enter':
      return { kind: 'act' };
    case ' ':
      return { kind: 'choose' };
    case '*':
      return { kind: 'open_siblings' };
    default:
      return key.length === 1 ? rowNamed(rows, at, typed) : null;
  }
}

function mirrored(key: string): string {
  if (key === 'ArrowLeft') return 'ArrowRight';
  return key === 'ArrowRight' ? 'ArrowLeft' : key;
}

/** The next row whose name begins with the typed text. For one letter the search begins after the current row. */
function rowNamed(rows: readonly Row[], at: number, typed: string): Move | null {
  const wanted = typed.toLowerCase();
  const from = wanted.length === 1 ? at + 1 : at;
  for (let step = 0; step < rows.length; step++) {
    const to = (from + step) % rows.length;
    if (rows[to]!.node.name.toLowerCase().startsWith(wanted)) return { kind: 'go', to };
  }
  return null;
}
