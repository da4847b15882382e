import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useId, useRef, useState } from 'react';
import type { FilePage } from '#protocol/agent/items.ts';
import type { AgentTransfer, TransferFile } from '#protocol/agent/transfers.ts';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../../app/context.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { type Format, useFormat } from '../../messages/format.ts';
import { Localized } from '../../messages/localized.tsx';
import { errorText } from '../../messages/localized-text.ts';

const pageSize = 200;
/** In rem; as in detail.css. */
const rowHeight = 2.75;
const states = ['all', 'pending', 'complete', 'error', 'skipped'] as const;
type Shown = (typeof states)[number];

/** The files of a transfer. Only the visible pages are requested, repeatedly while the transfer runs. */
export function FileList({ transfer, live }: { transfer: AgentTransfer; live: boolean }) {
  const { client } = useApp();
  const format = useFormat();
  const { fileList } = format.messages.transfers.detail;
  const fault = useFaultText();
  const id = useId();
  const [shown, setShown] = useState<Shown>('all');
  const box = useRef<HTMLDivElement>(null);
  const height = rowHeight * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [pagesInSight, setPagesInSight] = useState<readonly number[]>([1]);
  const state: FilePage['state'] = shown === 'all' ? undefined : shown;

  const pages = useQueries({
    queries: pagesInSight.map((page) => ({
      queryKey: ['transfer-files', transfer.id, shown, page, transfer.state === 'transferring' ? 'moving' : transfer.updated_at],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.call('listTransferFiles', {
          params: { id: transfer.id },
          query: { page, limit: pageSize, ...(state ? { state } : {}) },
          signal,
        }),
      placeholderData: keepPreviousData,
      staleTime: 0,
      gcTime: 10_000,
      refetchInterval: live && transfer.state === 'transferring' ? 2_000 : (false as const),
    })),
  });
  const total = pages.find(({ data }) => data)?.data?.metadata.total ?? null;
  const error = pages.find((page) => page.error)?.error;
  const rows = useVirtualizer({
    count: total ?? 0,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 10,
    onChange({ range }) {
      if (!range) return;
      const first = Math.floor(range.startIndex / pageSize) + 1;
      const last = Math.floor(range.endIndex / pageSize) + 1;
      const next = first === last ? [first] : [first, last];
      setPagesInSight((before) => (before.join() === next.join() ? before : next));
    },
  });
  const fileAt = (index: number): TransferFile | undefined => {
    const at = pagesInSight.indexOf(Math.floor(index / pageSize) + 1);
    const page = pages[at];
    return page && !page.isPlaceholderData ? page.data?.records[index % pageSize] : undefined;
  };

  return (
    <section className="panel panel-wide" aria-labelledby={`${id}-heading`}>
      <header className="panel-head">
        <h2 id={`${id}-heading`}>
          {fileList.title} <span className="hint figure">{total === null ? '' : format.number(total)}</span>
        </h2>
        <select
          className="input"
          aria-label={fileList.show}
          value={shown}
          onChange={(event) => {
            setShown(event.target.value as Shown);
            setPagesInSight([1]);
            box.current?.scrollTo({ top: 0 });
          }}
        >
          {states.map((one) => (
            <option key={one} value={one}>
              {fileList[one]}
            </option>
          ))}
        </select>
      </header>
      {error ? <Notice tone="bad">{fault(error)}</Notice> : null}
      {total === null && !error ? (
        <p className="hint" role="status">
          {format.messages.app.loading}
        </p>
      ) : null}
      {total === 0 ? <p className="hint">{shown === 'all' ? fileList.noneYet : fileList.none}</p> : null}
      {total ? (
        <section
          ref={box}
          className="file-rows"
          aria-label={fileList.label(transfer.name)}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
          tabIndex={0}
          style={{ blockSize: `${total * height}px` }}
        >
          <ul className="rows-inner" style={{ blockSize: `${rows.getTotalSize()}px` }}>
            {rows.getVirtualItems().map(({ index, start, key }) => {
              const file = fileAt(index);
              return (
                <li
                  key={key}
                  aria-setsize={total}
                  aria-posinset={index + 1}
                  className={`file-row${file?.state === 'error' ? ' file-bad' : ''}`}
                  style={{ transform: `translateY(${start}px)`, blockSize: `${height}px` }}
                >
                  {file ? <FileRow file={file} format={format} /> : <span className="row-ghost" aria-hidden="true" />}
                </li>
              );
            })}
          </ul>
        </section>
      ) : null}
    </section>
  );
}

function FileRow({ file, format }: { file: TransferFile; format: Format }) {
  const { fileList } = format.messages.transfers.detail;
  const path = file.path ? `${file.path}/` : '';
  return (
    <>
      <span className="file-name" title={`${path}${file.name}`}>
        {path ? <span className="file-folder">{path}</span> : null}
        <span className="file-own">{file.name}</span>
        {file.error ? (
          <span className="file-why">
            {' '}
            <Localized text={errorText(file.error, format.messages)} />
          </span>
        ) : null}
      </span>
      <span className="figure">{file.kind === 'directory' ? fileList.folder : format.size(file.size)}</span>
      <span className="file-state figure">{fileStateText(file, fileList.state)}</span>
    </>
  );
}

function fileStateText(file: TransferFile, messages: Format['messages']['transfers']['detail']['fileList']['state']): string {
  if (file.state !== 'transferring') return messages[file.state];
  return file.size > 0 ? `${Math.floor((file.bytes / file.size) * 100)} %` : messages.moving;
}
