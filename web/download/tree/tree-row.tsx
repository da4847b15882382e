import { type CSSProperties, useId } from 'react';
import type { File } from '#protocol/hosted/files.ts';
import { ChevronRightIcon, DownloadIcon, EyeIcon, FileIcon, FolderIcon, WarnIcon } from '#ui/icons.tsx';
import type { Chosen } from '#ui/tree/choice.ts';
import type { FolderNode, TreeRow as Row } from '#ui/tree/file-tree.ts';
import { useFormat } from '../../messages/download.ts';
import { previewOf } from '../preview/kinds.ts';

interface TreeRowProps {
  readonly row: Row<File>;
  readonly open: boolean;
  /** The row that the Tab key focuses. */
  readonly active: boolean;
  readonly top: string;
  readonly height: string;
  readonly asking: boolean;
  /** How much of it is chosen; null where nothing can be chosen. */
  readonly chosen: Chosen | null;
  readonly onToggle: () => void;
  readonly onFocus: () => void;
  /** The click action: opens or closes a folder, shows a file. */
  readonly onAct: () => void;
  readonly onDownload: (file: File) => void;
  /** A folder, as a zip; null where there are no zips. */
  readonly onDownloadFolder: ((folder: FolderNode<File>) => void) | null;
  readonly onPreview: (file: File) => void;
}

export function TreeRow(props: TreeRowProps) {
  const { row, open, active, top, height, asking, chosen, onToggle, onFocus, onAct, onDownload, onDownloadFolder, onPreview } = props;
  const { messages, files, size } = useFormat();
  const { node, level, position, siblings } = row;
  const tab = active ? 0 : -1;
  const id = useId();
  const style = { insetBlockStart: top, blockSize: height, '--level': level - 1 } as CSSProperties;
  const common = {
    className: 'tree-row',
    style,
    onFocus,
    'aria-labelledby': id,
    'aria-level': level,
    'aria-posinset': position,
    'aria-setsize': siblings,
    title: node.path,
    'aria-checked': chosen === null ? undefined : checked[chosen],
  } as const;
  const box = chosen === null ? null : <Box chosen={chosen} onToggle={onToggle} />;
  if (node.kind === 'folder') {
    const inside = files(node.files);
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys
      <div role="treeitem" tabIndex={tab} {...common} aria-expanded={open} onClick={onAct}>
        {box}
        <span className={open ? 'tree-mark tree-open' : 'tree-mark'}>
          <ChevronRightIcon />
        </span>
        <FolderIcon />
        <span className="tree-text" id={id}>
          <span className="tree-name">
            <bdi>{node.name}</bdi>
          </span>{' '}
          <span className="hint figure tree-size" dir="auto">
            {node.files === 0 && node.folders === 0 ? messages.tree.emptyFolder : messages.facts.contents(inside, size(node.bytes))}
          </span>
        </span>
        {onDownloadFolder && node.files > 0 ? (
          <span className="tree-buttons">
            <DownloadButton
              label={messages.tree.downloadFolder(node.path)}
              tab={tab}
              asking={asking}
              onPress={() => onDownloadFolder(node)}
            />
          </span>
        ) : null}
      </div>
    );
  }
  const { entry: file, path, name } = node;
  const preview = previewOf(file) !== null;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys
    <div
      role="treeitem"
      tabIndex={tab}
      {...common}
      className={preview ? 'tree-row tree-shows' : 'tree-row'}
      onClick={preview ? onAct : undefined}
    >
      {box}
      <span className="tree-mark" />
      {file.virus_detected || file.damaged ? <WarnIcon /> : <FileIcon />}
      <span className="tree-text" id={id}>
        <span className="tree-name">
          <bdi>{name}</bdi>
        </span>{' '}
        {file.virus_detected ? <span className="tree-virus">{messages.virus.badge}</span> : null}{' '}
        {file.damaged ? <span className="tree-virus">{messages.damaged.badge}</span> : null}{' '}
        <span className="hint figure tree-size" dir="auto">
          {size(file.size ?? 0)}
        </span>
      </span>
      <span className="tree-buttons">
        {preview ? (
          <button
            type="button"
            className="button button-quiet button-icon"
            tabIndex={tab}
            aria-label={messages.tree.previewFile(path)}
            onClick={(event) => {
              event.stopPropagation();
              onPreview(file);
            }}
          >
            <EyeIcon />
          </button>
        ) : null}
        <DownloadButton label={messages.tree.downloadFile(path)} tab={tab} asking={asking} onPress={() => onDownload(file)} />
      </span>
    </div>
  );
}

interface DownloadButtonProps {
  readonly label: string;
  readonly tab: number;
  readonly asking: boolean;
  readonly onPress: () => void;
}

function DownloadButton({ label, tab, asking, onPress }: DownloadButtonProps) {
  return (
    <button
      type="button"
      className="button button-quiet button-icon"
      tabIndex={tab}
      aria-label={label}
      aria-busy={asking}
      onClick={(event) => {
        event.stopPropagation();
        onPress();
      }}
    >
      <DownloadIcon />
    </button>
  );
}

const checked = { all: true, none: false, some: 'mixed' } as const;

/** The row's checkbox for a mouse or a finger. The row itself says to all others whether it is chosen, and takes the space bar. */
function Box({ chosen, onToggle }: { readonly chosen: Chosen; readonly onToggle: () => void }) {
  return (
    <span
      className="tree-box"
      aria-hidden="true"
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
    >
      <input
        type="checkbox"
        tabIndex={-1}
        readOnly
        checked={chosen === 'all'}
        ref={(box) => {
          if (box) box.indeterminate = chosen === 'some';
        }}
      />
    </span>
  );
}
