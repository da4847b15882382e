import type { File } from '#protocol/hosted/files.ts';
import { DownloadIcon } from '#ui/icons.tsx';
import { useAppLink } from '../common/app-link.ts';
import { GetApp } from '../common/get-app.tsx';
import { useFormat } from '../messages/download.ts';
import { ContinueInApp } from './continue-in-app.tsx';
import { CopyField } from './copy-field.tsx';
import { appAddress, commandFor, linkAddress, usePageEnvironment } from './environment.ts';
import type { OpenedLink } from './opened-link.ts';
import type { ZipKind } from './view.ts';

type Zip = File & { readonly kind: ZipKind };

interface OtherDownloadsProps {
  readonly zips: readonly Zip[];
  readonly asking: string | null;
  readonly onDownload: (zip: Zip) => void;
  readonly opened: OpenedLink;
  /** Ids of what is chosen. */
  readonly chosen: ReadonlySet<string>;
}

/** Further ways to download, for special cases. */
export function OtherDownloads({ zips, asking, onDownload, opened, chosen }: OtherDownloadsProps) {
  const { messages } = useFormat();
  const environment = usePageEnvironment();
  const address = linkAddress(environment);
  return (
    <section className="other-downloads" aria-labelledby="other-downloads-title">
      <h2 id="other-downloads-title">{messages.otherDownloads.title}</h2>
      <ul>
        {zips.map((zip) => (
          <li key={zip.id} className="other-download">
            <p>
              <strong>{messages.otherDownloads.otherZip(messages.get.zipFor[zip.kind])}</strong>{' '}
              <span className="hint">{messages.otherDownloads.otherZipText}</span>
            </p>
            <button
              type="button"
              className="button button-small"
              aria-label={`${messages.get.download}: ${messages.otherDownloads.otherZip(messages.get.zipFor[zip.kind])}`}
              disabled={asking !== null}
              onClick={() => onDownload(zip)}
            >
              <DownloadIcon /> {messages.get.download}
            </button>
          </li>
        ))}
        <OpenInApp address={address} />
        <ContinueInApp opened={opened} chosen={chosen} />
        <li className="other-download other-download-copy">
          <p>
            <strong>{messages.otherDownloads.command}</strong> <span className="hint">{messages.otherDownloads.commandText}</span>
          </p>
          <CopyField
            text={commandFor(address, environment.platform)}
            label={messages.otherDownloads.command}
            copyLabel={messages.otherDownloads.copyCommand}
          />
        </li>
        <li className="other-download other-download-copy">
          <p>
            <strong>{messages.otherDownloads.link}</strong> <span className="hint">{messages.otherDownloads.linkText}</span>
          </p>
          <CopyField text={address} label={messages.otherDownloads.link} copyLabel={messages.otherDownloads.copyLink} />
        </li>
      </ul>
    </section>
  );
}

function OpenInApp({ address }: { readonly address: string }) {
  const { messages } = useFormat();
  const { baseUrl } = usePageEnvironment();
  const { unanswered, downloadUrl, ask } = useAppLink(baseUrl);
  return (
    <li className="other-download">
      <p>
        <strong>{messages.otherDownloads.app}</strong> <span className="hint">{messages.otherDownloads.appText}</span>
      </p>
      <a className="button button-small" href={appAddress(address)} onClick={ask}>
        {messages.otherDownloads.openApp}
      </a>
      <div className="other-download-answer" role="status">
        {unanswered ? (
          <p className="notice">
            {messages.otherDownloads.unanswered}
            <GetApp downloadUrl={downloadUrl} text={messages.otherDownloads.getApp} />
          </p>
        ) : null}
      </div>
    </li>
  );
}
