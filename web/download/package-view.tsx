import { useCallback, useMemo, useState } from 'react';
import type { File } from '#protocol/hosted/files.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { DownloadIcon } from '#ui/icons.tsx';
import { TraceId } from '#ui/trace-id.tsx';
import { type FolderNode, leavesOf, treeOf } from '#ui/tree/file-tree.ts';
import { loadOnce } from '../common/lazy-load.ts';
import { useLazy } from '../common/use-lazy.ts';
import { type Format, useFormat, useLocale } from '../messages/download.ts';
import { ChoiceBar } from './choice/choice-bar.tsx';
import { rangesOf, rangesOfAll, rangesOfFolder } from './choice/ranges.ts';
import { usePageEnvironment } from './environment.ts';
import type { OpenedLink } from './opened-link.ts';
import { previewOf } from './preview/kinds.ts';
import { SaveOffer } from './save/save-offer.tsx';
import { PackageTree } from './tree/package-tree.tsx';
import { useDownload, type Wanted } from './use-download.ts';
import { type ZipKind, zipsFor } from './view.ts';

/** What is shown below the first screen, or asked for, is loaded while the person reads the rest. */
const loadPreview = loadOnce(() => import('./preview/preview-dialog.tsx'));
const loadSave = loadOnce(() => import('./save/save-part.tsx'));
const loadOther = loadOnce(() => import('./other-downloads.tsx'));

const nothing: ReadonlySet<string> = new Set();

/** A package behind an open link: its facts and all ways to download it. */
export function PackageView({ opened }: { readonly opened: OpenedLink }) {
  const { platform, saving } = usePageEnvironment();
  const format = useFormat();
  const { messages, files: filesText, tag } = format;
  const { info, records } = opened;
  const root = useMemo(() => treeOf(records, tag), [records, tag]);
  const files = useMemo(() => [...leavesOf(root)].flatMap((leaf) => (leaf.kind === 'file' ? [leaf.entry] : [])), [root]);
  const previews = useMemo(() => files.filter((file) => previewOf(file) !== null), [files]);
  const [looked, setLooked] = useState<File | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(nothing);
  const { language } = useLocale();
  const { asking, problem, begun, start, dismiss } = useDownload(format);
  const download = useCallback(
    (file: File) => start({ key: file.id, name: file.name, address: () => opened.addressOf(file.id) }),
    [start, opened],
  );
  const preview = useLazy(loadPreview, looked !== null);
  const save = useLazy(loadSave, saving !== null);
  const other = useLazy(loadOther);
  const zips = zipsFor(records, platform);
  const damaged = files.filter((file) => file.damaged).length;
  const infected = files.filter(({ virus_detected }) => virus_detected).length;
  const only = files.length === 1 ? files[0]! : null;
  const [zip] = zips;
  const downloadFolder = ({ path, name }: FolderNode<File>) =>
    start({
      key: path,
      name: `${name}.zip`,
      address: () => opened.zipAddress({ kind: zip!.kind, ranges: rangesOfFolder(records, path), name: [...name].slice(0, 120).join('') }),
    });
  const picked = useMemo(() => records.filter(({ id }) => chosen.has(id)), [records, chosen]);
  const downloadChoice = () =>
    picked.length === 1 && picked[0]!.kind === 'file'
      ? download(picked[0]!)
      : start({ key: 'choice', name: zip!.name, address: () => opened.zipAddress({ kind: zip!.kind, ranges: rangesOf(records, chosen) }) });
  const downloadZip = (wanted: File & { readonly kind: ZipKind }) =>
    infected + damaged === 0
      ? download(wanted)
      : start({ key: wanted.id, name: wanted.name, address: () => opened.zipAddress({ kind: wanted.kind, ranges: rangesOfAll(records) }) });
  const main = only ?? (files.length > 0 ? zips[0] : undefined);

  return (
    <>
      <section className="card package" aria-labelledby="package-name">
        <header className="package-head">
          <h1 id="package-name">
            <bdi>{info.name}</bdi>
          </h1>
          <Facts opened={opened} root={root} format={format} />
        </header>
        {info.description ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a long one scrolls, and what scrolls has to be reached by the keyboard
          <section className="sender-message" aria-label={messages.facts.message} dir="auto" tabIndex={0}>
            {info.description}
          </section>
        ) : null}
        {infected > 0 ? (
          <p className="notice notice-bad" role="alert">
            {messages.virus.notice(filesText(infected))} {only ? null : messages.virus.leftOut}
          </p>
        ) : null}
        {damaged > 0 ? (
          <p className="notice notice-bad" role="alert">
            {messages.damaged.notice(filesText(damaged))} {only ? null : messages.virus.leftOut}
          </p>
        ) : null}
        {main ? (
          <div className="package-gets">
            <button
              type="button"
              className="button button-primary button-large"
              disabled={asking !== null}
              aria-describedby={only ? undefined : 'zip-system'}
              onClick={() => (only ? download(only) : downloadZip(zip!))}
            >
              <DownloadIcon /> {asking === main.id ? messages.get.starting : only ? messages.get.download : messages.get.zip}
            </button>
            {only ? null : (
              <span className="hint package-zip" id="zip-system">
                {messages.get.zipFor[zips[0]!.kind]}
              </span>
            )}
          </div>
        ) : (
          <p className="hint">{messages.facts.empty}</p>
        )}
        {problem ? (
          <p className="notice notice-bad" role="alert">
            {problem.text} <TraceId id={problem.traceId} language={language} />
          </p>
        ) : null}
        {save.state === 'loaded' ? (
          <save.chunk.SavePart opened={opened} chosen={chosen} />
        ) : save.state === 'loading' && saving && files.length > 0 ? (
          <SaveOffer ofChoice={chosen.size > 0} onChoose={null} />
        ) : null}
        <PackageTree
          root={root}
          asking={asking}
          chosen={only || !zip ? null : chosen}
          onChosen={setChosen}
          onDownload={download}
          onDownloadFolder={zip ? downloadFolder : null}
          onPreview={setLooked}
        />
        {/* Below the tree, so that no row moves away from under a finger, and in sight wherever the page is scrolled to. */}
        <div className="package-foot">
          <div role="status">{begun ? <Begun begun={begun} busy={asking !== null} onAgain={start} onClose={dismiss} /> : null}</div>
          {picked.length > 0 ? (
            <ChoiceBar chosen={picked} busy={asking !== null} onDownload={downloadChoice} onClear={() => setChosen(nothing)} />
          ) : null}
        </div>
        {other.state === 'loaded' ? (
          <other.chunk.OtherDownloads
            zips={only ? zips : zips.slice(1)}
            asking={asking}
            onDownload={downloadZip}
            opened={opened}
            chosen={chosen}
          />
        ) : null}
      </section>
      {looked ? (
        preview.state === 'loaded' ? (
          <preview.chunk.PreviewDialog
            files={previews}
            first={looked}
            opened={opened}
            onDownload={download}
            onClose={() => setLooked(null)}
          />
        ) : preview.state === 'failed' ? (
          <p className="notice notice-bad" role="alert">
            {messages.notLoaded}
            <button type="button" className="button button-small" onClick={preview.retry}>
              {messages.tryAgain}
            </button>
          </p>
        ) : null
      ) : null}
    </>
  );
}

