import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OperatedTeam } from '#protocol/hosted/operator-teams.ts';
import { TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/operator.ts';
import { en } from '../../messages/en/console/operator.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { ConfirmDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { operatorCalls, operatorKey } from './calls.ts';

/** Asks why, and suspends a Team. */
export function SuspendDialog({ team: { id, name }, onClose }: { readonly team: OperatedTeam; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const api = useApi(operatorCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const suspend = async () => {
    if (reason.trim() === '') {
      setMissing(true);
      return false;
    }
    await api.call('suspendTeam', { params: { team_id: id }, body: { reason: reason.trim() } });
    toast({ text: textIn({ en, de }, ({ messages }) => messages.suspended(name)) });
    await cache.invalidateQueries({ queryKey: operatorKey });
    return true;
  };
  return (
    <ConfirmDialog title={messages.suspendTitle(name)} submit={messages.suspend} onSubmit={suspend} onClose={onClose}>
      <p>{messages.suspendText}</p>
      <TextField
        label={messages.reason}
        hint={messages.reasonHint}
        maxLength={255}
        value={reason}
        error={isMissing && reason.trim() === '' ? messages.noReason : undefined}
        onChange={({ target }) => setReason(target.value)}
      />
    </ConfirmDialog>
  );
}
