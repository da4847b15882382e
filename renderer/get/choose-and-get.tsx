import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import { errorCatalogue, placesIn } from '#protocol/errors.ts';
import { DownloadIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { leafIds } from '#ui/tree/choice.ts';
import { treeOf } from '#ui/tree/file-tree.ts';
import { useApp } from '../app/context.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useFormat } from '../messages/format.ts';
import { useLocale } from '../messages/locale.ts';
import { FolderField } from '../paths/folder-field.tsx';
import { isAbsolute } from '../paths/path-text.ts';
import { useSettings } from '../settings/queries.ts';
import { CancelButton } from '../ui/dialog.tsx';
import { ChooseFiles } from './choose-files.tsx';
import type { OpenedLink } from './link-form.tsx';

interface ChooseAndGetProps {
  readonly opened: OpenedLink;
  readonly onOther: () => void;
  readonly onClose: () => void;
}

/** An opened link's content: the person chooses files and a target folder. */
export function ChooseAndGet({ opened, onOther, onClose }: ChooseAndGetProps) {
  const { client } = useApp();
  const { messages, number, size, files, day, tag } = useFormat();
  const fault = useFaultText();
  const settings = useSettings();
  const { get: texts } = messages;
  const { url, password, preview } = opened;
  const root = useMemo(() => treeOf(preview.files, tag), [preview, tag]);
  const all = useMemo(() => new Set(leafIds(root)), [root]);
  const listed = preview.total_files <= preview.files.filter(({ kind }) => kind === 'file').length;
  const [choosing, setChoosing] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(all);
  const [typedFolder, setFolder] = useState<string | null>(null);
  const [folderError, setFolderError] = useState<string | null>(null);
  const [nothing, setNothing] = useState(false);
  const [ownFolder, setOwnFolder] = useState(true);
  const folder = typedFolder ?? settings.data?.download_folder ?? '';
  const folderField = useRef<HTMLDivElement>(null);
  const some = choosing && chosen.size < all.size;

  const get = useMutation({
    mutationFn: (allowHidden: boolean) =>
      client.call('createDownload', {
        body: {
          url,
          dst_folder: folder.trim(),
          create_package_folder: ownFolder,
          ...(allowHidden ? { allow_hidden: true } : {}),
          ...(password ? { password } : {}),
          ...(preview.proof ? { code: preview.proof } : {}),
          ...(some ? { file_ids: [...chosen] } : {}),
        },
      }),
    onSuccess: onClose,
  });

  const asks = get.error instanceof AgentCallError && get.error.is('hidden_names');
  const otherFolder = (): void => {
    get.reset();
    folderField.current?.querySelector('input')?.focus();
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const partial = !isAbsolute(folder.trim());
    const none = some && chosen.size === 0;
    setFolderError(partial ? texts.folderPartial : null);
    setNothing(none);
    if (!partial && !none) get.mutate(false);
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
            {preview.sender ? `${texts.from(preview.sender)} · ` : ''}
            {texts.whole(files(preview.total_files), size(preview.size))}
          </p>
          <p className="hint">{texts.until(day(preview.expiry))}</p>
        </div>
        <button type="button" className="button button-small" onClick={onOther}>
          {texts.otherLink}
        </button>
      </div>
      {preview.message ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long one scrolls, and what scrolls has to be reached by the keyboard
        <section className="sender-message" aria-label={texts.message} dir="auto" tabIndex={0}>
          {preview.message}
        </section>
      ) : null}
      {preview.used_up ? <Notice tone="warn">{texts.usedUp}</Notice> : null}
      {get.error && !asks ? <Notice tone="bad">{fault(get.error)}</Notice> : null}
      {listed ? (
        <label className="check">
          <input type="checkbox" checked={choosing} onChange={(event) => setChoosing(event.target.checked)} />
          <span>{texts.chooseSome}</span>
        </label>
      ) : (
        <p className="hint">{texts.tooMany(number(preview.total_files))}</p>
      )}
      {choosing ? (
        <div className="field">
          <ChooseFiles root={root} chosen={chosen} onChosen={setChosen} />
          <p className="hint figure" role="status">
            {texts.chosen(number(chosenFiles), files(preview.total_files), size(chosenBytes))}
          </p>
          {nothing ? (
            <p className="field-error" role="alert">
              {texts.nothing}
            </p>
          ) : null}
        </div>
      ) : null}
      <div ref={folderField}>
        <FolderField label={texts.folder} value={folder} onChange={setFolder} hint={texts.folderHint} error={folderError} />
      </div>
      <label className="check">
        <input type="checkbox" checked={ownFolder} onChange={(event) => setOwnFolder(event.target.checked)} />
        <span>{texts.ownFolder}</span>
      </label>
      {asks && get.error ? (
        <HiddenQuestion message={get.error.message} onOther={otherFolder} onGet={() => get.mutate(true)} />
      ) : (
        <div className="dialog-actions">
          <CancelButton />
          <button type="submit" className="button button-primary" disabled={get.isPending || preview.used_up}>
            <DownloadIcon /> {get.isPending ? texts.getting : texts.get}
          </button>
        </div>
      )}
    </form>
  );
}

interface HiddenQuestionProps {
  /** The agent's sentence. */
  readonly message: string;
  readonly onOther: () => void;
  readonly onGet: () => void;
}

/**
 * Asks before names that begin with a dot are written directly into the home folder, where programs read them as their
 * settings.
 */
function HiddenQuestion({ message, onOther, onGet }: HiddenQuestionProps) {
  const { hidden } = useLocale().messages.get;
  const id = useId();
  const other = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => other.current?.focus(), []);
  const { folder = '', names = '' } = placesIn(errorCatalogue.hidden_names.message, message) ?? {};
  return (
    <section className="dialog-question" role="alertdialog" aria-labelledby={id}>
      <p id={id}>{hidden.question(names, folder)}</p>
      <div className="dialog-question-acts">
        <button type="button" className="button button-danger" onClick={onGet}>
          {hidden.get}
        </button>
        <button ref={other} type="button" className="button button-primary" onClick={onOther}>
          {hidden.other}
        </button>
      </div>
    </section>
  );
}
