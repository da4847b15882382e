import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import type { File } from '#protocol/hosted/files.ts';
import type { Chosen } from '#ui/tree/choice.ts';
import { type FolderNode, keyOf, type TreeRow as Row, type TreeNode } from '#ui/tree/file-tree.ts';
import { useWindow } from '../../common/use-window.ts';
import { previewOf } from '../preview/kinds.ts';
import { moveFor } from './keys.ts';
import { TreeRow } from './tree-row.tsx';

interface TreeViewProps {
  readonly label: string;
  readonly rows: readonly Row<File>[];
  readonly isOpen: (folder: FolderNode<File>) => boolean;
  readonly setOpen: (paths: readonly string[], open: boolean) => void;
  readonly asking: string | null;
  /** How much of a row is chosen; null where nothing can be chosen. */
  readonly chosenOf: ((node: TreeNode<File>) => Chosen) | null;
  readonly onToggle: (node: TreeNode<File>) => void;
  readonly onDownload: (file: File) => void;
  readonly onDownloadFolder: ((folder: FolderNode<File>) => void) | null;
  readonly onPreview: (file: File) => void;
}

/** rem */
const rowHeight = 3;
/** Milliseconds within which typed letters form one name. */
const typingPause = 800;

/**
 * A tree with virtual scrolling (the ARIA practices' tree view): it is one Tab stop, arrow keys move in it, and the
 * next Tab stops are the buttons of the focused row.
 */
export function TreeView({
  label,
  rows,
  isOpen,
  setOpen,
  asking,
  chosenOf,
  onToggle,
  onDownload,
  onDownloadFolder,
  onPreview,
}: TreeViewProps) {
  const [active, setActive] = useState('');
  const known = rows.findIndex(({ node }) => keyOf(node) === active);
  const at = known < 0 ? 0 : known;
  const { box, onScroll, indexes, reveal } = useWindow(rows.length, rowHeight, at);
  const wantsFocus = useRef(false);
  const typed = useRef({ text: '', at: 0 });
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    reveal(at);
    box.current?.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus({ preventScroll: true });
  });

  const goTo = (index: number): void => {
    wantsFocus.current = true;
    setActive(keyOf(rows[index]!.node));
  };
  const act = (node: TreeNode<File>): void => {
    if (node.kind === 'folder') setOpen([node.path], !isOpen(node));
    else if (previewOf(node.entry)) onPreview(node.entry);
    else onDownload(node.entry);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // A row's own buttons handle Enter and Space; arrow keys still move in the tree.
    if (event.target instanceof HTMLButtonElement && (event.key === 'Enter' || event.key === ' ')) return;
    const soon = event.timeStamp - typed.current.at < typingPause;
    typed.current = { text: event.key.length === 1 ? (soon ? typed.current.text : '') + event.key : '', at: event.timeStamp };
    const move = moveFor(event.key, typed.current.text, {
      rows,
      at,
      isOpen,
      page: Math.max(
        1,
        Math.floor((box.current?.clientHeight ?? 0) / (box.current?.querySelector('[role=treeitem]')?.clientHeight || 48)) - 1,
      ),
      rightToLeft: getComputedStyle(event.currentTarget).direction === 'rtl',
    });
    if (!move) return;
    event.preventDefault();
    switch (move.kind) {
      case 'go':
        goTo(move.to);
        break;
      case 'open':
      case 'close':
        wantsFocus.current = true;
        setActive(keyOf(rows[at]!.node));
        setOpen([move.path], move.kind === 'open');
        break;
      case 'open_siblings':
        setOpen(siblingFolders(rows, at), true);
        break;
      case 'act':
        act(rows[at]!.node);
        break;
      case 'choose':
        (chosenOf ? onToggle : act)(rows[at]!.node);
        break;
    }
  };

  return (
    <div
      ref={box}
      className="window tree"
      role="tree"
      tabIndex={-1}
      aria-label={label}
      aria-multiselectable={chosenOf ? true : undefined}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div role="none" style={{ blockSize: `${rows.length * rowHeight}rem` }}>
        {indexes.map((index) => {
          const row = rows[index]!;
          const key = keyOf(row.node);
          return (
            <TreeRow
              key={key}
              row={row}
              open={row.node.kind === 'folder' && isOpen(row.node)}
              active={index === at}
              top={`${index * rowHeight}rem`}
              height={`${rowHeight}rem`}
              asking={asking === (row.node.kind === 'file' ? row.node.entry.id : row.node.path)}
              chosen={chosenOf?.(row.node) ?? null}
              onToggle={() => onToggle(row.node)}
              onFocus={() => setActive(key)}
              onAct={() => act(row.node)}
              onDownload={onDownload}
              onDownloadFolder={onDownloadFolder}
              onPreview={onPreview}
            />
          );
        })}
      </div>
    </div>
  );
}

function siblingFolders(rows: readonly Row<File>[], at: number): string[] {
  const { level } = rows[at]!;
  const isEnd = (row: Row<File>): boolean => row.level < level;
  const before = rows.slice(0, at).findLastIndex(isEnd) + 1;
  const after = rows.slice(at).findIndex(isEnd);
  return rows
    .slice(before, after < 0 ? rows.length : at + after)
    .filter((row) => row.level === level && row.node.kind === 'folder')
    .map(({ node }) => node.path);
}
