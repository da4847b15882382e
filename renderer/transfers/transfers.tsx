import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { TransferSummary } from '#protocol/agent/transfer-actions.ts';
import { PauseIcon, PlayIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useScreenAwake } from '#ui/screen-awake.ts';
import { goTo, hrefOf } from '../app/route.ts';
import { AutomationsInNeed, useAutomationNeeds } from '../automations/needs.tsx';
import { desktopBridge } from '../desktop/bridge.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useFormat } from '../messages/format.ts';
import { useNamedTeams } from '../session/named-teams.ts';
import { useStatus } from '../session/queries.ts';
import { useLetterKeys } from '../settings/letter-keys.ts';
import { useTransferActions } from './actions/transfer-actions.tsx';
import { describeTotals } from './describe-transfer.ts';
import { Empty } from './list/empty.tsx';
import { keepList } from './list/last-list.ts';
import { filterOf, type ListView, recentSince, shownStates, wholeView } from './list/list-view.ts';
import { statesIn } from './list/pages.ts';
import { actionsFor, nothing, type Selection } from './list/selection.ts';
import { SelectionBar } from './list/selection-bar.tsx';
import { ToolBar } from './list/tool-bar.tsx';
import { TransferList } from './list/transfer-list.tsx';
import { useList, useSettled } from './list/use-list.ts';
import { useAnnouncements } from './use-announcements.ts';

interface TransfersProps {
  readonly live: boolean;
  /** Shows only transfers that need a person; a route of its own. */
  readonly needs: boolean;
  /** Null where sending is not possible now. */
  readonly onSend: (() => void) | null;
  readonly onGet: () => void;
}

/** View and scroll position of the list, restored when the person comes back. */
interface ListPosition {
  readonly view: ListView;
  readonly offset: number;
}
const listPositionKey = ['transfers', 'left'] as const;

/** The list of all transfers, with search, order and actions. */
export function Transfers({ live, needs, onSend, onGet }: TransfersProps) {
  const cache = useQueryClient();
  const [restored] = useState(() => cache.getQueryData<ListPosition>(listPositionKey) ?? { view: wholeView, offset: 0 });
  const [ownView, setOwnView] = useState(restored.view);
  const view = useMemo<ListView>(() => (needs ? { ...ownView, show: 'needs' } : ownView), [ownView, needs]);
  const [selection, setSelection] = useState<Selection>(nothing);
  const searchBox = useRef<HTMLInputElement>(null);
  const search = useSettled(view.search, 150);
  const since = recentSince(new Date());
  const asked = useMemo(() => ({ ...view, search, since }), [view, search, since]);
  const { store, state } = useList(asked);
  const announcement = useAnnouncements();
  const fault = useFaultText();
  const { messages } = useFormat();
  const { pages, summary, error } = state;
  const teams = useNamedTeams();
  const names = useMemo(() => new Map(teams.map((team) => [team.id, team.name])), [teams]);
  const teamName = useCallback((id: string) => names.get(id), [names]);
  const { automations: inNeed, count: otherNeeds } = useAutomationNeeds();
  const automations = needs ? inNeed : [];
  const changeView = (next: ListView): void => {
    setOwnView(next.show === 'needs' ? { ...next, show: ownView.show } : next);
    if ((next.show === 'needs') !== needs) goTo({ name: needs ? 'transfers' : 'needs' });
    setSelection(nothing);
  };
  useSearchKey(searchBox);

  // The two routes show different rows, so a selection in one must not act in the other.
  const [shown, setShown] = useState(needs);
  if (shown !== needs) {
    setShown(needs);
    setSelection(nothing);
  }

  useEffect(() => keepList(cache, needs ? 'needs' : 'transfers'), [cache, needs]);
  const latestView = useRef(ownView);
  latestView.current = ownView;
  const savePosition = useCallback(
    (offset: number) => {
      cache.setQueryDefaults(listPositionKey, { gcTime: Number.POSITIVE_INFINITY });
      cache.setQueryData<ListPosition>(listPositionKey, { view: latestView.current, offset });
    },
    [cache],
  );

  const total = pages.total;
  const untouched = view.show === 'all' && view.search === '' && view.kind === 'all' && view.team === '';
  const chosen = selection.mode === 'all' || selection.ids.size > 0;
  const actions = useMemo(
    () =>
      actionsFor(selection, {
        stateNow: statesIn(pages),
        shown: shownStates(asked.show, summary?.states),
      }),
    [selection, pages, summary, asked.show],
  );
  return (
    <div className="transfers">
      <p className="visually-hidden" role="status" aria-live="polite">
        {announcement}
      </p>
      <header className="transfers-head">
        <h1>{messages.transfers.title}</h1>
        <Totals summary={summary} live={live} />
        <PauseAll summary={summary} />
        {total === null || needs ? null : (
          <p className="hint list-older">
            <a href={hrefOf({ name: 'history' })}>{messages.transfers.older}</a>
          </p>
        )}
      </header>
      {error && live ? (
        <Notice tone="bad">
          {fault(error)}{' '}
          <button type="button" className="button-link" onClick={store.reload}>
            {messages.app.tryAgain}
          </button>
        </Notice>
      ) : null}
      {total === 0 && untouched ? null : (
        <ToolBar
          view={view}
          onView={changeView}
          summary={summary}
          otherNeeds={otherNeeds}
          teams={teams}
          searchBox={searchBox}
          selectionBar={
            chosen && total ? (
              <SelectionBar selection={selection} total={total} filter={filterOf(asked)} allowed={actions} onSelect={setSelection} />
            ) : null
          }
        />
      )}
      {total === null && !error ? <Loading /> : null}
      {total === null && error && !live ? (
        <p className="hint" role="status">
          {messages.app.offline.shows}
        </p>
      ) : null}
      {automations.length > 0 ? <AutomationsInNeed automations={automations} /> : null}
      {total === 0 && (automations.length === 0 || view.search !== '') ? (
        <Empty view={asked} onView={changeView} onSend={onSend} onGet={onGet} />
      ) : null}
      {total ? (
        <TransferList
          key={`${asked.show} ${asked.kind} ${asked.team} ${asked.order}`}
          store={store}
          state={state}
          live={live}
          inQueueOrder={view.order === 'queue' && !needs}
          whole={asked.show === 'needs'}
          selection={selection}
          onSelect={setSelection}
          teamName={teamName}
          offset={asked.show === restored.view.show && asked.order === restored.view.order ? restored.offset : 0}
          onOffset={savePosition}
        />
      ) : null}
    </div>
  );
}

