import type { OperatorLogEntry } from '#protocol/hosted/operator.ts';
import { LogIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/operator.ts';
import { en } from '../../messages/en/console/operator.ts';
import { useTexts } from '../app/texts.ts';
import { KeysetList } from '../ui/keyset-list.tsx';
import { ViewState } from '../ui/view-states.tsx';
import { useOperatorLog } from './calls.ts';
import { OperatorQuery } from './operator-query.tsx';

/** What operators did. */
export function OperatorLog() {
  const { messages } = useTexts({ en, de });
  const log = useOperatorLog();
  return (
    <OperatorQuery query={log}>
      {({ pages }) => {
        const entries = pages.flatMap(({ records }) => records);
        if (entries.length === 0) return <ViewState icon={<LogIcon />} title={messages.noLog} text={messages.noLogText} />;
        return (
          <section className="panel">
            <p className="hint">{messages.logText}</p>
            <KeysetList
              label={messages.parts.log}
              items={entries}
              keyOf={({ id }) => id}
              rowHeight={68}
              row={(entry) => <Entry entry={entry} />}
              {...(log.hasNextPage && { more: { loading: log.isFetchingNextPage, load: () => void log.fetchNextPage() } })}
            />
          </section>
        );
      }}
    </OperatorQuery>
  );
}

function Entry({ entry: { action, actor, address, target, details, at } }: { readonly entry: OperatorLogEntry }) {
  const { messages, number, moment, exactly } = useTexts({ en, de });
  const { reason, count, kind } = details;
  return (
    <div className="row operator-row">
      <div className="row-main">
        <span className="row-name" dir="auto">
          {messages.actions[action]}
          {target === undefined ? null : <bdi> {target.name}</bdi>}
        </span>
        {typeof reason === 'string' ? (
          <span className="operator-reason" dir="auto">
            {reason}
          </span>
        ) : null}
        <span className="row-facts">
          <span>{actor.name || messages.actors[actor.kind]}</span>
          {address === '' ? null : <span>{address}</span>}
          {typeof count === 'number' ? <span>{messages.times(number(count))}</span> : null}
          {typeof kind === 'string' ? <span className="mono">{kind}</span> : null}
        </span>
      </div>
      <time className="hint" dateTime={at} title={exactly(at)}>
        {moment(at)}
      </time>
    </div>
  );
}
