import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { HandoverPreview } from '#protocol/agent/handovers.ts';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../app/context.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useFormat } from '../messages/format.ts';
import { useLocale } from '../messages/locale.ts';
import { FolderField } from '../paths/folder-field.tsx';
import { isAbsolute } from '../paths/path-text.ts';
import { useSettings } from '../settings/queries.ts';
import { CancelButton, Dialog } from '../ui/dialog.tsx';
import { FoundFiles } from './found-files.tsx';
import { useHandoverTexts } from './texts.ts';

/** Goes on with what a browser has begun. `link`: the address that it shows. */
export function ContinueDialog({ link, onClose }: { link: string; onClose: () => void }) {
  const { client } = useApp();
  const { app } = useLocale().messages;
  const texts = useHandoverTexts();
  const fault = useFaultText();
  const { data, error } = useQuery({
    queryKey: ['handover', link],
    queryFn: ({ signal }) => client.call('previewHandover', { body: { link }, signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Dialog title={data?.kind === 'download' ? texts.titleDownload : texts.title} onClose={onClose} filled={false}>
      {data ? (
        <ContinueForm link={link} preview={data} onClose={onClose} />
      ) : (
        <div className="form">
          {error ? <Notice tone="bad">{fault(error)}</Notice> : <p role="status">{texts.looking}</p>}
          <div className="dialog-actions">
            <button type="button" className="button" onClick={onClose}>
              {app.cancel}
            </button>
          </div>
        </div>
      )}
    </Dialog>
  );
}

interface ContinueFormProps {
  readonly link: string;
  readonly preview: HandoverPreview;
  readonly onClose: () => void;
}

function ContinueForm({ link, preview, onClose }: ContinueFormProps) {
  const { client } = useApp();
  const { messages, size, files } = useFormat();
  const texts = useHandoverTexts();
  const fault = useFaultText();
  const settings = useSettings();
  const isUpload = preview.kind === 'upload';
  const [typed, setTyped] = useState<string | null>(null);
  /** The folder that was looked through last. */
  const [settled, setSettled] = useState('');
  const [ownFolder, setOwnFolder] = useState(true);
  const [partial, setPartial] = useState(false);
  const folder = (typed ?? (isUpload ? '' : (settings.data?.download_folder ?? ''))).trim();
  const match = useQuery({
    queryKey: ['handover', link, settled],
    queryFn: ({ signal }) => client.call('matchHandover', { body: { link, paths: [settled] }, signal }),
    enabled: isUpload && settled !== '',
    retry: false,
  });
  const begin = useMutation({
    mutationFn: () =>
      client.call('continueHandover', {
        body: isUpload ? { link, paths: folder === '' ? [] : [folder] } : { link, dst_folder: folder, create_package_folder: ownFolder },
      }),
    onSuccess: onClose,
  });
  const settle = (path: string): void => {
    const wanted = path.trim();
    if (wanted === '' || isAbsolute(wanted)) setSettled(wanted);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setPartial(!isAbsolute(folder));
    if (isAbsolute(folder)) begin.mutate();
  };
  const none = match.data?.found === 0 && match.data.changed + match.data.missing > 0;
  return (
    <form className="form" onSubmit={submit}>
      <p className="dialog-name" dir="auto">
        {preview.package_name}
      </p>
      <p className="hint">
        {isUpload
          ? texts.upload(files(preview.files), size(preview.bytes), preview.files_sent === 0 ? '' : files(preview.files_sent))
          : texts.download}
      </p>
      {isUpload && preview.names.length > 0 ? (
        <p className="hint" dir="auto">
          {texts.names(preview.names.join(', '))}
        </p>
      ) : null}
      {!isUpload && preview.files > 0 ? <p className="hint">{texts.chosen(files(preview.files))}</p> : null}
      {begin.error ? <Notice tone="bad">{fault(begin.error)}</Notice> : null}
      <FolderField
        label={isUpload ? texts.from : messages.get.folder}
        value={typed ?? folder}
        onChange={setTyped}
        onSettle={isUpload ? settle : undefined}
        hint={isUpload ? texts.fromHint : texts.toHint}
        error={partial ? messages.get.folderPartial : null}
      />
      {isUpload ? (
        <FoundFiles match={match.data ?? null} looking={match.isFetching} problem={match.error ? fault(match.error) : null} />
      ) : (
        <label className="check">
          <input type="checkbox" checked={ownFolder} onChange={(event) => setOwnFolder(event.target.checked)} />
          <span>{messages.get.ownFolder}</span>
        </label>
      )}
      <div className="dialog-actions">
        <CancelButton />
        <button type="submit" className="button button-primary" disabled={begin.isPending || none || match.isFetching}>
          {begin.isPending ? texts.beginning : texts.begin}
        </button>
      </div>
    </form>
  );
}
