import { useId, useState } from 'react';
import type { ApplicationToken } from '#protocol/agent/tokens.ts';
import { PlusIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useLocale } from '../../messages/locale.ts';
import { Application } from './application.tsx';
import { NewApplication } from './new-application.tsx';
import { useTokens } from './queries.ts';
import { isOver } from './token-times.ts';

/** Applications that use the agent with a token of their own: scopes, calls, deletion. */
export function Applications() {
  const { messages } = useLocale();
  const { applications: texts } = messages.settings;
  const fault = useFaultText();
  const id = useId();
  const { data, error, refetch } = useTokens();
  const [adding, setAdding] = useState(false);
  const [now] = useState(() => new Date());
  const over = (token: ApplicationToken): boolean => isOver(token, now);
  const list = (tokens: readonly ApplicationToken[], label: string) => (
    <ul className="applications" aria-label={label}>
      {tokens.map((token) => (
        <Application key={token.id} token={token} over={over(token)} />
      ))}
    </ul>
  );
  const good = data?.filter((token) => !over(token)) ?? [];
  const ended = data?.filter(over) ?? [];
  return (
    <section className="card settings-part" aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`}>{texts.title}</h2>
      <p className="hint">{texts.text}</p>
      {error ? (
        <Notice tone="bad">
          {fault(error)}{' '}
          <button type="button" className="button-link" onClick={() => refetch()}>
            {messages.app.tryAgain}
          </button>
        </Notice>
      ) : null}
      {!data && !error ? <p className="hint">{messages.app.loading}</p> : null}
      {data && good.length === 0 ? <p>{texts.none}</p> : null}
      {good.length > 0 ? list(good, texts.title) : null}
      {ended.length > 0 ? (
        <details className="more">
          <summary>{texts.endedOnes}</summary>
          {list(ended, texts.endedOnes)}
        </details>
      ) : null}
      {adding ? (
        <NewApplication onDone={() => setAdding(false)} />
      ) : (
        <div>
          <button type="button" className="button button-small" onClick={() => setAdding(true)}>
            <PlusIcon /> {texts.add}
          </button>
        </div>
      )}
    </section>
  );
}
