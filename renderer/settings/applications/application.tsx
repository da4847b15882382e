import { useState } from 'react';
import type { ApplicationToken } from '#protocol/agent/tokens.ts';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { useEndToken, useTokenCalls } from './queries.ts';
import { isSet } from './token-times.ts';

interface ApplicationProps {
  readonly token: ApplicationToken;
  readonly over: boolean;
}

/** The focus moves to this button when it is rendered, so that a hasty Enter deletes nothing. */
const takeFocus = (button: HTMLButtonElement | null): void => button?.focus();

/** One application: its scopes, its last call, and the button to delete its token. */
export function Application({ token, over }: ApplicationProps) {
  const { messages, moment } = useFormat();
  const { applications: texts } = messages.settings;
  const fault = useFaultText();
  const end = useEndToken();
  const [asking, setAsking] = useState(false);
  const [open, setOpen] = useState(false);
  const { id, name } = token;
  const facts = [
    token.scopes.map((scope) => texts.short[scope]).join(', '),
    isSet(token.last_used_at) ? texts.used(moment(token.last_used_at)) : texts.unused,
    isSet(token.revoked_at) ? texts.ended(moment(token.revoked_at)) : isSet(token.expires_at) ? texts.until(moment(token.expires_at)) : '',
  ];
  return (
    <li className="application">
      <div className="application-head">
        <div>
          <p className="field-name" dir="auto">
            {name}
          </p>
          <p className="hint">{facts.filter(Boolean).join(' · ')}</p>
        </div>
        <button
          type="button"
          className="button button-small"
          aria-expanded={open}
          aria-label={texts.callsOf(name)}
          onClick={() => setOpen(!open)}
        >
          {texts.calls}
        </button>
        {over || asking ? null : (
          <button
            type="button"
            className="button button-small button-danger"
            aria-label={texts.endOf(name)}
            onClick={() => setAsking(true)}
          >
            {texts.end}
          </button>
        )}
      </div>
      {asking && !over ? (
        <div className="application-end" role="alert">
          <p>{texts.sure(name)}</p>
          {end.error ? <Notice tone="bad">{fault(end.error)}</Notice> : null}
          <button type="button" className="button button-small button-danger" disabled={end.isPending} onClick={() => end.mutate(id)}>
            {texts.endNow}
          </button>
          <button type="button" className="button button-small" ref={takeFocus} onClick={() => setAsking(false)}>
            {texts.keep}
          </button>
        </div>
      ) : null}
      {open ? <Calls token={token} /> : null}
    </li>
  );
}

/** The application's calls, including refused ones. */
function Calls({ token: { id, name } }: { token: ApplicationToken }) {
  const { messages, number, moment } = useFormat();
  const { applications: texts } = messages.settings;
  const fault = useFaultText();
  const { data, error } = useTokenCalls(id);
  if (error) return <Notice tone="bad">{fault(error)}</Notice>;
  if (!data) return <p className="hint">{messages.app.loading}</p>;
  if (data.length === 0) return <p className="hint">{texts.noCalls}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <ol className="calls" aria-label={texts.callsOf(name)} tabIndex={0}>
      {data.map(({ method, path, status, address, count, first_at, last_at }) => (
        <li key={`${first_at} ${method} ${path} ${status} ${address}`} className={status >= 400 ? 'bad' : undefined}>
          <time dateTime={last_at} className="figure">
            {moment(last_at)}
          </time>
          <span className="mono">
            {method} {path}
          </span>
          <span className="hint">
            {texts.answered(String(status), address)}
            {count > 1 ? ` · ${texts.times(number(count))}` : ''}
          </span>
        </li>
      ))}
    </ol>
  );
}
