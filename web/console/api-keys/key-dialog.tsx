import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListedApiKey } from '#protocol/hosted/accounts.ts';
import { limits } from '#protocol/limits.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { TextAreaField, TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/api-keys.ts';
import { en } from '../../messages/en/console/api-keys.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { keyCalls, keysKey } from './calls.ts';

interface KeyDialogProps {
  readonly apiKey: ListedApiKey | null;
  /** A new key's secret, which the service tells this once. */
  readonly onMade: (secret: string) => void;
  readonly onClose: () => void;
}

/** The day of a moment where the person is, as a field for dates has it. */
function dayIn(moment: string): string {
  if (moment === unsetDateTime) return '';
  const at = new Date(moment);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** Makes or changes an API key. */
export function KeyDialog({ apiKey, onMade, onClose }: KeyDialogProps) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const api = useApi(keyCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const [name, setName] = useState(apiKey?.name ?? '');
  const [description, setDescription] = useState(apiKey?.description ?? '');
  const before = dayIn(apiKey?.expiry ?? unsetDateTime);
  const [expiry, setExpiry] = useState(before);
  const [shown, setShown] = useState(false);
  // Until the end of that day, where the person is.
  const end = expiry === '' ? null : new Date(`${expiry}T23:59:59.999`);
  const errors = {
    name: name.trim() === '' ? messages.noName : null,
    expiry: end !== null && expiry !== before && end <= new Date() ? messages.expiryPast : null,
  };
  const save = async () => {
    setShown(true);
    if (errors.name || errors.expiry) return false;
    const until = expiry === before ? (apiKey?.expiry ?? unsetDateTime) : (end?.toISOString() ?? unsetDateTime);
    const body = { name, description, ...(until !== unsetDateTime && { expiry: until }) };
    if (apiKey) {
      const state = apiKey.state === 'inactive' ? 'inactive' : 'active';
      await api.call('updateApiKey', { params: { api_key_id: apiKey.id }, body: { ...body, state } });
      toast({ text: textIn({ en, de }, ({ messages }) => messages.saved(name)) });
    } else {
      const { key } = await api.call('createApiKey', { params: { team_id: team.id }, body: { ...body, state: 'active' } });
      onMade(key);
    }
    await cache.invalidateQueries({ queryKey: keysKey(team.id) });
    return true;
  };
  return (
    <FormDialog
      title={apiKey ? messages.editTitle(apiKey.name) : messages.make}
      submit={apiKey ? shell.save : messages.make}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label={messages.name}
        hint={messages.nameHint}
        error={shown ? errors.name : null}
        value={name}
        maxLength={limits.nameLength}
        onChange={(event) => setName(event.target.value)}
      />
      <TextAreaField
        label={messages.description}
        aside={shell.optional}
        value={description}
        maxLength={limits.textLength}
        onChange={(event) => setDescription(event.target.value)}
      />
      <TextField
        label={messages.expiry}
        aside={shell.optional}
        hint={messages.expiryHint}
        error={shown ? errors.expiry : null}
        type="date"
        value={expiry}
        onChange={(event) => setExpiry(event.target.value)}
      />
    </FormDialog>
  );
}
