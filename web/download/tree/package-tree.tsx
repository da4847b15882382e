import { useDeferredValue, useId, useMemo, useState } from 'react';
import type { File } from '#protocol/hosted/files.ts';
import { chosenIn, toggled } from '#ui/tree/choice.ts';
import { type FolderNode, found, isSmall, openAtFirst, rowsOf } from '#ui/tree/file-tree.ts';
import { useFormat } from '../../messages/download.ts';
import { TreeView } from './tree-view.tsx';

interface PackageTreeProps {
  readonly root: FolderNode<File>;
  /** The file whose address is being requested. */
  readonly asking: string | null;
  /** Ids of files and empty folders; null where nothing can be chosen. */
  readonly chosen: ReadonlySet<string> | null;
  readonly onChosen: (chosen: ReadonlySet<string>) => void;
  readonly onDownload: (file: File) => void;
  /** A folder, as a zip; null where there are no zips. */
  readonly onDownloadFolder: ((folder: FolderNode<File>) => void) | null;
  readonly onPreview: (file: File) => void;
}

/** A smaller list needs no search. */
const worthSearching = 8;

/** The package's content as a tree with a search. */
export function PackageTree({ root, asking, chosen, onChosen, onDownload, onDownloadFolder, onPreview }: PackageTreeProps) {
  const { messages, files } = useFormat();
  const searchId = useId();
  const [query, setQuery] = useState('');
  const wanted = useDeferredValue(query);
  const result = useMemo(() => found(root, wanted), [root, wanted]);
  const folders = useFolders(root, result !== null, wanted);
  const shown = result ?? root;
  const rows = useMemo(() => rowsOf(shown, folders.isOpen), [shown, folders.isOpen]);
  const chosenOf = useMemo(() => chosen && chosenIn(shown, chosen), [shown, chosen]);
  if (root.children.length === 0) return null;
  const searchable = root.files + root.folders >= worthSearching;
  return (
    <section className="package-tree" aria-label={messages.tree.label}>
      {searchable ? (
        <div className="tree-tools">
          <label className="visually-hidden" htmlFor={searchId}>
            {messages.tree.search}
          </label>
          <input
            id={searchId}
            className="input"
            type="search"
            dir="auto"
            placeholder={messages.tree.search}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          {root.folders > 0 && result === null ? (
            <button
              type="button"
              className="button button-quiet button-small"
              onClick={folders.allOpen ? folders.closeAll : folders.openAll}
            >
              {folders.allOpen ? messages.tree.closeAll : messages.tree.openAll}
            </button>
          ) : null}
        </div>
      ) : null}
      {chosen && chosenOf && rows.length > 0 ? (
        <label className="check tree-all">
          <input
            type="checkbox"
            checked={chosenOf(shown) === 'all'}
            ref={(box) => {
              if (box) box.indeterminate = chosenOf(shown) === 'some';
            }}
            onChange={() => onChosen(toggled(shown, chosen))}
          />
          <span>{result ? messages.choice.allFound : messages.choice.all}</span>
        </label>
      ) : null}
      {/* Always rendered, so that a screen reader announces changes. */}
      <p className="hint tree-found" role="status">
        {result === null ? '' : rows.length === 0 ? messages.tree.none : messages.tree.found(files(result.files))}
      </p>
      {rows.length > 0 ? (
        <TreeView
          label={messages.tree.label}
          rows={rows}
          isOpen={folders.isOpen}
          setOpen={folders.setOpen}
          asking={asking}
          chosenOf={chosenOf}
          onToggle={(node) => chosen && onChosen(toggled(node, chosen))}
          onDownload={onDownload}
          onDownloadFolder={onDownloadFolder}
          onPreview={onPreview}
        />
      ) : null}
    </section>
  );
}

interface Opened {
  /** The state of folders that the person has not opened or closed. */
  readonly untouched: 'as at first' | 'open' | 'closed';
  readonly touched: ReadonlyMap<string, boolean>;
}

const nothingTouched: Opened = { untouched: 'as at first', touched: new Map() };

/**
 * Which folders are open. During a search all folders with a match are open, unless the person closes them for that
 * search.
 */
function useFolders(root: FolderNode<File>, searching: boolean, query: string) {
  const [usual, setUsual] = useState(nothingTouched);
  const [searched, setSearched] = useState({ query: '', closed: new Set<string>() as ReadonlySet<string> });
  const first = useMemo(() => openAtFirst(root), [root]);
  const closed = searched.query === query ? searched.closed : none;
  return useMemo(() => {
    const isOpen = (folder: FolderNode<File>): boolean => {
      if (searching) return !closed.has(folder.path);
      const touched = usual.touched.get(folder.path);
      if (touched !== undefined) return touched;
      return usual.untouched === 'as at first' ? first(folder) : usual.untouched === 'open';
    };
    return {
      isOpen,
      allOpen: usual.untouched === 'open' || (usual.untouched === 'as at first' && isSmall(root)),
      setOpen(paths: readonly string[], open: boolean): void {
        if (searching) {
          setSearched(() => {
            const next = new Set(closed);
            for (const path of paths) {
              if (open) next.delete(path);
              else next.add(path);
            }
            return { query, closed: next };
          });
        } else {
          setUsual((before) => ({ ...before, touched: new Map([...before.touched, ...paths.map((path) => [path, open] as const)]) }));
        }
      },
      openAll: () => setUsual({ untouched: 'open', touched: new Map() }),
      closeAll: () => setUsual({ untouched: 'closed', touched: new Map() }),
    };
  }, [root, first, usual, searching, closed, query]);
}

const none: ReadonlySet<string> = new Set();
