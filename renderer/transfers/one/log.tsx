import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { TransferLog } from '#protocol/agent/many-transfers.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { useApp } from '../../app/context.ts';
import { useFaultWords } from '../../messages/faults.tsx';
import { phraseWords, sentenced } from '../../messages/said.ts';
import { type Speaking, useSpeaking } from '../../messages/speaking.ts';
import { Spoken } from '../../messages/spoken.tsx';
import { Notice } from '../../ui/notice.tsx';
import { speedWords } from '../speak.ts';

type Entry = TransferLog['records'][number];

/** What became of a transfer, the last first. */
export function Log({ transfer }: { transfer: AgentTransfer }) {
  const { client } = useApp();
  const speaking = useSpeaking();
  const { log } = speaking.messages.transfers.one;
  const fault = useFaultWords();
  const { id, state, waiting, priority, rate_limit_bps: limit } = transfer;
  const { data, error } = useQuery({
    // Read again whenever something happens that is written down.
    queryKey: ['transfer-log', id, state, waiting?.reason ?? '', priority, limit ?? 0],
    queryFn: ({ signal }) => client.call('listTransferLog', { params: { id }, signal }),
    placeholderData: keepPreviousData,
    // What it stands at now it may have stood at before.
    staleTime: 0,
  });
  return (
    <section className="panel" aria-labelledby="log-heading">
      <h2 id="log-heading">{log.title}</h2>
      {error ? <Notice tone="bad">{fault(error)}</Notice> : null}
      {!data && !error ? <p className="hint">{speaking.messages.app.loading}</p> : null}
      {data && data.records.length === 0 ? <p className="hint">{log.none}</p> : null}
      {data && data.records.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <ol className="log" aria-label={log.title} tabIndex={0}>
          {data.records.toReversed().map((entry, index) => (
            <li key={`${entry.at} ${entry.event} ${data.records.length - index}`}>
              <time dateTime={entry.at} className="figure">
                {momentOf(speaking, entry.at)}
              </time>
              <span>
                {log.events[entry.event]}
                <Detail entry={entry} />
              </span>
            </li>
          ))}
        </ol>
      ) : null}
    </section>
  );
}

function Detail({ entry: { event, detail } }: { entry: Entry }) {
  const speaking = useSpeaking();
  const { one, act } = speaking.messages.transfers;
  if (detail === '') return null;
  switch (event) {
    case 'paused':
      return <span className="log-detail">{one.log.until(speaking.moment(detail))}</span>;
    case 'priority':
      return <span className="log-detail">{detail === 'high' || detail === 'low' ? act[detail] : act.normal}</span>;
    case 'rate_limit':
      return <span className="log-detail">{detail === '0' ? one.log.noLimit : speedWords(speaking, Number(detail))}</span>;
    default:
      return (
        <span className="log-detail">
          <Spoken said={sentenced(phraseWords(detail, speaking.messages))} />
        </span>
      );
  }
}

/** With seconds: what happens to a transfer may happen quickly. */
function momentOf({ locale }: Speaking, iso: string): string {
  const at = new Date(iso);
  const today = at.toDateString() === new Date().toDateString();
  const day = today ? {} : ({ day: 'numeric', month: 'short' } as const);
  return new Intl.DateTimeFormat(locale, { ...day, hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(at);
}
