import { lazy, Suspense, useMemo, useState } from 'react';
import type { File } from '#protocol/hosted/files.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { ChevronRightIcon, FileIcon, FolderIcon, WarnIcon } from '#ui/icons.tsx';
import { found, keyOf, openAtFirst, rowsOf, type TreeRow, treeOf } from '#ui/tree/file-tree.ts';
import { previewOf } from '../../download/preview/kinds.ts';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useMay } from '../app/account.ts';
import { useTexts } from '../app/texts.ts';
import { KeysetList } from '../ui/keyset-list.tsx';
import { QueryView } from '../ui/view-states.tsx';
import { isOver, type PackageParts } from './queries.ts';

const Preview = lazy(() => import('./preview.tsx'));

/** The files of a package as folders, which open and close. */
export function Files({ one, parts: { files } }: { readonly one: Package; readonly parts: PackageParts }) {
  const { messages } = useTexts({ en, de });
  return (
    <section className="panel">
      <h2>{messages.files.title}</h2>
      {isOver(one) ? (
        <p className="hint">{messages.files.gone}</p>
      ) : (
        <QueryView query={files}>{(list) => <Tree one={one} files={list} />}</QueryView>
      )}
    </section>
  );
}

/** From this number of files on there is a search. */
const searchedFrom = 10;

function Tree({ one, files: list }: { readonly one: Package; readonly files: readonly File[] }) {
  const { messages, tag } = useTexts({ en, de });
  const text = messages.files;
  const root = useMemo(() => treeOf(list, tag), [list, tag]);
  const [query, setQuery] = useState('');
  /** Folders that the person opened or closed, by path. */
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const first = useMemo(() => openAtFirst(root), [root]);
  const shown = useMemo(() => found(root, query) ?? root, [root, query]);
  const isOpen = (folder: typeof root): boolean => query !== '' || (toggled.get(folder.path) ?? first(folder));
  const rows = rowsOf(shown, isOpen);
  const mayLook = useMay()('packages.manage_own') && one.state === 'finalized';
  const previews = useMemo(() => (mayLook ? list.filter((file) => previewOf(file) !== null) : []), [list, mayLook]);
  const [looked, setLooked] = useState<File | null>(null);
  if (root.children.length === 0) return <p className="hint">{text.none}</p>;
  return (
    <>
      {root.files >= searchedFrom ? (
        <input
          type="search"
          className="input"
          aria-label={text.search}
          placeholder={text.search}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      ) : null}
      {rows.length === 0 ? <p className="hint">{text.unmatched}</p> : null}
      <KeysetList
        label={text.title}
        items={rows}
        keyOf={({ node }) => keyOf(node)}
        rowHeight={36}
        row={(row) => (
          <Row
            row={row}
            open={row.node.kind === 'folder' && isOpen(row.node)}
            onToggle={(path, open) => setToggled(new Map(toggled).set(path, open))}
            {...(mayLook ? { onLook: setLooked } : {})}
          />
        )}
      />
      {looked ? (
        <Suspense fallback={null}>
          <Preview one={one} files={previews} first={looked} onClose={() => setLooked(null)} />
        </Suspense>
      ) : null}
    </>
  );
}

interface RowProps {
  readonly row: TreeRow<File>;
  readonly open: boolean;
  readonly onToggle: (path: string, open: boolean) => void;
  /** Shows a file that the browser can show. */
  readonly onLook?: (file: File) => void;
}

function Row({ row: { node, level }, open, onToggle, onLook }: RowProps) {
  const { messages, size, files } = useTexts({ en, de });
  const style = { paddingInlineStart: `${(level - 1) * 1.25}rem` };
  if (node.kind === 'folder') {
    return (
      <button type="button" className="file-row" style={style} aria-expanded={open} onClick={() => onToggle(node.path, !open)}>
        <span className={open ? 'file-mark file-mark-open' : 'file-mark'}>
          <ChevronRightIcon />
        </span>
        <FolderIcon />
        <bdi className="file-name">{node.name}</bdi>
        <span className="hint figure">
          {files(node.files)}, {size(node.bytes)}
        </span>
      </button>
    );
  }
  return (
    <div className="file-row" style={style}>
      <span className="file-mark" />
      {node.entry.virus_detected || node.entry.damaged ? <WarnIcon /> : <FileIcon />}
      {onLook && previewOf(node.entry) !== null ? (
        <button
          type="button"
          className="button-link file-name"
          aria-label={messages.files.look(node.name)}
          onClick={() => onLook(node.entry)}
        >
          <bdi>{node.name}</bdi>
        </button>
      ) : (
        <bdi className="file-name">{node.name}</bdi>
      )}
      {node.entry.virus_detected ? <span className="file-virus">{messages.files.virus}</span> : null}
      {node.entry.damaged ? <span className="file-virus">{messages.files.damaged}</span> : null}
      {node.entry.not_scanned ? <span className="hint">{messages.files.notScanned[node.entry.not_scanned]}</span> : null}
      <span className="hint figure">{size(node.entry.size ?? 0)}</span>
    </div>
  );
}