interface BegunProps {
  readonly begun: Wanted;
  readonly busy: boolean;
  readonly onAgain: (wanted: Wanted) => void;
  readonly onClose: () => void;
}

/** What was handed to the browser, and what to do where it does nothing. */
function Begun({ begun, busy, onAgain, onClose }: BegunProps) {
  const { messages } = useFormat();
  return (
    <div className="notice begun">
      <div className="note-text">
        <p>
          <strong>{messages.begun.title(begun.name)}</strong>
        </p>
        <p>{messages.begun.text}</p>
      </div>
      <span className="choice-buttons">
        <button type="button" className="button button-small" disabled={busy} onClick={() => onAgain(begun)}>
          {messages.begun.again}
        </button>
        <button type="button" className="button button-small" onClick={onClose}>
          {messages.preview.close}
        </button>
      </span>
    </div>
  );
}

interface FactsProps {
  readonly opened: OpenedLink;
  readonly root: FolderNode<File>;
  readonly format: Format;
}

function Facts({ opened: { info }, root, format }: FactsProps) {
  const { messages, files, number, size, day } = format;
  const facts = [
    root.folders === 0
      ? messages.facts.contents(files(root.files), size(info.package_size))
      : messages.facts.contentsInFolders(
          files(root.files),
          messages.folders(number(root.folders), root.folders === 1),
          size(info.package_size),
        ),
    info.sender_email ? messages.facts.from(info.sender_email) : '',
    info.expiry === unsetDateTime ? '' : messages.facts.until(day(info.expiry)),
  ].filter(Boolean);
  return (
    <ul className="package-facts">
      {facts.map((fact) => (
        <li key={fact} dir="auto">
          {fact}
        </li>
      ))}
    </ul>
  );
}
