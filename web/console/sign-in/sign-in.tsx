import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import { TextField } from '#ui/field.tsx';
import type { SameShape } from '#ui/locale.ts';
import { Notice } from '#ui/notice.tsx';
import { forgetSignInAddress, signInAddress } from '../../common/sign-in-address.ts';
import { de } from '../../messages/de/console/sign-in.ts';
import { en } from '../../messages/en/console/sign-in.ts';
import { accountKey } from '../app/account.ts';
import { goTo } from '../app/address.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { FullPage } from '../app/full-page.tsx';
import { teamIn } from '../app/team-in.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { PasskeyRefused, passkeyCalls, passkeysWork, provePasskey } from '../security/passkey.ts';
import { useFaultText } from '../ui/fault-text.ts';

const calls = defineCalls({
  ...passkeyCalls,
  createPasskeySession: { method: 'POST', path: '/v1/sessions/passkey', reply: { status: 200 } },
  createSession: { method: 'POST', path: '/v1/sessions', reply: { status: 200 } },
  currentUser: { method: 'GET', path: '/v1/users/me', reply: { status: 200 } },
});

interface SignInProps {
  /** Where the person wanted to go. */
  readonly next: string;
  /** A session that stood has ended. */
  readonly ended: boolean;
}

/** Follows the language, which may be chosen on this page. */
const said = (words: (messages: SameShape<typeof en>) => string): ReactElement => textIn({ en, de }, ({ messages }) => words(messages));

/** The sign-in by e-mail address and password, with a second factor where there is one, or by a passkey alone. */
export default function SignIn({ next, ended }: SignInProps) {
  const { messages } = useTexts({ en, de });
  const api = useApi(calls);
  const cache = useQueryClient();
  const fault = useFaultText();
  const [email, setEmail] = useState(signInAddress);
  const [password, setPassword] = useState('');
  /** Null until the service asks for a second factor. */
  const [code, setCode] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ReactNode>(null);

  const signIn = async (open: () => Promise<unknown>): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await open();
      forgetSignInAddress();
      cache.setQueryData(accountKey, await api.call('currentUser', { query: { watch: teamIn(next) } }));
      goTo(next, { replace: true });
    } catch (error) {
      setBusy(false);
      if (error instanceof ServiceError && error.error === 'mfa_required' && code === null) return setCode('');
      setProblem(explain(error));
    }
  };
  const explain = (error: unknown): ReactNode => {
    if (error instanceof PasskeyRefused) return said(({ passkeyRefused }) => passkeyRefused);
    if (!(error instanceof ServiceError)) return fault(error);
    if (error.error === 'wrong_password') return said(({ wrong }) => wrong);
    if (error.error === 'mfa_wrong') return said(({ passkeyRefused, codeWrong }) => (code === null ? passkeyRefused : codeWrong));
    return fault(error);
  };
  const byPasskey = () => signIn(async () => api.call('createPasskeySession', { body: { passkey: await provePasskey(api) } }));
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (email.trim() === '' || password === '') {
      setProblem(said(({ missing }) => missing));
      return;
    }
    const second = code?.trim() ? { code: code.trim() } : {};
    await signIn(() => api.call('createSession', { body: { email: email.trim(), password, ...second } }));
  };

  return (
    <FullPage title={messages.title}>
      {ended && problem === null ? <Notice tone="plain">{messages.ended}</Notice> : null}
      <form className="form" noValidate aria-busy={busy} onSubmit={(event) => void send(event)}>
        <TextField
          label={messages.email}
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label={messages.password}
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {code === null ? null : (
          <>
            <Notice tone="plain">{messages.secondFactor}</Notice>
            <TextField
              label={messages.code}
              name="code"
              autoComplete="one-time-code"
              spellCheck={false}
              required
              autoFocus
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
          </>
        )}
        {problem === null ? null : <Notice tone="bad">{problem}</Notice>}
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? messages.signingIn : messages.signIn}
        </button>
        {passkeysWork() ? (
          <button type="button" className="button" disabled={busy} onClick={() => void byPasskey()}>
            {messages.passkey}
          </button>
        ) : null}
        <a className="button" href={next === '/' ? '/sso/sign-in' : `/sso/sign-in?${new URLSearchParams({ next })}`}>
          {messages.company}
        </a>
        <p className="hint">
          <a href="/password">{messages.forgot}</a>
        </p>
      </form>
    </FullPage>
  );
}
