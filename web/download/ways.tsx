import type { File } from '#protocol/hosted/files.ts';
import { DownloadIcon } from '#ui/icons.tsx';
import { GetApp } from '../common/get-app.tsx';
import { useApp } from '../common/use-app.ts';
import { useSpeaking } from '../words/download.ts';
import { CopyField } from './copy-field.tsx';
import { appAddress, commandFor, linkAddress, usePlace } from './place.ts';
import type { ZipKind } from './view.ts';

interface WaysProps {
  readonly zips: readonly (File & { readonly kind: ZipKind })[];
  readonly asking: string | null;
  readonly onDownload: (file: File) => void;
}

/** Further ways to download, for special cases. */
export function Ways({ zips, asking, onDownload }: WaysProps) {
  const { words } = useSpeaking();
  const place = usePlace();
  const address = linkAddress(place);
  return (
    <section className="ways" aria-labelledby="ways-title">
      <h2 id="ways-title">{words.ways.title}</h2>
      <ul>
        {zips.map((zip) => (
          <li key={zip.id} className="way">
            <p>
              <strong>{words.ways.otherZip(words.get.zipFor[zip.kind])}</strong> <span className="hint">{words.ways.otherZipText}</span>
            </p>
            <button
              type="button"
              className="button button-small"
              aria-label={`${words.get.download}: ${words.ways.otherZip(words.get.zipFor[zip.kind])}`}
              disabled={asking !== null}
              onClick={() => onDownload(zip)}
            >
              <DownloadIcon /> {words.get.download}
            </button>
          </li>
        ))}
        <AppWay address={address} />
        <li className="way way-copy">
          <p>
            <strong>{words.ways.command}</strong> <span className="hint">{words.ways.commandText}</span>
          </p>
          <CopyField text={commandFor(address, place.platform)} label={words.ways.command} copyLabel={words.ways.copyCommand} />
        </li>
        <li className="way way-copy">
          <p>
            <strong>{words.ways.link}</strong> <span className="hint">{words.ways.linkText}</span>
          </p>
          <CopyField text={address} label={words.ways.link} copyLabel={words.ways.copyLink} />
        </li>
      </ul>
    </section>
  );
}

function AppWay({ address }: { readonly address: string }) {
  const { words } = useSpeaking();
  const { baseUrl } = usePlace();
  const { unanswered, place, ask } = useApp(baseUrl);
  return (
    <li className="way">
      <p>
        <strong>{words.ways.app}</strong> <span className="hint">{words.ways.appText}</span>
      </p>
      <a className="button button-small" href={appAddress(address)} onClick={ask}>
        {words.ways.openApp}
      </a>
      <div className="way-said" role="status">
        {unanswered ? (
          <p className="notice">
            {words.ways.unanswered}
            <GetApp place={place} text={words.ways.getApp} />
          </p>
        ) : null}
      </div>
    </li>
  );
}
