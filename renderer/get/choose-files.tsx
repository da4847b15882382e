import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { TextField } from '#ui/field.tsx';
import { ChevronDownIcon, FileIcon, FolderIcon } from '#ui/icons.tsx';
import { useFormat } from '../messages/format.ts';
import { chosenOf, rowsOf, type TreeNode, toggled } from './file-tree.ts';

interface ChooseFilesProps {
  readonly tree: readonly TreeNode[];
  readonly chosen: ReadonlySet<string>;
  readonly onChosen: (chosen: ReadonlySet<string>) => void;
}

const rowHeight = 36;

/** A package's files with checkboxes. Virtual scrolling: only visible rows are in the page. */
export function ChooseFiles({ tree, chosen, onChosen }: ChooseFilesProps) {
  const { messages } = useFormat();
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(tree.length === 1 ? [tree[0]!.path] : []));
  const [find, setFind] = useState('');
  const rows = useMemo(() => rowsOf(tree, open, find), [tree, open, find]);
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
            const node = rows[index]!;
            return (
              <Row
                key={`${node.kind} ${node.path}`}
                node={node}
                start={start}
                position={{ index, of: rows.length }}
                flat={find.trim() !== ''}
                open={open.has(node.path)}
                state={chosenOf(node, chosen)}
                onTick={() => onChosen(toggled(node, chosen))}
                onOpen={() => setOpen(flipped(open, node.path))}
              />
            );
          })}
        </ul>
      </section>
    </div>
  );
}

function flipped(open: ReadonlySet<string>, path: string): Set<string> {
  const after = new Set(open);
  if (!after.delete(path)) after.add(path);
  return after;
}

interface RowProps {
  readonly node: TreeNode;
  readonly start: number;
  readonly position: { readonly index: number; readonly of: number };
  /** As a search result, with its full path. */
  readonly flat: boolean;
  readonly open: boolean;
  readonly state: 'all' | 'some' | 'none';
  readonly onTick: () => void;
  readonly onOpen: () => void;
}

function Row({ node, start, position, flat, open, state, onTick, onOpen }: RowProps) {
  const { messages, size } = useFormat();
  const folder = node.id === null;
  const name = flat ? node.path : node.name;
  return (
    <li
      className="choose-row"
      aria-setsize={position.of}
      aria-posinset={position.index + 1}
      style={{ transform: `translateY(${start}px)`, paddingInlineStart: flat ? 0 : `${Math.min(node.depth, 12) * 1.25}rem` }}
    >
      {folder && !flat ? (
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
        {node.kind === 'directory' ? <FolderIcon /> : <FileIcon />}
        <span className="choose-name" dir="auto" title={node.path}>
          {name}
        </span>
        <span className="hint figure">{node.kind === 'file' || folder ? size(node.size) : ''}</span>
      </label>
    </li>
  );
}
