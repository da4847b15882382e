import { type KeyboardEvent, type SyntheticEvent, useEffect, useState } from 'react';
import type { File } from '#protocol/hosted/files.ts';
import { ModalDialog } from '#ui/dialog.tsx';
import { ChevronRightIcon, DownloadIcon } from '#ui/icons.tsx';
import { pathOf } from '#ui/tree/file-tree.ts';
import { useFormat } from '../../messages/download.ts';
import type { OpenedLink } from '../opened-link.ts';
import { reasonOf } from '../view.ts';
import { type PreviewKind, previewOf } from './kinds.ts';
import { pdfAddress } from './pdf.ts';
import { beginningOf, shownBytes } from './text.ts';
import './preview.css';

interface PreviewDialogProps {
  /** All files with a preview, in their order. */
  readonly files: readonly File[];
  readonly first: File;
  /** Where a file's bytes are read. */
  readonly opened: Pick<OpenedLink, 'addressOf'>;
  readonly onDownload?: (file: File) => void;
  readonly onClose: () => void;
}

/** Shows one file at a time; the arrow keys change to the next or previous one. */
export function PreviewDialog({ files, first, opened, onDownload, onClose }: PreviewDialogProps) {
  const { messages, number, size } = useFormat();
  const [at, setAt] = useState(() => Math.max(0, files.indexOf(first)));
  const file = files[at]!;
  const step = (by: number): void => setAt((before) => Math.max(0, Math.min(files.length - 1, before + by)));
  const onKeyDown = (event: KeyboardEvent<HTMLDialogElement>): void => {
    // A media player uses the same keys for seeking.
    if (event.target instanceof HTMLMediaElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const forward = getComputedStyle(event.currentTarget).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') step(event.key === forward ? 1 : -1);
  };
  return (
    <ModalDialog
      className="preview"
      title={<bdi>{file.name}</bdi>}
      titleHint={pathOf(file)}
      closeLabel={messages.preview.close}
      onLeave={onClose}
      onKeyDown={onKeyDown}
    >
      <div className="preview-body">
        <Preview key={file.id} file={file} kind={previewOf(file)!} opened={opened} canDownload={onDownload !== undefined} />
      </div>
      <div className="preview-foot">
        <span className="preview-steps">
          <button
            type="button"
            className="button button-icon mirrored"
            aria-label={messages.preview.previous}
            aria-disabled={at === 0}
            onClick={() => step(-1)}
          >
            <ChevronRightIcon />
          </button>
          <button
            type="button"
            className="button button-icon"
            aria-label={messages.preview.next}
            aria-disabled={at === files.length - 1}
            onClick={() => step(1)}
          >
            <ChevronRightIcon />
          </button>
          <span className="hint figure" role="status">
            {messages.preview.position(number(at + 1), number(files.length))}
          </span>
        </span>
        {onDownload ? (
          <button type="button" className="button button-primary" onClick={() => onDownload(file)}>
            <DownloadIcon /> {messages.get.download} <span className="figure">{size(file.size ?? 0)}</span>
          </button>
        ) : null}
      </div>
    </ModalDialog>
  );
}

type Content =
  | { readonly state: 'loading' }
  | { readonly state: 'address'; readonly url: string }
  /** An address of this page's own. */
  | { readonly state: 'pdf'; readonly url: string }
  | { readonly state: 'text'; readonly text: string }
  | { readonly state: 'none' }
  | { readonly state: 'failed'; readonly error: unknown };

function Preview({
  file,
  kind,
  opened,
  canDownload,
}: {
  readonly file: File;
  readonly kind: PreviewKind;
  readonly opened: Pick<OpenedLink, 'addressOf'>;
  /** There is a button for it. */
  readonly canDownload: boolean;
}) {
  const format = useFormat();
  const { messages, size } = format;
  const [content, setContent] = useState<Content>({ state: 'loading' });
  /** Pictures are rendered progressively; until the first data is received, the page shows that it is loading. */
  const [arrived, setArrived] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const load = async (): Promise<Content> => {
      if (file.size === 0) return { state: 'text', text: '' };
      const url = await opened.addressOf(file.id);
      if (kind === 'pdf') {
        const own = await pdfAddress((input, init) => fetch(input, init), url, stop.signal);
        if (own === null) return { state: 'none' };
        stop.signal.addEventListener('abort', () => URL.revokeObjectURL(own));
        return { state: 'pdf', url: own };
      }
      if (kind !== 'text') return { state: 'address', url };
      const text = await beginningOf((input, init) => fetch(input, init), url, file.size ?? 0, stop.signal);
      return text === null ? { state: 'none' } : { state: 'text', text };
    };
    load()
      .catch((error: unknown): Content => ({ state: 'failed', error }))
      .then((now) => {
        if (!stop.signal.aborted) setContent(now);
      });
    return () => stop.abort();
  }, [file, kind, opened]);

  const refused = (event: SyntheticEvent): void => {
    event.preventDefault();
    setContent({ state: 'none' });
  };
  switch (content.state) {
    case 'loading':
      return (
        <p className="hint" role="status">
          {messages.preview.loading}
        </p>
      );
    case 'none':
      return (
        <p role="status">
          {messages.preview.cannotShow} {canDownload ? messages.preview.cannotShowMore : null}
        </p>
      );
    case 'failed':
      return (
        <p className="notice notice-bad" role="alert">
          {messages.preview.failed(reasonOf(content.error, format))}
        </p>
      );
    case 'text':
      if (content.text === '') return <p className="hint">{messages.preview.empty}</p>;
      return (
        <>
          {(file.size ?? 0) > shownBytes ? (
            <p className="hint">
              {messages.preview.cut(size(shownBytes))} {canDownload ? messages.preview.cutMore : null}
            </p>
          ) : null}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
          <section className="preview-text" tabIndex={0} aria-label={messages.preview.text(file.name)}>
            <pre className="mono" dir="auto">
              {content.text}
            </pre>
          </section>
        </>
      );
    case 'pdf':
      // Without `sandbox`: browsers show no PDF in a frame that has it. Without the viewer's bar, which would name the file by the
      // random address; a page is as wide as the frame.
      return (
        <iframe
          className="preview-pdf"
          src={`${content.url}#toolbar=0&navpanes=0&view=FitH`}
          title={messages.preview.document(file.name)}
        />
      );
    case 'address':
      return (
        <>
          {arrived ? null : (
            <p className="hint" role="status">
              {messages.preview.loading}
            </p>
          )}
          {kind === 'image' ? (
            <img
              className="preview-picture"
              src={content.url}
              alt={messages.preview.picture(file.name)}
              referrerPolicy="no-referrer"
              onLoad={() => setArrived(true)}
              onError={refused}
            />
          ) : kind === 'audio' ? (
            // biome-ignore lint/a11y/useMediaCaption: nobody has any for what is being delivered
            <audio
              className="preview-sound"
              src={content.url}
              controls
              preload="metadata"
              onLoadedMetadata={() => setArrived(true)}
              onError={refused}
            />
          ) : (
            // biome-ignore lint/a11y/useMediaCaption: nobody has any for what is being delivered
            <video
              className="preview-picture"
              src={content.url}
              controls
              preload="metadata"
              onLoadedMetadata={() => setArrived(true)}
              onError={refused}
            />
          )}
        </>
      );
  }
}
