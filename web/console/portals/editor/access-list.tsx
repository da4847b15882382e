import { useDeferredValue, useState } from 'react';
import { OptionsField, TextField } from '#ui/field.tsx';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTeam } from '../../app/account.ts';
import { useShellTexts, useTexts } from '../../app/texts.ts';
import { useMembers } from '../../members/calls.ts';
import type { SettingsProps } from './section.tsx';

/** Who sees the packages of a private Portal: people of the Team, found by name or address among thousands. */
export function AccessList({ draft, faults, change }: SettingsProps) {
  const { messages, number } = useTexts({ en, de });
  const shell = useShellTexts().messages;
  const team = useTeam();
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const members = useMembers(team.id, { state: 'active', ...(search && { search }) });
  const people = members.data?.pages.flatMap(({ records }) => records) ?? [];
  const { access_list: list } = draft;
  return (
    <>
      {members.hasNextPage || search !== '' ? (
        <TextField
          label={shell.choice.search(messages.people)}
          hint={messages.peopleChosen(number(list.length), list.length === 1)}
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
      ) : null}
      <div className="portal-people">
        <OptionsField label={messages.people} error={faults['access_list'] ?? null} multiple>
          {people.flatMap(({ user_id: id, name, email }) =>
            id === undefined
              ? []
              : [
                  <label key={id} className="check" dir="auto">
                    <input
                      type="checkbox"
                      checked={list.includes(id)}
                      onChange={(event) => change({ access_list: event.target.checked ? [...list, id] : list.filter((one) => one !== id) })}
                    />
                    <span>
                      {name} <span className="hint">{email}</span>
                    </span>
                  </label>,
                ],
          )}
          {members.hasNextPage ? (
            <button
              type="button"
              className="button button-small"
              disabled={members.isFetchingNextPage}
              onClick={() => void members.fetchNextPage()}
            >
              {shell.more}
            </button>
          ) : null}
        </OptionsField>
      </div>
    </>
  );
}
