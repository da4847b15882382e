import { useEffect, useRef, useState } from 'react';
import { roles } from '#protocol/roles.ts';
import { SearchIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/members.ts';
import { en } from '../../messages/en/console/members.ts';
import { useMay } from '../app/account.ts';
import { changeQuery } from '../app/address.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { ChoiceOfMany } from '../ui/choice-of-many.tsx';
import { useChoiceSources } from '../ui/choice-sources.ts';
import type { MemberFilters } from './calls.ts';

/** Their names in the address. */
export const filterNames = ['search', 'role', 'state', 'space_id'] as const;

/** Milliseconds after the last key until the list is asked for. */
const pause = 250;

export function Filters({ filters }: { readonly filters: MemberFilters }) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const may = useMay();
  const { teamspaces } = useChoiceSources();
  const [text, setText] = useState(filters.search ?? '');
  const sent = useRef(text);
  useEffect(() => {
    const timer = setTimeout(() => {
      sent.current = text.trim();
      changeQuery({ search: sent.current });
    }, pause);
    return () => clearTimeout(timer);
  }, [text]);
  // Something else changed the address, such as going back.
  useEffect(() => {
    const search = filters.search ?? '';
    if (search === sent.current) return;
    sent.current = search;
    setText(search);
  }, [filters.search]);
  return (
    <search className="list-filters">
      <div className="search-field">
        <SearchIcon />
        <input
          type="search"
          className="input"
          aria-label={messages.search}
          placeholder={messages.search}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <select
        className="input"
        aria-label={messages.byRole}
        value={filters.role ?? ''}
        onChange={(event) => changeQuery({ role: event.target.value })}
      >
        <option value="">{messages.anyRole}</option>
        {roles.map((role) => (
          <option key={role} value={role}>
            {shell.roles[role]}
          </option>
        ))}
      </select>
      <ChoiceOfMany
        inLine
        source={teamspaces}
        label={messages.byTeamspace}
        none={messages.anyTeamspace}
        value={filters.space_id ?? ''}
        onChoose={(chosen) => changeQuery({ space_id: chosen?.id ?? '' })}
      />
      {may('members.manage') ? (
        <select
          className="input"
          aria-label={messages.byState}
          value={filters.state ?? ''}
          onChange={(event) => changeQuery({ state: event.target.value })}
        >
          <option value="">{messages.states.all}</option>
          <option value="active">{messages.states.active}</option>
          <option value="invited">{messages.states.invited}</option>
        </select>
      ) : null}
    </search>
  );
}
