import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import type { AgentTransfer, TransferFile } from '#protocol/agent/transfers.ts';
import { TextField } from '#ui/field.tsx';
import { ChevronDownIcon, FileIcon, FolderIcon } from '#ui/icons.tsx';
import { type FolderNode, found, keyOf, openAtFirst, rowsOf, type TreeRow, treeOf } from '#ui/tree/file-tree.ts';
import { useApp } from '../../app/context.ts';
import { useFormat } from '../../messages/format.ts';
import { useSentPackageTexts } from './texts.ts';

/** More files than this are shown as a list that holds a few pages only (`detail/file-list.tsx`). */
export const mostInTree = 5_000;
/** As many as the agent gives at once. */
const perPage = 1_000;
const rowHeight = 36;

/** All files of a transfer that is over, as a tree with a search. */
export function FileTree({ transfer }: { transfer: AgentTransfer }) {
  const { client } = useApp();
  const { messages, tag, number } = useFormat();
  const { tree: texts } = useSentPackageTexts();
  const { data } = useQuery({
    queryKey: ['transfer-tree', transfer.id, transfer.updated_at],
    queryFn: async ({ signal }) => {
      const files: TransferFile[] = [];
      for (let page = 1; ; page++) {
        const answer = await client.call('listTransferFiles', { params: { id: transfer.id }, query: { page, limit: perPage }, signal });
        files.push(...answer.records);
        if (answer.records.length === 0 || files.length >= answer.metadata.total) return files;
      }
    },
    gcTime: 60_000,
  });
  const root = useMemo(() => (data ? treeOf(data, tag) : null), [data, tag]);
  return (
    <section className="panel panel-wide" aria-labelledby="tree-heading">
      <h2 id="tree-heading">
        {texts.title} <span className="hint figure">{root ? number(root.files) : ''}</span>
      </h2>
      {root ? <Tree root={root} /> : <p className="hint">{messages.app.loading}</p>}
    </section>
  );
}

function Tree({ root }: { root: FolderNode<TransferFile> }) {
  const { tree: texts } = useSentPackageTexts();
  /** Folders that the person has opened or closed. */
  const [touched, setTouched] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [find, setFind] = useState('');
  const query = useDeferredValue(find);
  const shown = useMemo(() => found(root, query), [root, query]);
  const isOpen = useMemo(() => {
    const first = openAtFirst(root);
    // What was found is shown, however deep it lies.
    return (folder: FolderNode<TransferFile>): boolean => touched.get(folder.path) ?? (shown !== null || first(folder));
  }, [root, touched, shown]);
  const rows = useMemo(() => rowsOf(shown ?? root, isOpen), [root, shown, isOpen]);
  const frame = useRef<HTMLDivElement>(null);
  const visible = useVirtualizer({ count: rows.length, getScrollElement: () => frame.current, estimateSize: () => rowHeight, overscan: 8 });
  return (
    <div className="choose-files">
      <TextField label={texts.find} type="search" value={find} onChange={(event) => setFind(event.target.value)} />
      {rows.length === 0 ? <p className="hint">{texts.none}</p> : null}
      <section
        ref={frame}
        className="tree-frame"
        aria-label={texts.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        style={{ blockSize: `${rows.length * rowHeight}px` }}
      >
        <ul style={{ height: visible.getTotalSize() }}>
          {visible.getVirtualItems().map(({ index, start }) => {
            const row = rows[index]!;
            const { node } = row;
            const open = node.kind === 'folder' && isOpen(node);
            return (
              <Row
                key={keyOf(node)}
                row={row}
                start={start}
                open={open}
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
  readonly row: TreeRow<TransferFile>;
  readonly start: number;
  readonly open: boolean;
  readonly onOpen: () => void;
}

function Row({ row: { node, level, position, siblings }, start, open, onOpen }: RowProps) {
  const { messages, size } = useFormat();
  const { state } = messages.transfers.detail.fileList;
  const filled = node.kind === 'folder' && node.children.length > 0;
  const bytes = node.kind === 'file' ? node.entry.size : node.bytes;
  const trouble = node.kind === 'file' && (node.entry.state === 'error' || node.entry.state === 'skipped') ? state[node.entry.state] : '';
  return (
    <li
      className="choose-row"
      aria-setsize={siblings}
      aria-posinset={position}
      style={{ transform: `translateY(${start}px)`, paddingInlineStart: `${Math.min(level - 1, 12) * 1.25}rem` }}
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
      <span className="choose-label tree-label">
        {node.kind === 'folder' ? <FolderIcon /> : <FileIcon />}
        <span className="choose-name" dir="auto" title={node.path}>
          {node.name}
        </span>
        {trouble ? <span className="tree-trouble">{trouble}</span> : null}
        <span className="hint figure">{node.kind === 'file' || filled ? size(bytes) : ''}</span>
      </span>
    </li>
  );
}
