import { useState } from 'react';
import type { Package } from '#protocol/hosted/packages.ts';
import { TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { usePackageActions } from '../packages/actions.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { isOutOfTime } from './queries.ts';

/** That a package is on hold, since when and why. */
export function HoldNotice({ one }: { readonly one: Package }) {
  const { messages, exactly } = useTexts({ en, de });
  if (!one.hold) return null;
  return (
    <Notice tone="plain">
      <p>{messages.hold.since(exactly(one.hold.since))}</p>
      {isOutOfTime(one) ? <p>{messages.hold.over}</p> : null}
      <p>
        {messages.hold.reason}: {one.hold.reason}
      </p>
    </Notice>
  );
}

/** Asks for the reason, or whether it shall be lifted. */
export function HoldDialog({ one, onClose }: { readonly one: Package; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const toast = useToast();
  const actions = usePackageActions();
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const kind = one.hold ? 'lift' : 'hold';
  return (
    <FormDialog
      title={messages.act[kind]}
      submit={messages.act[kind]}
      onClose={onClose}
      onSubmit={async () => {
        if (kind === 'hold' && reason.trim() === '') {
          setProblem(messages.hold.missing);
          return false;
        }
        await (kind === 'hold' ? actions.hold(one, reason.trim()) : actions.lift(one));
        await actions.changed();
        toast({ text: textIn({ en, de }, ({ messages }) => (kind === 'hold' ? messages.held : messages.lifted)) });
        return true;
      }}
    >
      <p>{kind === 'hold' ? messages.hold.text : messages.hold.liftText}</p>
      {kind === 'hold' ? (
        <TextField
          label={messages.hold.reason}
          hint={messages.hold.hint}
          maxLength={255}
          value={reason}
          error={problem}
          onChange={(event) => setReason(event.target.value)}
        />
      ) : null}
    </FormDialog>
  );
}
