import { useMemo, useState } from 'react';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { LedgerEntry } from '#protocol/agent/automations/history.ts';
import { TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { hrefOf } from '../../app/route.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { Localized } from '../../messages/localized.tsx';
import { asSentence, phraseText } from '../../messages/localized-text.ts';
import { useSettled } from '../../transfers/list/use-list.ts';
import { isUpload } from '../describe-automation.ts';
import { ForgetQuestion } from './forget-question.tsx';
import { useLedger } from './queries.ts';

/** What an automation knows as sent or received. What is taken out of it counts as new. */
export function Ledger({ automation }: { automation: Automation }) {
  const { messages, number } = useFormat();
  const { ledger: texts } = messages.automations;
  const fault = useFaultText();
  const way = isUpload(automation) ? 'upload' : 'download';
  const [typed, setTyped] = useState('');
  const search = useSettled(typed.trim(), 200);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useLedger(automation.id, search);
  const entries = useMemo(() => data?.pages.flatMap(({ records }) => records) ?? [], [data]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asking, setAsking] = useState<'chosen' | 'all' | null>(null);
  const total = data?.pages.at(-1)?.metadata.total ?? 0;
  const ids = entries.filter((entry) => chosen.has(entry.id) && canBeForgotten(entry)).map(({ id }) => id);
  const choose = (id: string, on: boolean): void => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  return (
    <section className="panel panel-wide" aria-labelledby="ledger-heading">
      <div className="panel-head">
        <h2 id="ledger-heading">{texts.title[way]}</h2>
        {total > 0 ? <p className="hint figure">{texts.total(number(total), total === 1)}</p> : null}
      </div>
      <p className="hint">{texts.text[way]}</p>
      {error ? (
        <Notice tone="bad">
          {fault(error)}{' '}
          <button type="button" className="button-link" onClick={() => void refetch()}>
            {messages.app.tryAgain}
          </button>
        </Notice>
      ) : null}
      {!data && !error ? <p className="hint">{messages.app.loading}</p> : null}
      {data && (total > 0 || search !== '') ? (
        <TextField label={texts.search} type="search" value={typed} onChange={({ target }) => setTyped(target.value)} />
      ) : null}
      {data && entries.length === 0 ? (
        <p className="hint" role="status">
          {search === '' ? texts.none : texts.noneFound}
        </p>
      ) : null}
      {entries.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <ul className="ledger" aria-label={texts.title[way]} tabIndex={0}>
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} chosen={chosen.has(entry.id)} onChoose={choose} />
          ))}
        </ul>
      ) : null}
      {asking ? (
        <ForgetQuestion
          id={automation.id}
          way={way}
          what={asking === 'all' ? 'all' : ids}
          onClose={(forgotten) => {
            setAsking(null);
            if (forgotten) setChosen(new Set());
          }}
        />
      ) : (
        <div className="panel-acts">
          {hasNextPage ? (
            <button type="button" className="button button-small" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {texts.more(number(total - entries.length))}
            </button>
          ) : null}
          {ids.length > 0 ? (
            <>
              <button type="button" className="button button-small button-danger" onClick={() => setAsking('chosen')}>
                {texts.forget(number(ids.length), ids.length === 1)}
              </button>
              <button type="button" className="button button-small" onClick={() => setChosen(new Set())}>
                {texts.clear}
              </button>
            </>
          ) : entries.length > 0 && search === '' ? (
            <button type="button" className="button button-small" onClick={() => setAsking('all')}>
              {texts.forgetAll}
            </button>
          ) : null}
        </div>
      )}
    </section>
  );
}

/** What is under way stays: its transfer would not know where it belongs. */
const canBeForgotten = ({ state }: LedgerEntry): boolean => state !== 'sending' && state !== 'receiving';

interface EntryProps {
  readonly entry: LedgerEntry;
  readonly chosen: boolean;
  readonly onChoose: (id: string, on: boolean) => void;
}

function Entry({ entry, chosen, onChoose }: EntryProps) {
  const { messages, moment, size } = useFormat();
  const { ledger: texts } = messages.automations;
  const { id, path, state, at, transfer_id: transfer, message } = entry;
  return (
    <li className={`entry entry-${state}`}>
      <input
        type="checkbox"
        className="row-check"
        checked={chosen && canBeForgotten(entry)}
        disabled={!canBeForgotten(entry)}
        aria-label={texts.select(path)}
        onChange={({ target }) => onChoose(id, target.checked)}
      />
      <div className="entry-text">
        <p className="entry-path" dir="auto">
          {transfer ? <a href={hrefOf({ name: 'transfer', id: transfer })}>{path}</a> : path}
        </p>
        {message ? (
          <p className="log-detail">
            <Localized text={asSentence(phraseText(message, messages))} />
          </p>
        ) : null}
      </div>
      <span className="entry-state">{texts.state[state]}</span>
      <span className="figure">{size(entry.size)}</span>
      <time className="figure" dateTime={at}>
        {moment(at)}
      </time>
    </li>
  );
}
