import { useState } from 'react';
import type { Mount } from '#protocol/agent/mounts.ts';
import { useLocale } from '../../messages/locale.ts';
import { faultText, plainText } from '../../messages/localized-text.ts';
import { isAbsolute } from '../../paths/path-text.ts';
import { faultyPart } from './mount-faults.ts';
import { MountForm } from './mount-form.tsx';
import { useUpdateMount } from './queries.ts';
import { useMountTexts } from './texts.ts';

/** Moves a mount to another folder, or sets whether it is written to. */
export function ChangeMount({ mount, onDone }: { readonly mount: Mount; readonly onDone: () => void }) {
  const { messages } = useLocale();
  const texts = useMountTexts();
  const { error, isPending, mutate, reset } = useUpdateMount(mount.id);
  const [path, setPath] = useState(mount.path);
  const [readOnly, setReadOnly] = useState(mount.read_only);
  const partial = isAbsolute(path.trim()) ? null : messages.get.folderPartial;
  const changePath = (next: string): void => {
    setPath(next);
    reset();
  };
  return (
    <MountForm
      label={texts.changeOf(mount.name)}
      error={error}
      folder={{
        value: path,
        onChange: changePath,
        hint: texts.changeHint,
        error: partial ?? (error && faultyPart(error) !== null ? plainText(faultText(error, messages)) : null),
      }}
      readOnly={{ value: readOnly, onChange: setReadOnly }}
      submit={{ text: isPending ? texts.saving : texts.save, isDisabled: isPending }}
      onSubmit={() => {
        if (partial) return false;
        mutate({ path: path.trim(), read_only: readOnly }, { onSuccess: onDone });
        return true;
      }}
      onCancel={onDone}
    />
  );
}
