import { useId, useMemo, useState } from 'react';
import { hrefOf } from '../app/route.ts';
import { useFaultWords } from '../messages/faults.tsx';
import { useSpeaking } from '../messages/speaking.ts';
import { useNamedTeams } from '../session/named-teams.ts';
import { useSettings } from '../settings/queries.ts';
import { useSettled } from '../transfers/list/use-list.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { byDay } from './days.ts';
import { HistoryRow } from './history-row.tsx';
import { type HistoryFilter, useHistory } from './queries.ts';

/** Sent and received packages, newest first, with a search. */
export function History() {
  const { messages, number, locale } = useSpeaking();
  const fault = useFaultWords();
  const id = useId();
  const { history: say } = messages;
  const [search, setSearch] = useState('');
  const [kind, setKind] = useState<HistoryFilter['kind']>('all');
  const [how, setHow] = useState<HistoryFilter['how']>('all');
  const name = useSettled(search.trim(), 200);
  const { data, error, isPending, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = useHistory({ name, kind, how });
  const { data: settings } = useSettings();
  const all = useNamedTeams();
  const teams = useMemo(() => new Map(all.map(({ id, name }) => [id, name])), [all]);
  const transfers = useMemo(() => data?.pages.flatMap(({ records }) => records) ?? [], [data]);
  const days = useMemo(() => byDay(transfers, new Date(), locale), [transfers, locale]);
  const total = data?.pages.at(-1)?.metadata.total ?? 0;
  const untouched = name === '' && kind === 'all' && how === 'all';
  return (
    <div className="place-page history">
      <h1>{say.title}</h1>
      <search className="history-tools">
        <TextField label={say.search} type="search" value={search} onChange={(event) => setSearch(event.target.value)} />
        <SelectField label={say.kind.label} value={kind} onChange={(event) => setKind(event.target.value as HistoryFilter['kind'])}>
          <option value="all">{say.kind.all}</option>
          <option value="upload">{say.kind.upload}</option>
          <option value="download">{say.kind.download}</option>
        </SelectField>
        <SelectField label={say.how.label} value={how} onChange={(event) => setHow(event.target.value as HistoryFilter['how'])}>
          <option value="all">{say.how.all}</option>
          <option value="done">{say.how.done}</option>
          <option value="cancelled">{say.how.cancelled}</option>
        </SelectField>
      </search>
      {error ? (
        <Notice tone="bad">
          {fault(error)}{' '}
          <button type="button" className="button-link" onClick={() => refetch()}>
            {messages.app.tryAgain}
          </button>
        </Notice>
      ) : null}
      {isPending ? (
        <p className="hint" role="status">
          {say.loading}
        </p>
      ) : null}
      {data && transfers.length === 0 ? (
        untouched ? (
          <section className="empty">
            <h2>{say.empty.title}</h2>
            <p>{say.empty.text}</p>
          </section>
        ) : (
          <p className="hint" role="status">
            {say.noneFound}
          </p>
        )
      ) : null}
      <div>
        {days.map((day, index) => (
          <section key={day.at} className="history-day" aria-labelledby={`${id}-${index}`}>
            <h2 id={`${id}-${index}`}>{day.label}</h2>
            <ul className="history-list">
              {day.transfers.map((transfer) => (
                <HistoryRow key={transfer.id} transfer={transfer} teamName={teams.get(transfer.team_id) ?? null} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {hasNextPage ? (
        <div>
          <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {say.more(number(total - transfers.length))}
          </button>
        </div>
      ) : null}
      {settings && settings.history_days > 0 && transfers.length > 0 ? (
        <p className="hint">
          {say.kept(number(settings.history_days), settings.history_days === 1)} <a href={hrefOf({ place: 'settings' })}>{say.change}</a>
        </p>
      ) : null}
    </div>
  );
}
