import { useState } from 'react';
import type { File } from '#protocol/hosted/files.ts';
import { type DownloadApi, ServiceFailure } from './api.ts';
import { expiryWords, pathOf, sizeWords, type View, zipFor } from './view.ts';

const step = 500;

interface FileListProps {
  readonly view: Extract<View, { state: 'ready' }>;
  readonly api: DownloadApi;
  /** Opens the link once more, e.g. when its token has run out. */
  readonly reopen: () => Promise<void>;
}

/** What is in the package; each file downloads by a click. */
export function FileList({ view, api, reopen }: FileListProps) {
  const { link, files } = view;
  const [shown, setShown] = useState(step);
  const [asking, setAsking] = useState<string | null>(null);
  const [problem, setProblem] = useState('');
  const zip = zipFor(view.zips, navigator.platform);

  const download = async (file: File) => {
    setProblem('');
    setAsking(file.id);
    try {
      // The storage answers with an attachment, so the page stays where it is.
      window.location.assign(await api.addressOf(link, file.id));
    } catch (error) {
      const ended = error instanceof ServiceFailure && (error.error === 'credential_invalid' || error.error === 'link_expired');
      if (ended) await reopen();
      setProblem(ended ? 'The link was opened anew. Please click once more.' : error instanceof Error ? error.message : String(error));
    } finally {
      setAsking(null);
    }
  };

  const facts = [
    `${new Intl.NumberFormat().format(files.length)} ${files.length === 1 ? 'file' : 'files'}, ${sizeWords(link.package_size)}`,
    link.sender_email ? `from ${link.sender_email}` : '',
    expiryWords(link.expiry),
  ].filter(Boolean);

  return (
    <section className="card package" aria-labelledby="package-name">
      <header className="package-head">
        <div>
          <h1 id="package-name">{link.name}</h1>
          <ul className="package-facts">
            {facts.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
        </div>
        {zip && files.length > 1 ? (
          <button type="button" className="button button-primary" onClick={() => download(zip)} disabled={asking !== null}>
            <DownloadIcon /> Download all as zip
          </button>
        ) : null}
      </header>
      {problem ? (
        <p className="notice notice-bad" role="alert">
          {problem}
        </p>
      ) : null}
      {files.length === 0 ? <p className="hint">This package has no files in it, only folders.</p> : null}
      <ul className="package-files">
        {files.slice(0, shown).map((file) => (
          <li key={file.id}>
            <div className="file-text">
              <p className="file-name">{file.name}</p>
              {file.path ? <p className="hint">{file.path}</p> : null}
            </div>
            <span className="hint figure">{file.size === undefined ? '' : sizeWords(file.size)}</span>
            <button
              type="button"
              className={files.length === 1 ? 'button button-primary button-small' : 'button button-small'}
              aria-label={`Download ${pathOf(file)}`}
              disabled={asking !== null}
              onClick={() => download(file)}
            >
              <DownloadIcon />
              <span className="button-words">{asking === file.id ? 'Starting…' : 'Download'}</span>
            </button>
          </li>
        ))}
      </ul>
      {files.length > shown ? (
        <button type="button" className="button" onClick={() => setShown(shown + step)}>
          Show {Math.min(step, files.length - shown)} more of {files.length - shown}
        </button>
      ) : null}
    </section>
  );
}

function DownloadIcon() {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d="M10 3v9.5M6 8.8l4 4 4-4M3.5 12.5v2a2 2 0 0 0 2 2h9a2 2 0 0 0 2-2v-2" />
    </svg>
  );
}
