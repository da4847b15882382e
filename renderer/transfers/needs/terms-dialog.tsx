import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import type { ChangeTransfer } from '#protocol/agent/items.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../../app/context.ts';
import { LinkCode } from '../../get/link-code.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useLocale } from '../../messages/locale.ts';
import { FolderField } from '../../paths/folder-field.tsx';
import { isAbsolute } from '../../paths/path-text.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';

interface TermsDialogProps {
  readonly kind: 'password' | 'code' | 'access_code' | 'folder';
  readonly transfer: AgentTransfer;
  readonly onClose: () => void;
}

const fields = { password: 'password', code: 'code', access_code: 'access_code', folder: 'dst_folder' } as const;

/** Asks for the password, access code or folder that a transfer lacks, and resumes the transfer with it. */
export function TermsDialog({ kind, transfer, onClose }: TermsDialogProps) {
  const { client } = useApp();
  const { messages } = useLocale();
  const fault = useFaultText();
  const texts = messages.transfers.terms[kind];
  const [value, setValue] = useState('');
  const [partial, setPartial] = useState(false);
  const params = { id: transfer.id };
  const give = useMutation({
    mutationFn: async () => {
      const body: ChangeTransfer = { [fields[kind]]: kind === 'folder' ? value.trim() : value };
      const { state } = await client.call('changeTransfer', { params, body });
      if (state === 'error') await client.call('retryTransfer', { params });
    },
    onSuccess: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const bad = kind === 'folder' && !isAbsolute(value.trim());
    setPartial(bad);
    if (!bad) give.mutate();
  };
  const wrong = give.error instanceof AgentCallError && give.error.is('link_password_wrong');
  return (
    <Dialog title={texts.title} onClose={onClose} filled={false} small>
      <form className="form" onSubmit={submit}>
        <p>{transfer.name}</p>
        {give.error ? <Notice tone="bad">{wrong ? messages.get.passwordWrong : fault(give.error)}</Notice> : null}
        {kind === 'code' ? (
          <LinkCode mail={() => client.call('mailDownloadCode', { params })} value={value} onChange={setValue} />
        ) : kind === 'folder' ? (
          <FolderField
            label={texts.label}
            value={value}
            onChange={setValue}
            hint={texts.hint}
            error={partial ? messages.get.folderPartial : null}
          />
        ) : (
          <TextField
            label={texts.label}
            type="password"
            autoComplete="off"
            required
            value={value}
            hint={texts.hint}
            onChange={(event) => setValue(event.target.value)}
          />
        )}
        <div className="dialog-actions">
          <CancelButton />
          <button type="submit" className="button button-primary" disabled={give.isPending || (kind === 'code' && value === '')}>
            {messages.transfers.terms.go}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
