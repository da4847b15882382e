import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { TransferLog } from '#protocol/agent/transfer-actions.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { hourDigits } from '#ui/format.ts';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../../app/context.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { type Format, useFormat } from '../../messages/format.ts';
import { Localized } from '../../messages/localized.tsx';
import { asSentence, phraseText } from '../../messages/localized-text.ts';
import { formatSpeed } from '../describe-transfer.ts';

type Entry = TransferLog['records'][number];

/** A transfer's log, newest first. */
export function Log({ transfer }: { transfer: AgentTransfer }) {
  const { client } = useApp();
  const format = useFormat();
  const { log } = format.messages.transfers.detail;
  const fault = useFaultText();
  const { id, state, waiting, priority, rate_limit_bps: limit, deadline } = transfer;
  const { data, error } = useQuery({
    // These fields change with each new log entry.
    queryKey: ['transfer-log', id, state, waiting?.reason ?? '', priority, limit ?? 0, deadline?.due_at ?? '', deadline?.state ?? ''],
    queryFn: ({ signal }) => client.call('listTransferLog', { params: { id }, signal }),
    placeholderData: keepPreviousData,
    // The same state may come back later, with more entries.
    staleTime: 0,
  });
  return (
    <section className="panel" aria-labelledby="log-heading">
      <h2 id="log-heading">{log.title}</h2>
      {error ? <Notice tone="bad">{fault(error)}</Notice> : null}
      {!data && !error ? <p className="hint">{format.messages.app.loading}</p> : null}
      {data && data.records.length === 0 ? <p className="hint">{log.none}</p> : null}
      {data && data.records.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <ol className="log" aria-label={log.title} tabIndex={0}>
          {data.records.toReversed().map((entry, index) => (
            <li key={`${entry.at} ${entry.event} ${data.records.length - index}`}>
              <time dateTime={entry.at} className="figure">
                {momentOf(format, entry.at)}
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
  const format = useFormat();
  const { detail: texts, act } = format.messages.transfers;
  if (event === 'due_at' && detail === '') return <span className="log-detail">{texts.deadline.none}</span>;
  if (detail === '') return null;
  switch (event) {
    case 'paused':
      return <span className="log-detail">{texts.log.until(format.moment(detail))}</span>;
    case 'priority':
      return <span className="log-detail">{detail === 'high' || detail === 'low' ? act[detail] : act.normal}</span>;
    case 'due_at':
      return <span className="log-detail">{format.moment(detail)}</span>;
    case 'rate_limit':
      return <span className="log-detail">{detail === '0' ? texts.log.noLimit : formatSpeed(format, Number(detail))}</span>;
    default:
      return (
        <span className="log-detail">
          <Localized text={asSentence(phraseText(detail, format.messages))} />
        </span>
      );
  }
}

/** With seconds, since entries may follow each other quickly. */
function momentOf({ tag }: Format, iso: string): string {
  const at = new Date(iso);
  const today = at.toDateString() === new Date().toDateString();
  const day = today ? {} : ({ day: 'numeric', month: 'short' } as const);
  return new Intl.DateTimeFormat(tag, { ...day, hour: hourDigits(tag), minute: '2-digit', second: '2-digit' }).format(at);
}
