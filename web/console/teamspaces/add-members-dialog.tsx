import { useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { Teamspace } from '#protocol/hosted/teamspaces.ts';
import { TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/teamspaces.ts';
import { en } from '../../messages/en/console/teamspaces.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { membersKey, useMembers } from '../members/calls.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { teamspaceCalls, teamspacesKey } from './calls.ts';
import './teamspaces.css';

/** Chooses members of the Team, found by name or address among thousands, to be in a Teamspace. */
export function AddMembersDialog({ space, onClose }: { readonly space: Teamspace; readonly onClose: () => void }) {
  const { messages, number } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(teamspaceCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const [error, setError] = useState<string | null>(null);
  const search = useDeferredValue(text.trim());
  const found = useMembers(team.id, { state: 'active', ...(search && { search }) });
  const people = found.data?.pages.flatMap(({ records }) => records) ?? [];
  const inside = new Set(space.members.map(({ user_id }) => user_id));

  const toggle = (id: string, name: string): void => {
    const next = new Map(chosen);
    if (!next.delete(id)) next.set(id, name);
    setChosen(next);
    setError(null);
  };
  const add = async () => {
    if (chosen.size === 0) {
      setError(messages.choose);
      return false;
    }
    await api.call('addTeamspaceMembers', { params: { space_id: space.id }, body: { member_ids: [...chosen.keys()] } });
    toast({ text: textIn({ en, de }, ({ messages, number }) => messages.added(number(chosen.size), chosen.size === 1)) });
    await cache.invalidateQueries({ queryKey: teamspacesKey(team.id) });
    await cache.invalidateQueries({ queryKey: membersKey(team.id) });
    return true;
  };

  return (
    <FormDialog
      title={messages.addTitle(space.name)}
      submit={chosen.size === 0 ? messages.addNone : messages.addSubmit(number(chosen.size))}
      onSubmit={add}
      onClose={onClose}
    >
      <TextField label={messages.find} type="search" value={text} error={error} onChange={(event) => setText(event.target.value)} />
      <fieldset className="field person-choice">
        <legend className="visually-hidden">{messages.found}</legend>
        {people.map(({ id, user_id, name, email }) => {
          const isIn = user_id !== undefined && inside.has(user_id);
          return (
            <label key={id} className="check">
              <input type="checkbox" disabled={isIn} checked={isIn || chosen.has(id)} onChange={() => toggle(id, name)} />
              <span className="row-main">
                <span dir="auto">{name}</span>
                <span className="row-facts">
                  {email}
                  {isIn ? ` · ${messages.alreadyIn}` : null}
                </span>
              </span>
            </label>
          );
        })}
        {found.data && people.length === 0 ? <p className="hint">{messages.noneFound}</p> : null}
      </fieldset>
    </FormDialog>
  );
}
