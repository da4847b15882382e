import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../messages/fault-text.tsx';
import { useFormat } from '../messages/format.ts';
import { Localized } from '../messages/localized.tsx';
import { phraseText } from '../messages/localized-text.ts';
import { useOpenWarnings, withDismissed } from '../notices/open-warnings.ts';
import { useStatus } from '../session/queries.ts';
import { serviceName } from '../session/service-address.ts';
import { useChangeSettings, useSettings } from '../settings/queries.ts';
import { KeysButton } from './keys-button.tsx';
import { Licences } from './licences.tsx';
import { SupportBundle } from './support-bundle.tsx';
import { useAboutTexts } from './texts.ts';
import '../ui/styles/lazy/views.css';

/** Versions, the agent's warnings, and help for problems. */
export function About() {
  const { messages, moment } = useFormat();
  const fault = useFaultText();
  const texts = useAboutTexts();
  const { data, error, isPending, refetch } = useStatus();
  const warnings = useOpenWarnings();
  const settings = useSettings();
  const change = useChangeSettings();
  return (
    <div className="page">
      <header>
        <h1>{messages.app.aboutLongshore}</h1>
        <p className="hint">{texts.lead}</p>
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
      {warnings.length > 0 ? (
        <section className="settings-part-plain" aria-label={texts.notices}>
          {warnings.map((warning) => (
            <Notice key={warning} tone="warn">
              <span>
                <Localized text={phraseText(warning, messages)} />{' '}
                <button
                  type="button"
                  className="button-link"
                  onClick={() => change.mutate({ dismissed_warnings: withDismissed(settings.data?.dismissed_warnings ?? [], warning) })}
                >
                  {texts.putAway}
                </button>
              </span>
            </Notice>
          ))}
        </section>
      ) : null}
      {data ? (
        <section className="card settings-part">
          <dl className="facts">
            <dt>{texts.version}</dt>
            <dd>{data.version}</dd>
            <dt>{texts.service}</dt>
            <dd>{data.service_url ? serviceName(data.service_url) : texts.noService}</dd>
            <dt>{texts.started}</dt>
            <dd>{moment(data.started_at)}</dd>
            <dt>{texts.api}</dt>
            <dd>
              <a href="/docs" target="_blank" rel="noreferrer noopener">
                {texts.apiText}
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
