import type { AgentTransfer, TransferFile } from '#protocol/agent/transfers.ts';
import { sentenceOf } from '../agent/failure.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { useTransferFiles } from './queries.ts';
import { filesWords, momentWords, sizeWords } from './words.ts';

const shownFiles = 100;

/** Where a transfer comes from and goes to, its links, and its files. */
export function TransferDetails({ transfer }: { transfer: AgentTransfer }) {
  const files = useTransferFiles(transfer, shownFiles);
  return (
    <div className="details">
      <dl className="facts">
        <dt>{transfer.kind === 'upload' ? 'From' : 'Into'}</dt>
        <dd>
          {transfer.kind === 'download'
            ? transfer.dst_folder
            : transfer.paths.slice(0, 5).map((path) => (
                <span key={path} className="path">
                  {path}
                </span>
              ))}
          {transfer.paths.length > 5 ? <span className="path">and {transfer.paths.length - 5} more</span> : null}
        </dd>
        <dt>Started</dt>
        <dd>{momentWords(transfer.created_at, new Date())}</dd>
        {transfer.links.length > 0 ? (
          <>
            <dt>Links</dt>
            <dd>
              <ul className="links">
                {transfer.links.map((link) => (
                  <li key={link.url}>
                    <span>{link.email || 'For anyone with the link'}</span>
                    <CopyButton text={link.url} label="Copy" about={`the link for ${link.email || 'anyone'}`} />
                  </li>
                ))}
              </ul>
            </dd>
          </>
        ) : null}
      </dl>
      {files.error ? <p className="field-error">{sentenceOf(files.error)}</p> : null}
      {files.data && files.data.records.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section className="files-frame" aria-label={`Files of ${transfer.name}`} tabIndex={0}>
          <table className="files">
            <thead>
              <tr>
                <th scope="col">File</th>
                <th scope="col">Size</th>
                <th scope="col">State</th>
              </tr>
            </thead>
            <tbody>
              {files.data.records.map((file) => (
                <tr key={file.id} className={file.state === 'error' ? 'file-bad' : undefined}>
                  <td>
                    {file.path ? `${file.path}/${file.name}` : file.name}
                    {file.error ? <p>{file.error.message}</p> : null}
                  </td>
                  <td className="figure">{file.kind === 'directory' ? '' : sizeWords(file.size)}</td>
                  <td>{fileWords(file)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {files.data.metadata.total > files.data.records.length ? (
            <p className="hint">and {filesWords(files.data.metadata.total - files.data.records.length)} more</p>
          ) : null}
        </section>
      ) : null}
    </div>
  );
}

function fileWords(file: TransferFile): string {
  switch (file.state) {
    case 'pending':
      return 'Waiting';
    case 'transferring':
      return file.size > 0 ? `${Math.floor((file.bytes / file.size) * 100)} %` : 'Moving';
    case 'complete':
      return 'Done';
    case 'skipped':
      return 'Left out';
    case 'error':
      return 'Failed';
  }
}
