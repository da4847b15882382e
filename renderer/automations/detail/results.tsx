import type { Automation } from '#protocol/agent/automations/automation.ts';
import { Notice } from '#ui/notice.tsx';
import { hrefOf } from '../../app/route.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { Localized } from '../../messages/localized.tsx';
import { asSentence, phraseText } from '../../messages/localized-text.ts';
import { useResults } from './queries.ts';

/** What an automation did last, with the way to each transfer. */
export function Results({ automation }: { automation: Automation }) {
  const { messages, moment } = useFormat();
  const { results: texts } = messages.automations;
  const fault = useFaultText();
  const { data, error } = useResults(automation.id);
  return (
    <section className="panel" aria-labelledby="results-heading">
      <h2 id="results-heading">{texts.title}</h2>
      {error ? <Notice tone="bad">{fault(error)}</Notice> : null}
      {!data && !error ? <p className="hint">{messages.app.loading}</p> : null}
      {data?.length === 0 ? <p className="hint">{texts.none}</p> : null}
      {data && data.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <ol className="log results" aria-label={texts.title} tabIndex={0}>
          {data.map(({ at, kind, name, transfer_id: transfer, message }, index) => (
            <li key={`${at} ${kind} ${name} ${data.length - index}`} className={`result-${kind}`}>
              <time dateTime={at} className="figure">
                {moment(at)}
              </time>
              <span>
                <span className="result-kind">{texts.kind[kind]}</span>{' '}
                {transfer ? (
                  <a href={hrefOf({ name: 'transfer', id: transfer })} dir="auto" title={texts.transferOf(name)}>
                    {name}
                  </a>
                ) : (
                  <span dir="auto">{name}</span>
                )}
                {message === '' ? null : (
                  <span className="log-detail">
                    <Localized text={asSentence(phraseText(message, messages))} />
                  </span>
                )}
              </span>
            </li>
          ))}
        </ol>
      ) : null}
    </section>
  );
}
