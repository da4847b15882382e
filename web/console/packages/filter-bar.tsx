import { useEffect, useId, useState } from 'react';
import { TextField } from '#ui/field.tsx';
import { FilterIcon, SearchIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/packages.ts';
import { en } from '../../messages/en/console/packages.ts';
import { useMay } from '../app/account.ts';
import { changeQuery } from '../app/address.ts';
import { useTexts } from '../app/texts.ts';
import { ChoiceOfMany, type ChoiceSource } from '../ui/choice-of-many.tsx';
import { useChoiceSources } from '../ui/choice-sources.ts';
import { type FilterName, filterNames, type PackageList, sorts } from './list-query.ts';

/** Milliseconds after the last key before it is looked for. */
const typingPause = 300;

/** Search, order and filters. They stand in the address, so that going back and links keep them. */
export function FilterBar({ list }: { readonly list: PackageList }) {
  const { messages, number } = useTexts({ en, de });
  const { filter, sort } = messages;
  const set = filterNames.filter((name) => list.filters[name] !== '').length;
  const [open, setOpen] = useState(set > 0);
  const id = useId();
  return (
    <search className="packages-filter">
      <div className="packages-bar">
        <Search value={list.search} />
        <select
          className="input packages-sort"
          aria-label={sort.label}
          value={list.sort}
          onChange={(event) => changeQuery({ sort: event.target.value === '-created_at' ? '' : event.target.value })}
        >
          {sorts.map((one) => (
            <option key={one} value={one}>
              {sort[one]}
            </option>
          ))}
        </select>
        <button type="button" className="button" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          <FilterIcon /> {set > 0 ? filter.openSome(number(set)) : filter.open}
        </button>
      </div>
      <div id={id} hidden={!open}>
        {open ? <Filters list={list} /> : null}
      </div>
    </search>
  );
}

function Search({ value }: { readonly value: string }) {
  const { messages } = useTexts({ en, de });
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => changeQuery({ q: text }), typingPause);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
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
  );
}

function Filters({ list: { filters } }: { readonly list: PackageList }) {
  const { messages } = useTexts({ en, de });
  const { filter } = messages;
  const may = useMay();
  const sources = useChoiceSources();
  const line = (name: FilterName, label: string, type: string) => (
    <TextField
      label={label}
      type={type}
      inputMode={type === 'text' ? 'decimal' : undefined}
      defaultValue={filters[name]}
      onChange={(event) => changeQuery({ [name]: event.target.value })}
    />
  );
  const choice = (name: FilterName, label: string, source: ChoiceSource) => (
    <ChoiceOfMany
      source={source}
      label={label}
      none={filter.any}
      value={filters[name]}
      onChoose={(chosen) => changeQuery({ [name]: chosen?.id ?? '' })}
    />
  );
  return (
    <div className="packages-filters">
      {line('sender', filter.sender, 'email')}
      {may('integrations.manage') ? choice('portal', filter.portal, sources.portals) : null}
      {choice('space', filter.space, sources.teamspaces)}
      {choice('tag', filter.tag, sources.tags)}
      {line('min', filter.min, 'text')}
      {line('max', filter.max, 'text')}
      {line('from', filter.from, 'date')}
      {line('to', filter.to, 'date')}
    </div>
  );
}
