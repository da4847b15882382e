import { useId, useMemo, useState } from 'react';
import { SelectField, TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { hrefOf } from '../app/route.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useFormat } from '../messages/format.ts';
import { useNamedTeams } from '../session/named-teams.ts';
import { useSettings } from '../settings/queries.ts';
import { useSettled } from '../transfers/list/use-list.ts';
import { byDay } from './days.ts';
import { HistoryRow } from './history-row.tsx';
import { type HistoryFilter, useHistory } from './queries.ts';
import '../ui/styles/lazy/views.css';

/** Every transfer, newest first, with a search through names, recipients, Portals and files. */
export function History() {
  const { messages, number, tag } = useFormat();
  const fault = useFaultText();
  const id = useId();
  const { history: texts } = messages;
  const [search, setSearch] = useState('');
  const [kind, setKind] = useState<HistoryFilter['kind']>('all');
  const [how, setHow] = useState<HistoryFilter['how']>('all');
  const asked = useSettled(search.trim(), 200);
  const { data, error, isPending, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = useHistory({ search: asked, kind, how });
  const { data: settings } = useSettings();
  const all = useNamedTeams();
  const teams = useMemo(() => new Map(all.map(({ id, name }) => [id, name])), [all]);
  const transfers = useMemo(() => data?.pages.flatMap(({ records }) => records) ?? [], [data]);
  const days = useMemo(() => byDay(transfers, new Date(), tag), [transfers, tag]);
  const total = data?.pages.at(-1)?.metadata.total ?? 0;
  const untouched = asked === '' && kind === 'all' && how === 'all';
  return (
    <div className="page history">
      <h1>{texts.title}</h1>
      <search className="history-tools">
        <TextField label={texts.search} type="search" value={search} onChange={(event) => setSearch(event.target.value)} />
        <SelectField label={texts.kind.label} value={kind} onChange={(event) => setKind(event.target.value as HistoryFilter['kind'])}>
          <option value="all">{texts.kind.all}</option>
          <option value="upload">{texts.kind.upload}</option>
          <option value="download">{texts.kind.download}</option>
        </SelectField>
        <SelectField label={texts.how.label} value={how} onChange={(event) => setHow(event.target.value as HistoryFilter['how'])}>
          <option value="all">{texts.how.all}</option>
          <option value="open">{texts.how.open}</option>
          <option value="done">{texts.how.done}</option>
          <option value="failed">{texts.how.failed}</option>
          <option value="cancelled">{texts.how.cancelled}</option>
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
          {texts.loading}
        </p>
      ) : null}
      {data && transfers.length === 0 ? (
        untouched ? (
          <section className="empty">
            <h2>{texts.empty.title}</h2>
            <p>{texts.empty.text}</p>
          </section>
        ) : (
          <p className="hint" role="status">
            {asked !== '' && asked.length < 3 ? texts.tooShort : texts.noneFound}
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
            {texts.more(number(total - transfers.length))}
          </button>
        </div>
      ) : null}
      {settings && settings.history_days > 0 && transfers.length > 0 ? (
        <p className="hint">
          {texts.retention(number(settings.history_days), settings.history_days === 1)}{' '}
          <a href={hrefOf({ name: 'settings' })}>{texts.change}</a>
        </p>
      ) : null}
    </div>
  );
}
