import { type ReactNode, type RefObject, useId } from 'react';
import type { TransferSummary } from '#protocol/agent/transfer-actions.ts';
import { CloseIcon, SearchIcon } from '#ui/icons.tsx';
import { useFormat } from '../../messages/format.ts';
import type { NamedTeam } from '../../session/named-teams.ts';
import { countOf, type ListView, orders, shows } from './list-view.ts';

interface ToolBarProps {
  readonly view: ListView;
  readonly onView: (view: ListView) => void;
  readonly summary: TransferSummary | null;
  /** How much more than transfers needs a person. */
  readonly otherNeeds: number;
  readonly teams: readonly NamedTeam[];
  readonly searchBox: RefObject<HTMLInputElement | null>;
  /** Lies over the page while transfers are selected, so that no row moves. */
  readonly selectionBar: ReactNode;
}

/** Filter and order of the list. */
export function ToolBar({ view, onView, summary, otherNeeds, teams, searchBox, selectionBar }: ToolBarProps) {
  const { messages, number } = useFormat();
  const text = messages.transfers;
  const id = useId();
  const choice = <K extends 'kind' | 'team' | 'order'>(key: K, label: string, options: readonly (readonly [ListView[K], string])[]) => (
    <span className="tool-choice">
      <label htmlFor={`${id}-${key}`} className="visually-hidden">
        {label}
      </label>
      <select
        id={`${id}-${key}`}
        className="input"
        value={view[key]}
        onChange={(event) => onView({ ...view, [key]: event.target.value as ListView[K] })}
      >
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
  return (
    <div className="tool-bar">
      <fieldset className="show-choice">
        <legend className="visually-hidden">{text.show.label}</legend>
        {shows.map((show) => (
          <label key={show} className="show-option">
            <input
              type="radio"
              className="visually-hidden"
              name={`${id}-show`}
              checked={view.show === show}
              onChange={() => onView({ ...view, show })}
            />
            <span>
              {text.show[show]}{' '}
              <span className="show-count figure">
                {summary ? number(countOf(show, summary) + (show === 'needs' ? otherNeeds : 0)) : ''}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className="tools-area">
        <div className="tools">
          <span className="search">
            <SearchIcon />
            <input
              ref={searchBox}
              type="search"
              className="input"
              placeholder={text.search}
              aria-label={text.search}
              aria-keyshortcuts="/"
              maxLength={200}
              value={view.search}
              onChange={(event) => onView({ ...view, search: event.target.value })}
              onKeyDown={(event) => {
                if (event.key === 'Escape') onView({ ...view, search: '' });
              }}
            />
            {view.search === '' ? null : (
              <button
                type="button"
                className="button button-quiet button-icon"
                aria-label={text.clearSearch}
                onClick={() => {
                  onView({ ...view, search: '' });
                  searchBox.current?.focus();
                }}
              >
                <CloseIcon />
              </button>
            )}
          </span>
          {choice('kind', text.kind.label, [
            ['all', text.kind.all],
            ['upload', text.kind.upload],
            ['download', text.kind.download],
          ])}
          {teams.length > 1
            ? choice('team', text.team.label, [['', text.team.all], ...teams.map((team) => [team.id, team.name] as const)])
            : null}
          {choice(
            'order',
            text.sort.label,
            orders.map((order) => [order, text.sort[order]] as const),
          )}
        </div>
        {selectionBar}
      </div>
    </div>
  );
}
