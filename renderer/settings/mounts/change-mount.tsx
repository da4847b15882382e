import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Mount } from '#protocol/agent/mounts.ts';
import { CheckField, focusFirstError } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useLocale } from '../../messages/locale.ts';
import { faultText, plainText } from '../../messages/localized-text.ts';
import { FolderField } from '../../paths/folder-field.tsx';
import { isAbsolute } from '../../paths/path-text.ts';
import { faultyPart } from './mount-faults.ts';
import { useUpdateMount } from './queries.ts';

/** Moves a mount to another folder, or sets whether it is written to. */
export function ChangeMount({ mount, onDone }: { readonly mount: Mount; readonly onDone: () => void }) {
  const { messages } = useLocale();
  const { mounts: texts } = messages;
  const fault = useFaultText();
  const form = useRef<HTMLFormElement>(null);
  const update = useUpdateMount(mount.id);
  const [path, setPath] = useState(mount.path);
  const [readOnly, setReadOnly] = useState(mount.read_only);
  const part = faultyPart(update.error);
  const partial = isAbsolute(path.trim()) ? null : messages.get.folderPartial;
  // Once the refusal is shown.
  useEffect(() => {
    if (update.error) focusFirstError(form.current);
  }, [update.error]);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (partial) focusFirstError(form.current);
    else update.mutate({ path: path.trim(), read_only: readOnly }, { onSuccess: onDone });
  };
  return (
    <form ref={form} className="form" aria-label={texts.changeOf(mount.name)} onSubmit={submit}>
      {update.error && part === null ? <Notice tone="bad">{fault(update.error)}</Notice> : null}
      <FolderField
        label={texts.folder}
        value={path}
        onChange={(next) => {
          setPath(next);
          update.reset();
        }}
        hint={texts.changeHint}
        error={partial ?? (part === null || !update.error ? null : plainText(faultText(update.error, messages)))}
      />
      <CheckField
        label={texts.readOnly}
        checked={readOnly}
        hint={texts.readOnlyHint}
        onChange={(event) => setReadOnly(event.target.checked)}
      />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onDone}>
          {messages.app.cancel}
        </button>
        <button type="submit" className="button button-primary" disabled={update.isPending}>
          {update.isPending ? texts.saving : texts.save}
        </button>
      </div>
    </form>
  );
}
