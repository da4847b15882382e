import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Teamspace } from '#protocol/hosted/teamspaces.ts';
import { limits } from '#protocol/limits.ts';
import { TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/teamspaces.ts';
import { en } from '../../messages/en/console/teamspaces.ts';
import { useTeam } from '../app/account.ts';
import { goTo } from '../app/address.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { ChoiceOfMany } from '../ui/choice-of-many.tsx';
import { useChoiceSources } from '../ui/choice-sources.ts';
import { ConfirmDialog, FormDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { teamspaceCalls, teamspacesKey } from './calls.ts';

/** Makes a Teamspace, or renames one. */
export function NameDialog({ space, onClose }: { readonly space: Teamspace | null; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const api = useApi(teamspaceCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const [name, setName] = useState(space?.name ?? '');
  const [error, setError] = useState<string | null>(null);
  const save = async () => {
    if (name.trim() === '') {
      setError(messages.noName);
      return false;
    }
    if (space) await api.call('updateTeamspace', { params: { space_id: space.id }, body: { name } });
    else {
      const made = await api.call('createTeamspace', { params: { team_id: team.id }, body: { name } });
      toast({ text: textIn({ en, de }, ({ messages }) => messages.made(name)) });
      goTo(`/t/${team.id}/teamspaces/${made.id}`);
    }
    await cache.invalidateQueries({ queryKey: teamspacesKey(team.id) });
    return true;
  };
  return (
    <FormDialog
      small
      title={space ? messages.renameTitle(space.name) : messages.make}
      submit={space ? shell.save : messages.make}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label={messages.name}
        value={name}
        maxLength={limits.nameLength}
        error={error}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

export function DeleteDialog({ space, onClose }: { readonly space: Teamspace; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(teamspaceCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const { teamspaces } = useChoiceSources();
  const [target, setTarget] = useState('');
  const remove = async () => {
    await api.call('deleteTeamspace', { params: { space_id: space.id }, query: target === '' ? {} : { move_to: target } });
    toast({ text: textIn({ en, de }, ({ messages }) => messages.deleted(space.name)) });
    goTo(`/t/${team.id}/teamspaces`);
    await cache.invalidateQueries({ queryKey: teamspacesKey(team.id), exact: true });
  };
  return (
    <ConfirmDialog title={messages.deleteTitle(space.name)} submit={messages.delete} onSubmit={remove} onClose={onClose}>
      <p>{messages.deleteText}</p>
      <ChoiceOfMany
        source={teamspaces}
        label={messages.moveTo}
        none={messages.moveNowhere}
        value={target}
        without={space.id}
        onChoose={(chosen) => setTarget(chosen?.id ?? '')}
      />
    </ConfirmDialog>
  );
}
