import { type FormEvent, type ReactNode, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import type { SsoApp } from '#protocol/hosted/sso-sign-in.ts';
import { TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/sso-sign-in.ts';
import { en } from '../../messages/en/console/sso-sign-in.ts';
import { useApi } from '../app/api.ts';
import { FullPage } from '../app/full-page.tsx';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { appRefusal, leaveFor, rememberApp, ssoSignInCalls } from './calls.ts';

interface AddressFormProps {
  /** Where the person wanted to go. */
  readonly next: string;
  /** The program that is to be signed in; this browser if there is none. */
  readonly app?: SsoApp;
  /** The address that is typed in already. */
  readonly address?: string;
}

/** Asks for the e-mail address, and goes to the provider of the company that it belongs to. */
export function AddressForm({ next, app, address = '' }: AddressFormProps) {
  const { messages } = useTexts({ en, de });
  const api = useApi(ssoSignInCalls);
  const fault = useFaultText();
  const [typed, setTyped] = useState(address);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ReactNode>(null);
  const cancelled = app ? appRefusal(app, 'access_denied') : null;
  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    if (typed.trim() === '') return setProblem(messages.missing);
    setBusy(true);
    setProblem(null);
    try {
      rememberApp(app ?? null);
      const { url } = await api.call('startSso', { body: { company: typed.trim(), next, ...(app && { app }) } });
      leaveFor(url);
    } catch (error) {
      setBusy(false);
      setProblem(error instanceof ServiceError && error.error === 'sso_refused' ? messages.noneHere : fault(error));
    }
  };
  return (
    <FullPage title={app ? messages.appTitle : messages.title}>
      <p className="hint">{app ? messages.appText : messages.text}</p>
      <form className="form" noValidate aria-busy={busy} onSubmit={(event) => void start(event)}>
        <TextField
          label={messages.email}
          type="email"
          name="email"
          autoComplete="email"
          required
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {problem === null ? null : <Notice tone="bad">{problem}</Notice>}
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? messages.leading : messages.goOn}
        </button>
        {app ? (
          cancelled === null ? null : (
            <a className="button" href={cancelled}>
              {messages.cancelApp}
            </a>
          )
        ) : (
          <p className="hint">
            <a href={next === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next })}`}>{messages.byPassword}</a>
          </p>
        )}
      </form>
    </FullPage>
  );
}
