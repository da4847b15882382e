import { useState } from 'react';
import type { ApplicationToken } from '#protocol/agent/tokens.ts';
import { PlusIcon } from '#ui/icons.tsx';
import { useLocale } from '../../messages/locale.ts';
import { SettingsList } from '../settings-list.tsx';
import { Application } from './application.tsx';
import { NewApplication } from './new-application.tsx';
import { useTokens } from './queries.ts';
import { isOver } from './token-times.ts';

/** Applications that use the agent with a token of their own: scopes, calls, deletion. */
export function Applications() {
  const { messages } = useLocale();
  const { applications: texts } = messages.settings;
  const query = useTokens();
  const { data } = query;
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
    <SettingsList title={texts.title} text={texts.text} query={query}>
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
    </SettingsList>
  );
}
