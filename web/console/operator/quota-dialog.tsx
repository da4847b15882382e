import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OperatedTeam } from '#protocol/hosted/operator-teams.ts';
import { TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/operator.ts';
import { en } from '../../messages/en/console/operator.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { operatorCalls, operatorKey } from './calls.ts';
import { gigabytesOf, limitOf } from './quota-text.ts';

/** Limits what a Team may use. */
export function QuotaDialog({ team: { id, name, quotas }, onClose }: { readonly team: OperatedTeam; readonly onClose: () => void }) {
  const { messages, size } = useTexts({ en, de });
  const api = useApi(operatorCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const [storage, setStorage] = useState(gigabytesOf(quotas.storage?.limit));
  const [traffic, setTraffic] = useState(gigabytesOf(quotas.traffic?.limit));
  const [isTried, setTried] = useState(false);
  const save = async () => {
    const limits = { storage: limitOf(storage), traffic: limitOf(traffic) };
    if (limits.storage === undefined || limits.traffic === undefined) {
      setTried(true);
      return false;
    }
    const { storage: bytes, traffic: monthly } = limits;
    await api.call('setTeamQuotas', { params: { team_id: id }, body: { storage: bytes, traffic: monthly } });
    toast({ text: textIn({ en, de }, ({ messages }) => messages.quotasSet(name)) });
    await cache.invalidateQueries({ queryKey: operatorKey });
    return true;
  };
  const field = (text: string, used: number | undefined) => ({
    inputMode: 'decimal' as const,
    value: text,
    hint: used === undefined ? messages.emptyNoLimit : `${messages.usedNow(size(used))} ${messages.emptyNoLimit}`,
    error: isTried && limitOf(text) === undefined ? messages.noSize : null,
  });
  return (
    <FormDialog title={messages.quotasTitle(name)} submit={messages.saveQuotas} onSubmit={save} onClose={onClose}>
      <p>{messages.quotasText}</p>
      <TextField
        label={messages.storageLimit}
        {...field(storage, quotas.storage?.used)}
        onChange={({ target }) => setStorage(target.value)}
      />
      <TextField
        label={messages.trafficLimit}
        {...field(traffic, quotas.traffic?.used)}
        onChange={({ target }) => setTraffic(target.value)}
      />
    </FormDialog>
  );
}
