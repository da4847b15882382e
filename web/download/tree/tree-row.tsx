import { type CSSProperties, useId } from 'react';
import type { File } from '#protocol/hosted/files.ts';
import { ChevronRightIcon, DownloadIcon, EyeIcon, FileIcon, FolderIcon, WarnIcon } from '#ui/icons.tsx';
import type { TreeRow as Row } from '#ui/tree/file-tree.ts';
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
  readonly onFocus: () => void;
  /** The click action: opens or closes a folder, shows a file. */
  readonly onAct: () => void;
  readonly onDownload: (file: File) => void;
  readonly onPreview: (file: File) => void;
}

export function TreeRow({ row, open, active, top, height, asking, onFocus, onAct, onDownload, onPreview }: TreeRowProps) {
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
  } as const;
  if (node.kind === 'folder') {
    const inside = files(node.files);
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys
      <div role="treeitem" tabIndex={tab} {...common} aria-expanded={open} onClick={onAct}>
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
      <span className="tree-mark" />
      {file.virus_detected ? <WarnIcon /> : <FileIcon />}
      <span className="tree-text" id={id}>
        <span className="tree-name">
          <bdi>{name}</bdi>
        </span>{' '}
        {file.virus_detected ? <span className="tree-virus">{messages.virus.badge}</span> : null}{' '}
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
        <button
          type="button"
          className="button button-quiet button-icon"
          tabIndex={tab}
          aria-label={messages.tree.downloadFile(path)}
          aria-busy={asking}
          onClick={(event) => {
            event.stopPropagation();
            onDownload(file);
          }}
        >
          <DownloadIcon />
        </button>
      </span>
    </div>
  );
}
