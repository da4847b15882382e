import { type FormEvent, useId, useRef, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import type { ErrorName } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { TextField } from '#ui/field.tsx';
import { useLocale } from '../messages/account.ts';
import { usePageEnvironment } from './environment.ts';
import { endedBy, newPasswordProblem, type Problem, problemText } from './faults.ts';
import { PasswordField } from './password-field.tsx';

/** The result of an attempt to accept. */
export type Outcome = { readonly is: 'joined' | 'another' | 'given' } | { readonly is: 'failed'; readonly error: unknown };

type Account = 'new' | 'known';
interface Problems {
  readonly name: Problem | null;
  readonly password: Problem | null;
  /** What is about neither field. */
  readonly other: Problem | null;
}
const noProblems: Problems = { name: null, password: null, other: null };

const is = (error: unknown, name: ErrorName): boolean => error instanceof ServiceError && error.error === name;

/**
 * The two ways to accept: sign in, or create an account. The page does not know in advance which one applies, since
 * that would reveal whether the address has an account. After the wrong choice the person is led to the other form.
 */
export function AcceptForm({ email, onEnd }: { email: string; onEnd: (outcome: Outcome) => void }) {
  const { api, token, baseUrl } = usePageEnvironment();
  const locale = useLocale();
  const { messages } = locale;
  const [account, setAccount] = useState<Account>('new');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  /** Null until the service asks for a second factor. */
  const [code, setCode] = useState<string | null>(null);
  const [problems, setProblems] = useState(noProblems);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const group = useId();

  const fail = (error: unknown): void => {
    if (endedBy(error) !== null || is(error, 'team_inactive')) onEnd({ is: 'failed', error });
    else if (is(error, 'not_allowed')) onEnd({ is: 'another' });
    else if (is(error, 'state_conflict')) onEnd({ is: 'given' });
    else if (is(error, 'already_exists')) {
      choose('known');
      setProblems({ ...noProblems, other: 'has_account' });
    } else if (is(error, 'wrong_password')) {
      setProblems({ ...noProblems, password: { error } });
      form.current?.querySelector<HTMLInputElement>('input[name=password]')?.select();
    } else if (is(error, 'mfa_required')) {
      setCode('');
      setProblems(noProblems);
    } else setProblems({ ...noProblems, other: { error } });
  };
  const accept = async (): Promise<void> => {
    if (account === 'new') {
      await api.call('acceptInvitation', { params: { token }, body: { name: name.trim(), password } });
    } else {
      const signedIn = await api.call('auth', { body: { email, password, ...(code?.trim() && { code: code.trim() }) } });
      const credential = { kind: 'user', token: signedIn.token } as const;
      await api.call('acceptInvitation', { params: { token }, body: {}, credential });
    }
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const found: Problems = {
      name: account === 'new' && name.trim() === '' ? 'name_missing' : null,
      password: account === 'new' || password === '' ? newPasswordProblem(password) : null,
      other: null,
    };
    setProblems(found);
    const first = found.name !== null ? 'name' : found.password !== null ? 'password' : null;
    if (first !== null) return form.current?.querySelector<HTMLInputElement>(`input[name=${first}]`)?.focus();
    setBusy(true);
    try {
      await accept();
      return onEnd({ is: 'joined' });
    } catch (error) {
      setBusy(false);
      fail(error);
    }
  };
  function choose(to: Account): void {
    setAccount(to);
    setPassword('');
    setCode(null);
    setProblems(noProblems);
  }

  const texts = {
    name: problemText(problems.name, locale),
    password: problemText(problems.password, locale),
    other: problemText(problems.other, locale),
  };
  const button = account === 'new' ? messages.invitation.join : messages.invitation.signInAndJoin;
  return (
    <form className="form" ref={form} onSubmit={submit} noValidate>
      <fieldset className="account-choice">
        <legend>{messages.invitation.accountQuestion}</legend>
        {(['new', 'known'] as const).map((one) => (
          <label key={one}>
            <input type="radio" name={group} checked={account === one} onChange={() => choose(one)} />
            <span>{one === 'new' ? messages.invitation.asNew : messages.invitation.known}</span>
          </label>
        ))}
      </fieldset>
      {texts.other ? <p className="field-error">{texts.other}</p> : null}
      {/* For password managers, and to show the address. */}
      <TextField label={messages.fields.email} type="email" name="email" autoComplete="username" readOnly value={email} />
      {account === 'new' ? (
        <TextField
          label={messages.fields.name}
          error={texts.name}
          name="name"
          autoComplete="name"
          required
          maxLength={limits.nameLength}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      ) : null}
      <PasswordField
        key={account}
        label={messages.fields.password}
        kind={account === 'new' ? 'new' : 'current'}
        value={password}
        problem={texts.password}
        onChange={setPassword}
      />
      {code === null ? null : (
        <TextField
          label={messages.fields.code}
          hint={messages.fields.codeHint}
          name="code"
          autoComplete="one-time-code"
          spellCheck={false}
          required
          autoFocus
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      )}
      <div className="account-acts">
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? messages.invitation.joining : button}
        </button>
        {account === 'known' ? <a href={`${baseUrl}/password`}>{messages.invitation.forgot}</a> : null}
      </div>
      <p className="visually-hidden" role="alert">
        {[texts.other, texts.name, texts.password].filter(Boolean).join(' ')}
      </p>
    </form>
  );
}
