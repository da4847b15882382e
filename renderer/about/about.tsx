import { useFaultWords } from '../messages/faults.tsx';
import { phraseWords } from '../messages/said.ts';
import { useSpeaking } from '../messages/speaking.ts';
import { Spoken } from '../messages/spoken.tsx';
import { useStatus } from '../session/queries.ts';
import { serviceName } from '../session/service-address.ts';
import { Notice } from '../ui/notice.tsx';
import { KeysButton } from './keys-button.tsx';
import { Licences } from './licences.tsx';
import { SupportBundle } from './support-bundle.tsx';

/** Versions, the agent's warnings, and help for problems. */
export function About() {
  const { messages, moment } = useSpeaking();
  const fault = useFaultWords();
  const { about: say } = messages;
  const { data, error, isPending, refetch } = useStatus();
  return (
    <div className="place-page">
      <header>
        <h1>{say.title}</h1>
        <p className="hint">{say.lead}</p>
      </header>
      {error ? (
        <Notice tone="bad">
          {fault(error)}{' '}
          <button type="button" className="button-link" onClick={() => refetch()}>
            {messages.app.tryAgain}
          </button>
        </Notice>
      ) : null}
      {isPending ? <p className="hint">{messages.app.loading}</p> : null}
      {data && data.warnings.length > 0 ? (
        <section className="settings-part-plain" aria-label={say.notices}>
          {data.warnings.map((warning) => (
            <Notice key={warning} tone="warn">
              <Spoken said={phraseWords(warning, messages)} />
            </Notice>
          ))}
        </section>
      ) : null}
      {data ? (
        <section className="card settings-part">
          <dl className="facts">
            <dt>{say.version}</dt>
            <dd>{data.version}</dd>
            <dt>{say.service}</dt>
            <dd>{data.service_url ? serviceName(data.service_url) : say.noService}</dd>
            <dt>{say.started}</dt>
            <dd>{moment(data.started_at)}</dd>
            <dt>{say.api}</dt>
            <dd>
              <a href="/docs" target="_blank" rel="noreferrer noopener">
                {say.apiText}
              </a>
            </dd>
          </dl>
          <div>
            <KeysButton />
          </div>
        </section>
      ) : null}
      <SupportBundle />
      <Licences />
    </div>
  );
}
