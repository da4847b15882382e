import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { OperatedTeam } from '#protocol/hosted/operator-teams.ts';
import { BuildingIcon, SearchIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/operator.ts';
import { en } from '../../messages/en/console/operator.ts';
import { changeQuery, useAddress } from '../app/address.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { KeysetList } from '../ui/keyset-list.tsx';
import { useToast } from '../ui/toasts.tsx';
import { ViewState } from '../ui/view-states.tsx';
import { operatorCalls, operatorKey, type TeamFilters, useOperatedTeams } from './calls.ts';
import { OperatorQuery } from './operator-query.tsx';
import { QuotaDialog } from './quota-dialog.tsx';
import { usedShare } from './quota-text.ts';
import { SuspendDialog } from './suspend-dialog.tsx';

/** Milliseconds after the last key until the list is asked for. */
const pause = 250;

/** Every Team of the service. */
export function Teams() {
  const { messages } = useTexts({ en, de });
  const { query } = useAddress();
  const api = useApi(operatorCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const fault = useFaultText();
  const [search, state] = [query.get('search') ?? '', query.get('state') ?? ''];
  const sort = query.get('sort') === 'usage' ? 'usage' : '';
  const filters: TeamFilters = {
    ...(search && { search }),
    ...((state === 'active' || state === 'inactive') && { state }),
    ...(sort && { sort }),
  };
  const teams = useOperatedTeams(filters);
  const [suspending, setSuspending] = useState<OperatedTeam | null>(null);
  const [limiting, setLimiting] = useState<OperatedTeam | null>(null);
  const reactivate = async ({ id, name }: OperatedTeam): Promise<void> => {
    try {
      await api.call('reactivateTeam', { params: { team_id: id } });
      toast({ text: textIn({ en, de }, ({ messages }) => messages.reactivated(name)) });
      await cache.invalidateQueries({ queryKey: operatorKey });
    } catch (error) {
      toast({ text: fault(error), tone: 'bad' });
    }
  };
  return (
    <>
      <Filters search={search} state={state} sort={sort} />
      <OperatorQuery query={teams}>
        {({ pages }) => {
          const found = pages.flatMap(({ records }) => records);
          if (found.length === 0) {
            return (
              <ViewState icon={<BuildingIcon />} title={messages.noTeams} text={messages.noTeamsText}>
                <button type="button" className="button" onClick={() => changeQuery({ search: '', state: '', sort: '' })}>
                  {messages.clear}
                </button>
              </ViewState>
            );
          }
          return (
            <section className="panel">
              <KeysetList
                label={messages.teamList}
                items={found}
                keyOf={({ id }) => id}
                rowHeight={84}
                row={(team) => (
                  <TeamRow
                    team={team}
                    onLimit={() => setLimiting(team)}
                    onChange={() => (team.state === 'active' ? setSuspending(team) : void reactivate(team))}
                  />
                )}
                {...(teams.hasNextPage && { more: { loading: teams.isFetchingNextPage, load: () => void teams.fetchNextPage() } })}
              />
            </section>
          );
        }}
      </OperatorQuery>
      {limiting === null ? null : <QuotaDialog team={limiting} onClose={() => setLimiting(null)} />}
      {suspending === null ? null : <SuspendDialog team={suspending} onClose={() => setSuspending(null)} />}
    </>
  );
}

interface TeamRowProps {
  readonly team: OperatedTeam;
  readonly onChange: () => void;
  readonly onLimit: () => void;
}

/** From this share of a limit on it is marked. */
const nearlyUsed = 0.8;

function TeamRow({ team, onChange, onLimit }: TeamRowProps) {
  const { messages, number, size, day, language } = useTexts({ en, de });
  const { storage, traffic } = team.quotas;
  const share = usedShare(team.quotas);
  const isActive = team.state === 'active';
  return (
    <div className="row operator-row">
      <div className="row-main">
        <span className="row-name" dir="auto">
          {team.name}
        </span>
        <span className="row-facts">
          <span className="mono">{team.subdomain}</span>
          <span>{messages.members(number(team.members), team.members === 1)}</span>
          <span>{messages.packages(number(team.packages), team.packages === 1)}</span>
          <span>{storage ? messages.storedOf(size(storage.used), size(storage.limit)) : size(team.bytes)}</span>
          {traffic ? <span>{messages.trafficOf(size(traffic.used), size(traffic.limit))}</span> : null}
          <span>{messages.created(day(team.created_at))}</span>
        </span>
        {team.owners.length === 0 ? null : <span className="row-facts">{team.owners.join(', ')}</span>}
      </div>
      <div className="row-acts">
        <span className={`pill ${isActive ? 'pill-good' : 'pill-bad'}`}>{messages.states[team.state]}</span>
        {share === null ? null : (
          <span className={`pill ${share >= 1 ? 'pill-bad' : share >= nearlyUsed ? 'pill-warn' : ''}`}>
            {messages.usedShare(new Intl.NumberFormat(language, { style: 'percent' }).format(Math.floor(share * 100) / 100))}
          </span>
        )}
        <button type="button" className="button button-small" aria-label={`${messages.limits}: ${team.name}`} onClick={onLimit}>
          {messages.limits}
        </button>
        <button
          type="button"
          className="button button-small"
          aria-label={`${isActive ? messages.suspend : messages.reactivate}: ${team.name}`}
          onClick={onChange}
        >
          {isActive ? messages.suspend : messages.reactivate}
        </button>
      </div>
    </div>
  );
}

function Filters({ search, state, sort }: { readonly search: string; readonly state: string; readonly sort: string }) {
  const { messages } = useTexts({ en, de });
  const [text, setText] = useState(search);
  const sent = useRef(search);
  useEffect(() => {
    const timer = setTimeout(() => {
      sent.current = text.trim();
      changeQuery({ search: sent.current });
    }, pause);
    return () => clearTimeout(timer);
  }, [text]);
  // Something else changed the address, such as going back.
  useEffect(() => {
    if (search === sent.current) return;
    sent.current = search;
    setText(search);
  }, [search]);
  return (
    <search className="list-filters">
      <div className="search-field">
        <SearchIcon />
        <input
          type="search"
          className="input"
          maxLength={255}
          aria-label={messages.search}
          placeholder={messages.search}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <select className="input" aria-label={messages.byState} value={state} onChange={({ target }) => changeQuery({ state: target.value })}>
        <option value="">{messages.anyState}</option>
        <option value="active">{messages.states.active}</option>
        <option value="inactive">{messages.states.inactive}</option>
      </select>
      <select className="input" aria-label={messages.order} value={sort} onChange={({ target }) => changeQuery({ sort: target.value })}>
        <option value="">{messages.newestFirst}</option>
        <option value="usage">{messages.fullestFirst}</option>
      </select>
    </search>
  );
}
