import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { useApp } from '../app/context.ts';
import { FolderField } from '../paths/folder-field.tsx';
import { isAbsolute } from '../paths/path-words.ts';
import { useSettings } from '../settings/queries.ts';
import { GetIcon } from '../ui/icons.tsx';
import { Notice } from '../ui/notice.tsx';
import { useFaultWords } from '../words/faults.tsx';
import { useSpeaking } from '../words/speaking.ts';
import { ChooseFiles } from './choose-files.tsx';
import { treeOf } from './file-tree.ts';
import type { OpenedLink } from './opened-link.ts';

interface ChooseAndGetProps {
  readonly opened: OpenedLink;
  readonly onOther: () => void;
  readonly onClose: () => void;
}

/** What is behind a link, which of it is wanted, and where it goes. */
export function ChooseAndGet({ opened, onOther, onClose }: ChooseAndGetProps) {
  const { client } = useApp();
  const { words, number, size, files, day } = useSpeaking();
  const fault = useFaultWords();
  const settings = useSettings();
  const { get: say } = words;
  const { url, password, preview } = opened;
  const tree = useMemo(() => treeOf(preview.files), [preview]);
  const all = useMemo(() => new Set(tree.flatMap(({ leaves }) => leaves)), [tree]);
  const listed = preview.total_files <= preview.files.filter(({ kind }) => kind === 'file').length;
  const [choosing, setChoosing] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(all);
  const [typedFolder, setFolder] = useState<string | null>(null);
  const [folderError, setFolderError] = useState<string | null>(null);
  const [nothing, setNothing] = useState(false);
  const [ownFolder, setOwnFolder] = useState(true);
  const folder = typedFolder ?? settings.data?.download_folder ?? '';
  const some = choosing && chosen.size < all.size;

  const get = useMutation({
    mutationFn: () =>
      client.call('createDownload', {
        body: {
          url,
          dst_folder: folder.trim(),
          create_package_folder: ownFolder,
          ...(password ? { password } : {}),
          ...(some ? { file_ids: [...chosen] } : {}),
        },
      }),
    onSuccess: onClose,
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const partial = !isAbsolute(folder.trim());
    const none = some && chosen.size === 0;
    setFolderError(partial ? say.folderPartial : null);
    setNothing(none);
    if (!partial && !none) get.mutate();
  };

  const sizes = useMemo(() => new Map(preview.files.map(({ id, size: bytes }) => [id, bytes])), [preview]);
  const chosenFiles = preview.files.filter(({ id, kind }) => kind === 'file' && chosen.has(id)).length;
  const chosenBytes = [...chosen].reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
  return (
    <form className="form" onSubmit={submit}>
      <div className="portal-head">
        <div>
          <p className="dialog-name" dir="auto">
            {preview.name}
          </p>
          <p className="hint">
            {preview.sender ? `${say.from(preview.sender)} · ` : ''}
            {say.whole(files(preview.total_files), size(preview.size))}
          </p>
          <p className="hint">{say.until(day(preview.expiry))}</p>
        </div>
        <button type="button" className="button button-small" onClick={onOther}>
          {say.otherLink}
        </button>
      </div>
      {preview.used_up ? <Notice tone="warn">{say.usedUp}</Notice> : null}
      {get.error ? <Notice tone="bad">{fault(get.error)}</Notice> : null}
      {listed ? (
        <label className="check">
          <input type="checkbox" checked={choosing} onChange={(event) => setChoosing(event.target.checked)} />
          <span>{say.chooseSome}</span>
        </label>
      ) : (
        <p className="hint">{say.tooMany(number(preview.total_files))}</p>
      )}
      {choosing ? (
        <div className="field">
          <ChooseFiles tree={tree} chosen={chosen} onChosen={setChosen} />
          <p className="hint figure" role="status">
            {say.chosen(number(chosenFiles), number(preview.total_files), size(chosenBytes))}
          </p>
          {nothing ? (
            <p className="field-error" role="alert">
              {say.nothing}
            </p>
          ) : null}
        </div>
      ) : null}
      <FolderField label={say.folder} value={folder} onChange={setFolder} hint={say.folderHint} error={folderError} />
      <label className="check">
        <input type="checkbox" checked={ownFolder} onChange={(event) => setOwnFolder(event.target.checked)} />
        <span>{say.ownFolder}</span>
      </label>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          {words.app.cancel}
        </button>
        <button type="submit" className="button button-primary" disabled={get.isPending || preview.used_up}>
          <GetIcon /> {get.isPending ? say.getting : say.get}
        </button>
      </div>
    </form>
  );
}