/** `/` moves the focus to the search field. */
function useSearchKey(searchBox: { readonly current: HTMLInputElement | null }): void {
  const letters = useLetterKeys();
  useEffect(() => {
    if (!letters) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof HTMLElement && event.target.closest('input, select, textarea, dialog, [role="menu"]')) return;
      if (!searchBox.current) return;
      event.preventDefault();
      searchBox.current.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [letters, searchBox]);
}

function Totals({ summary, live }: { summary: TransferSummary | null; live: boolean }) {
  const format = useFormat();
  const messages = summary ? describeTotals(format, summary, live) : '';
  return messages === '' ? null : <p className="hint figure">{messages}</p>;
}

/** Pauses or resumes all transfers. */
function PauseAll({ summary }: { summary: TransferSummary | null }) {
  const { messages, moment } = useFormat();
  const actions = useTransferActions();
  const { data: status, refetch } = useStatus();
  const states = summary?.states;
  const paused = states?.paused ?? 0;
  // No event announces the global pause, which is in the status. A changed number of paused transfers does.
  useEffect(() => void refetch(), [paused, refetch]);
  const { pauseAll, resumeAll, held, heldUntil } = messages.transfers;
  const globalPause = status?.paused ?? null;
  const running = states ? states.queued + states.transferring > 0 : false;
  // The app's window does not need it: a running agent keeps its machine awake by itself.
  useScreenAwake(!globalPause && (states?.transferring ?? 0) > 0 && desktopBridge() === null);
  if (!globalPause && !running && paused === 0) return null;
  return (
    <div className="hold-all">
      {globalPause ? <p className="hint">{globalPause.until ? heldUntil(moment(globalPause.until)) : held}</p> : null}
      {running && !globalPause ? (
        <button type="button" className="button button-small" onClick={() => actions.all('pauseTransfers')}>
          <PauseIcon /> {pauseAll}
        </button>
      ) : null}
      {globalPause || paused > 0 ? (
        <button type="button" className="button button-small" onClick={() => actions.all('resumeTransfers')}>
          <PlayIcon /> {resumeAll}
        </button>
      ) : null}
    </div>
  );
}

function Loading() {
  const { messages } = useFormat();
  return (
    <div className="rows rows-loading" aria-busy="true">
      <p className="visually-hidden" role="status">
        {messages.transfers.loading}
      </p>
      {[0, 1, 2, 3].map((row) => (
        <div key={row} className="row skeleton" />
      ))}
    </div>
  );
}
