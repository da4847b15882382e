import type { File } from '#protocol/hosted/files.ts';
import { DownloadIcon } from '#ui/icons.tsx';
import { GetApp } from '../common/get-app.tsx';
import { useApp } from '../common/use-app.ts';
import { useFormat } from '../messages/download.ts';
import { CopyField } from './copy-field.tsx';
import { appAddress, commandFor, linkAddress, usePageEnvironment } from './environment.ts';
import type { ZipKind } from './view.ts';

interface WaysProps {
  readonly zips: readonly (File & { readonly kind: ZipKind })[];
  readonly asking: string | null;
  readonly onDownload: (file: File) => void;
}

/** Further ways to download, for special cases. */
export function Ways({ zips, asking, onDownload }: WaysProps) {
  const { messages } = useFormat();
  const place = usePageEnvironment();
  const address = linkAddress(place);
  return (
    <section className="ways" aria-labelledby="ways-title">
      <h2 id="ways-title">{messages.ways.title}</h2>
      <ul>
        {zips.map((zip) => (
          <li key={zip.id} className="way">
            <p>
              <strong>{messages.ways.otherZip(messages.get.zipFor[zip.kind])}</strong>{' '}
              <span className="hint">{messages.ways.otherZipText}</span>
            </p>
            <button
              type="button"
              className="button button-small"
              aria-label={`${messages.get.download}: ${messages.ways.otherZip(messages.get.zipFor[zip.kind])}`}
              disabled={asking !== null}
              onClick={() => onDownload(zip)}
            >
              <DownloadIcon /> {messages.get.download}
            </button>
          </li>
        ))}
        <AppWay address={address} />
        <li className="way way-copy">
          <p>
            <strong>{messages.ways.command}</strong> <span className="hint">{messages.ways.commandText}</span>
          </p>
          <CopyField text={commandFor(address, place.platform)} label={messages.ways.command} copyLabel={messages.ways.copyCommand} />
        </li>
        <li className="way way-copy">
          <p>
            <strong>{messages.ways.link}</strong> <span className="hint">{messages.ways.linkText}</span>
          </p>
          <CopyField text={address} label={messages.ways.link} copyLabel={messages.ways.copyLink} />
        </li>
      </ul>
    </section>
  );
}

function AppWay({ address }: { readonly address: string }) {
  const { messages } = useFormat();
  const { baseUrl } = usePageEnvironment();
  const { unanswered, downloadUrl: place, ask } = useApp(baseUrl);
  return (
    <li className="way">
      <p>
        <strong>{messages.ways.app}</strong> <span className="hint">{messages.ways.appText}</span>
      </p>
      <a className="button button-small" href={appAddress(address)} onClick={ask}>
        {messages.ways.openApp}
      </a>
      <div className="way-said" role="status">
        {unanswered ? (
          <p className="notice">
            {messages.ways.unanswered}
            <GetApp downloadUrl={place} text={messages.ways.getApp} />
          </p>
        ) : null}
      </div>
    </li>
  );
}
