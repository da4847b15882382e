import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useState } from 'react';
import type { FolderEntry, FolderListing } from '#protocol/agent/folders.ts';
import type { StartFolder } from '#protocol/agent/paths.ts';
import { TextField } from '#ui/field.tsx';
import { ChevronDownIcon, FileIcon, FolderIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../app/context.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useFormat } from '../messages/format.ts';
import { useChangeSettings, useSettings } from '../settings/queries.ts';
import { Dialog } from '../ui/dialog.tsx';
import { joined, withPaths } from './path-text.ts';
import { Places, usePlaces } from './places.tsx';

interface FolderBrowserProps {
  /** `entries`: several files and folders. `folder`: one target folder. */
  readonly choosing: 'entries' | 'folder';
  /** The folder to begin in; empty for the first allowed folder. */
  readonly from: string;
  readonly onChoose: (paths: readonly string[]) => void;
  readonly onClose: () => void;
}

const shownEntries = 2_000;

/** Chooses paths on the agent's machine, which may differ from the browser's machine. */
export function FolderBrowser({ choosing, from, onChoose, onClose }: FolderBrowserProps) {
  const { client } = useApp();
  const cache = useQueryClient();
  const { messages, number, size, moment } = useFormat();
  const fault = useFaultText();
  const { browser } = messages.send;
  const places = usePlaces();
  const settings = useSettings();
  const allow = useChangeSettings();
  /** A place that the person chose and that is not allowed yet. */
  const [closed, setClosed] = useState<StartFolder | null>(null);
  const [path, setPath] = useState(from);
  const [hidden, setHidden] = useState(false);
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: ['folder', path, hidden],
    queryFn: ({ signal }) => client.call('listFolder', { query: { ...(path ? { path } : {}), hidden, limit: shownEntries }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });
  // The first folder may have been deleted, or may not be allowed.
  const lost = error !== null && path !== '' && path === from;
  useEffect(() => {
    if (lost) setPath('');
  }, [lost]);
  const go = (to: string) => {
    setClosed(null);
    setPath(to);
    setFilter('');
  };
  const allowClosed = (place: StartFolder) =>
    allow.mutate(
      { allowed_roots: withPaths(settings.data?.allowed_roots ?? [], [place.path]) },
      {
        onSuccess() {
          void cache.invalidateQueries({ queryKey: ['places'] });
          go(place.path);
        },
      },
    );
  const toggle = (one: string) =>
    setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(one)) after.add(one);
      return after;
    });
  const wanted = filter.trim().toLocaleLowerCase();
  const entries = (data?.entries ?? []).filter(
    ({ name, kind }) => (choosing === 'entries' || kind === 'directory') && name.toLocaleLowerCase().includes(wanted),
  );

  return (
    <Dialog title={choosing === 'entries' ? browser.title : browser.folderTitle} onClose={onClose} wide>
      <div className="form folder-browser">
        {error ? (
          <Notice tone="bad">
            {fault(error)}{' '}
            <button type="button" className="button-link" onClick={() => (path === '' ? refetch() : go(''))}>
              {messages.app.tryAgain}
            </button>
          </Notice>
        ) : null}
        <Places
          places={places}
          here={closed?.path ?? data?.path ?? ''}
          onGo={(place) => (place.allowed ? go(place.path) : setClosed(place))}
        />
        {closed ? (
          <section className="start-folder-allow" aria-label={browser.allowTitle}>
            {allow.error ? <Notice tone="bad">{fault(allow.error)}</Notice> : null}
            <p className="mono" dir="ltr">
              {closed.path}
            </p>
            <p>{browser.allowText}</p>
            <div className="panel-acts">
              <button type="button" className="button button-primary" disabled={allow.isPending} onClick={() => allowClosed(closed)}>
                {browser.allow}
              </button>
              <button type="button" className="button" onClick={() => setClosed(null)}>
                {browser.allowNot}
              </button>
            </div>
          </section>
        ) : null}
        {closed ? null : (
          <>
            <div className="folder-here">
              <button
                type="button"
                className="button button-small"
                disabled={!data?.parent}
                onClick={() => data?.parent && go(data.parent)}
                aria-label={browser.up}
              >
                <span className="icon-up">
                  <ChevronDownIcon />
                </span>
                {browser.up}
              </button>
              <p className="mono" role="status" dir="ltr">
                {data?.path ?? (error ? '' : browser.loading)}
              </p>
            </div>
            <div className="folder-tools">
              <TextField
                label={browser.filter}
                type="search"
                value={filter}
                onChange={(event) => setFilter(event.target.value)}
                onKeyDown={keepFromForm}
              />
              <label className="check">
                <input type="checkbox" checked={hidden} onChange={(event) => setHidden(event.target.checked)} />
                <span>{browser.hidden}</span>
              </label>
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
            <ul className="folder-entries" aria-label={browser.here} aria-busy={isFetching} tabIndex={0}>
              {entries.map((entry) => (
                <Entry
                  key={entry.name}
                  entry={entry}
                  choosing={choosing}
                  chosen={chosen.has(joined(data!.path, entry.name))}
                  onToggle={() => toggle(joined(data!.path, entry.name))}
                  onOpen={() => go(joined(data!.path, entry.name))}
                  details={entry.kind === 'file' ? `${size(entry.size)} · ${moment(entry.last_modified)}` : ''}
                />
              ))}
            </ul>
            {data && !isFetching && entries.length === 0 ? (
              <p className="hint" role="status">
                {browser[whyNone(data, wanted)]}
              </p>
            ) : null}
            {data?.truncated ? <p className="hint">{browser.more}</p> : null}
          </>
        )}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            {messages.app.cancel}
          </button>
          {choosing === 'entries' ? (
            <button
              type="button"
              className="button button-primary"
              disabled={chosen.size === 0 || closed !== null}
              onClick={() => onChoose([...chosen])}
            >
              {chosen.size === 0 ? browser.chooseNone : browser.choose(number(chosen.size), chosen.size === 1)}
            </button>
          ) : (
            <button
              type="button"
              className="button button-primary"
              // While the next folder is loading, the previous one is still shown and must not be chosen.
              disabled={!data?.path || isPlaceholderData || closed !== null}
              onClick={() => data && onChoose([data.path])}
            >
              {browser.chooseHere}
            </button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** Why no entry is shown. */
function whyNone({ path, entries }: FolderListing, wanted: string): 'nowhere' | 'empty' | 'noneFound' | 'noFolders' {
  if (path === '') return 'nowhere';
  if (entries.length === 0) return 'empty';
  return wanted === '' ? 'noFolders' : 'noneFound';
}

/** The dialog may be inside a form: Enter in the search must not submit that form. */
function keepFromForm(event: KeyboardEvent): void {
  if (event.key === 'Enter') event.preventDefault();
}

interface EntryProps {
  readonly entry: FolderEntry;
  readonly choosing: FolderBrowserProps['choosing'];
  readonly chosen: boolean;
  readonly details: string;
  readonly onToggle: () => void;
  readonly onOpen: () => void;
}

function Entry({ entry, choosing, chosen, details, onToggle, onOpen }: EntryProps) {
  const { browser } = useFormat().messages.send;
  const { name, kind } = entry;
  return (
    <li className={chosen ? 'folder-entry chosen' : 'folder-entry'}>
      {choosing === 'entries' ? <input type="checkbox" checked={chosen} onChange={onToggle} aria-label={browser.select(name)} /> : null}
      {kind === 'directory' ? (
        <button type="button" className="folder-name" onClick={onOpen} aria-label={browser.open(name)}>
          <FolderIcon />
          <span dir="auto">{name}</span>
        </button>
      ) : (
        // The checkbox beside it is what is named; a click on the name does the same.
        // biome-ignore lint/a11y/noStaticElementInteractions: the checkbox beside it does the same
        // biome-ignore lint/a11y/useKeyWithClickEvents: the checkbox beside it does the same
        <span className="folder-name" onClick={onToggle}>
          <FileIcon />
          <span dir="auto">{name}</span>
        </span>
      )}
      {details ? <span className="hint figure">{details}</span> : null}
    </li>
  );
}
