import { useRef, useState } from 'react';
import { AgentFailure, sentenceOf } from '../agent/failure.ts';
import { TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { useSignIn, useStatus } from './queries.ts';

/** E-mail and password. The form stays filled in when it fails, and the password gets the focus. */
export function SignInForm() {
  const signIn = useSignIn();
  const status = useStatus();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const passwordField = useRef<HTMLFormElement>(null);
  const wrong = signIn.error instanceof AgentFailure && signIn.error.is('wrong_password');
  return (
    <form
      ref={passwordField}
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate(
          { email: email.trim(), password },
          { onError: () => passwordField.current?.querySelector<HTMLInputElement>('input[type=password]')?.select() },
        );
      }}
    >
      {signIn.error ? (
        <Notice tone="bad">{wrong ? 'The e-mail address or the password is wrong.' : sentenceOf(signIn.error)}</Notice>
      ) : null}
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label="Password"
        type="password"
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <button type="submit" className="button button-primary" disabled={signIn.isPending}>
        {signIn.isPending ? 'Signing in…' : 'Sign in'}
      </button>
      {status.data?.service_url ? <p className="hint">to {status.data.service_url}</p> : null}
    </form>
  );
}
