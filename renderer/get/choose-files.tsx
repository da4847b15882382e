import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import type { LinkPreview } from '#protocol/agent/previews.ts';
import { TextField } from '#ui/field.tsx';
import { ChevronDownIcon, FileIcon, FolderIcon } from '#ui/icons.tsx';
import { type Chosen, chosenIn, toggled } from '#ui/tree/choice.ts';
import { type FolderNode, found, keyOf, leavesOf, openAtFirst, rowsOf, type TreeNode } from '#ui/tree/file-tree.ts';
import { useFormat } from '../messages/format.ts';

type PreviewedFile = LinkPreview['files'][number];

interface ChooseFilesProps {
  readonly root: FolderNode<PreviewedFile>;
  /** Ids of files and empty folders. */
  readonly chosen: ReadonlySet<string>;
  readonly onChosen: (chosen: ReadonlySet<string>) => void;
}

const rowHeight = 36;

/**
 * A package's files with checkboxes. A search shows a flat list: a folder's box would leave open whether it stands for
 * all of the folder or for what was found. Virtual scrolling: only visible rows are in the page.
 */
export function ChooseFiles({ root, chosen, onChosen }: ChooseFilesProps) {
  const { messages } = useFormat();
  /** Folders that the person has opened or closed. */
  const [touched, setTouched] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [find, setFind] = useState('');
  const query = useDeferredValue(find);
  const isOpen = useMemo(() => {
    const first = openAtFirst(root);
    return (folder: FolderNode<PreviewedFile>): boolean => touched.get(folder.path) ?? first(folder);
  }, [root, touched]);
  const result = useMemo(() => found(root, query), [root, query]);
  const rows = useMemo(() => {
    if (result) return [...leavesOf(result)].filter((node) => node !== result).map((node) => ({ node, level: 1 }));
    return rowsOf(root, isOpen);
  }, [root, isOpen, result]);
  const stateOf = useMemo(() => chosenIn(root, chosen), [root, chosen]);
  const frame = useRef<HTMLDivElement>(null);
  const window = useVirtualizer({ count: rows.length, getScrollElement: () => frame.current, estimateSize: () => rowHeight, overscan: 8 });
  return (
    <div className="choose-files">
      <TextField
        label={messages.get.filter}
        type="search"
        value={find}
        onChange={(event) => setFind(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      {rows.length === 0 ? <p className="hint">{messages.get.noneFound}</p> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section ref={frame} className="choose-frame" aria-label={messages.get.files} tabIndex={0}>
        <ul style={{ height: window.getTotalSize() }}>
          {window.getVirtualItems().map(({ index, start }) => {
            const { node, level } = rows[index]!;
            const open = node.kind === 'folder' && isOpen(node);
            return (
              <Row
                key={keyOf(node)}
                node={node}
                start={start}
                level={level}
                position={{ index, of: rows.length }}
                flat={result !== null}
                open={open}
                state={stateOf(node)}
                onTick={() => onChosen(toggled(node, chosen))}
                onOpen={() => setTouched(new Map([...touched, [node.path, !open]]))}
              />
            );
          })}
        </ul>
      </section>
    </div>
  );
}

interface RowProps {
  readonly node: TreeNode<PreviewedFile>;
  readonly start: number;
  /** From 1. */
  readonly level: number;
  readonly position: { readonly index: number; readonly of: number };
  /** As a search result, with its full path. */
  readonly flat: boolean;
  readonly open: boolean;
  readonly state: Chosen;
  readonly onTick: () => void;
  readonly onOpen: () => void;
}

function Row({ node, start, level, position, flat, open, state, onTick, onOpen }: RowProps) {
  const { messages, size } = useFormat();
  const filled = node.kind === 'folder' && node.children.length > 0;
  const bytes = node.kind === 'file' ? node.entry.size : node.bytes;
  return (
    <li
      className="choose-row"
      aria-setsize={position.of}
      aria-posinset={position.index + 1}
      style={{ transform: `translateY(${start}px)`, paddingInlineStart: flat ? 0 : `${Math.min(level - 1, 12) * 1.25}rem` }}
    >
      {filled ? (
        <button
          type="button"
          className={open ? 'choose-open' : 'choose-open closed'}
          aria-expanded={open}
          aria-label={messages.get.folderOf(node.path)}
          onClick={onOpen}
        >
          <ChevronDownIcon />
        </button>
      ) : (
        <span className="choose-open" />
      )}
      <label className="choose-label">
        <input
          type="checkbox"
          checked={state === 'all'}
          ref={(box) => {
            if (box) box.indeterminate = state === 'some';
          }}
          onChange={onTick}
        />
        {node.kind === 'folder' ? <FolderIcon /> : <FileIcon />}
        <span className="choose-name" dir="auto" title={node.path}>
          {flat ? node.path : node.name}
        </span>
        <span className="hint figure">{node.kind === 'file' || filled ? size(bytes) : ''}</span>
      </label>
    </li>
  );
}
