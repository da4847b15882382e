import { type FormEvent, useEffect, useRef, useState } from 'react';
import { limits } from '#protocol/limits.ts';
import { TextField } from '#ui/field.tsx';
import { useLocale } from '../messages/account.ts';
import { usePageEnvironment } from './environment.ts';
import { type Ended, endedBy, newPasswordProblem, type Problem, problemText } from './faults.ts';
import { Note } from './note.tsx';
import { PasswordField } from './password-field.tsx';

type View = { readonly state: 'ask' | 'choose' | 'done' } | { readonly state: 'ended'; readonly why: Ended };

/** A forgotten password: without a token the form asks for a mail; with a token a new password is chosen. */
export function PasswordPage() {
  const { token, baseUrl } = usePageEnvironment();
  const { messages } = useLocale();
  const [view, setView] = useState<View>({ state: token === '' ? 'ask' : 'choose' });
  useEffect(() => {
    document.title = `${view.state === 'ask' ? messages.password.askTitle : messages.password.title} · Longshore`;
  }, [view, messages]);
  switch (view.state) {
    case 'ask':
      return <AskForm />;
    case 'choose':
      return <ChooseForm onEnd={(why) => setView({ state: 'ended', why })} onDone={() => setView({ state: 'done' })} />;
    case 'done':
      return (
        <Note tone="status" title={messages.password.done} text={messages.password.doneText}>
          <a className="button button-primary" href={`${baseUrl}/sign-in`}>
            {messages.password.toSignIn}
          </a>
        </Note>
      );
    case 'ended':
      return (
        <Note tone="alert" {...messages.password[view.why]}>
          <button type="button" className="button button-primary" onClick={() => setView({ state: 'ask' })}>
            {messages.password.askAgain}
          </button>
        </Note>
      );
  }
}

function AskForm() {
  const { api } = usePageEnvironment();
  const locale = useLocale();
  const { messages } = locale;
  const [email, setEmail] = useState('');
  const [asked, setAsked] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await api.call('requestPasswordReset', { body: { email: email.trim() } });
      setAsked(email.trim());
    } catch (error) {
      setProblem({ error });
    }
    setBusy(false);
  };
  if (asked !== null) {
    return (
      <Note tone="status" title={messages.password.asked} text={messages.password.askedText(asked)}>
        <p className="hint">{messages.password.askedHint}</p>
        <button type="button" className="button" onClick={() => setAsked(null)}>
          {messages.password.askAgain}
        </button>
      </Note>
    );
  }
  return (
    <section className="card account-card">
      <h1>{messages.password.askTitle}</h1>
      <p>{messages.password.askText}</p>
      <form className="form" onSubmit={submit}>
        <TextField
          label={messages.fields.email}
          error={problemText(problem, locale)}
          type="email"
          name="email"
          autoComplete="username"
          required
          maxLength={limits.emailLength}
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? messages.password.asking : messages.password.ask}
        </button>
        <p className="visually-hidden" role="alert">
          {problemText(problem, locale)}
        </p>
      </form>
    </section>
  );
}

function ChooseForm({ onEnd, onDone }: { onEnd: (why: Ended) => void; onDone: () => void }) {
  const { api, token, forgetToken } = usePageEnvironment();
  const locale = useLocale();
  const { messages } = locale;
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const wrong = newPasswordProblem(password);
    setProblem(wrong);
    if (wrong !== null) return form.current?.querySelector('input')?.focus();
    setBusy(true);
    try {
      await api.call('resetPassword', { params: { token }, body: { password } });
      forgetToken();
      return onDone();
    } catch (error) {
      const why = endedBy(error);
      if (why !== null) return onEnd(why);
      setProblem({ error });
    }
    setBusy(false);
  };
  return (
    <section className="card account-card">
      <h1>{messages.password.title}</h1>
      <p>{messages.password.text}</p>
      <form className="form" ref={form} onSubmit={submit} noValidate>
        <PasswordField
          label={messages.fields.newPassword}
          kind="new"
          value={password}
          problem={problemText(problem, locale)}
          onChange={setPassword}
        />
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? messages.password.saving : messages.password.save}
        </button>
        <p className="visually-hidden" role="alert">
          {problemText(problem, locale)}
        </p>
      </form>
    </section>
  );
}
