import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Portal } from '#protocol/hosted/portals.ts';
import { limits } from '#protocol/limits.ts';
import { TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/portals.ts';
import { en } from '../../messages/en/console/portals.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { pageOf, portalCalls, portalsKey } from './calls.ts';
import { useFieldFault } from './use-field-fault.ts';

interface CreateDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (portal: Portal) => void;
}

/** Name and address of a new Portal; everything else is set in its editor. */
export function CreateDialog({ onClose, onCreated }: CreateDialogProps) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(portalCalls);
  const fieldFault = useFieldFault();
  const cache = useQueryClient();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [judged, setJudged] = useState(false);
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const [key] = useState(() => crypto.randomUUID());
  const subdomain = chosen ?? slugOf(name);
  const submit = async (): Promise<boolean> => {
    setJudged(true);
    setWrong({});
    if (name.trim() === '' || subdomain === '') return false;
    try {
      // The key belongs to what was sent: another try with other words is another call.
      const idempotencyKey = `${key}-${name.trim()}-${subdomain}`.slice(0, 200).replaceAll(/[^\x21-\x7e]/g, '_');
      const portal = await api.call('createPortal', {
        params: { team_id: team.id },
        body: { name: name.trim(), subdomain },
        idempotencyKey,
      });
      await cache.invalidateQueries({ queryKey: portalsKey(team.id) });
      onCreated(portal);
      return true;
    } catch (error) {
      const found = fieldFault(error);
      if (!found || !['name', 'subdomain'].includes(found.field)) throw error;
      setWrong({ [found.field]: found.text });
      return false;
    }
  };
  return (
    <FormDialog title={messages.newTitle} submit={messages.make} onSubmit={submit} onClose={onClose}>
      <TextField
        label={messages.name}
        hint={messages.nameHint}
        error={wrong['name'] ?? (judged && name.trim() === '' ? messages.missing : null)}
        maxLength={limits.nameLength}
        aria-required
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={messages.subdomain}
        hint={messages.subdomainHint(pageOf(subdomain || '…'))}
        error={wrong['subdomain'] ?? (judged && subdomain === '' ? messages.missing : null)}
        maxLength={53}
        aria-required
        autoCapitalize="none"
        spellCheck={false}
        value={subdomain}
        onChange={(event) => setChosen(event.target.value.toLowerCase())}
      />
    </FormDialog>
  );
}

/** `My Pörtal` → `my-portal`. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
