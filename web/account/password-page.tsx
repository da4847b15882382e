import { type FormEvent, useEffect, useRef, useState } from 'react';
import { TextField } from '../common/field.tsx';
import { useTongue } from '../words/account.ts';
import { type Ended, endedBy, faultWords, newPasswordProblem } from './faults.ts';
import { Note } from './note.tsx';
import { PasswordField } from './password-field.tsx';
import { usePlace } from './place.ts';

type View = { readonly state: 'ask' | 'choose' | 'done' } | { readonly state: 'ended'; readonly why: Ended };

/** A forgotten password: without a token the form asks for a mail; with a token a new password is chosen. */
export function PasswordPage() {
  const { token } = usePlace();
  const { words } = useTongue();
  const [view, setView] = useState<View>({ state: token === '' ? 'ask' : 'choose' });
  useEffect(() => {
    document.title = `${view.state === 'ask' ? words.password.askTitle : words.password.title} · Longshore`;
  }, [view, words]);
  switch (view.state) {
    case 'ask':
      return <AskForm />;
    case 'choose':
      return <ChooseForm onEnd={(why) => setView({ state: 'ended', why })} onDone={() => setView({ state: 'done' })} />;
    case 'done':
      return <Note tone="status" title={words.password.done} text={words.password.doneText} />;
    case 'ended':
      return (
        <Note tone="alert" {...words.password[view.why]}>
          <button type="button" className="button button-primary" onClick={() => setView({ state: 'ask' })}>
            {words.password.askAgain}
          </button>
        </Note>
      );
  }
}

function AskForm() {
  const { api } = usePlace();
  const tongue = useTongue();
  const { words } = tongue;
  const [email, setEmail] = useState('');
  const [asked, setAsked] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await api.call('requestPasswordReset', { body: { email: email.trim() } });
      setAsked(email.trim());
    } catch (error) {
      setProblem(faultWords(error, tongue));
    }
    setBusy(false);
  };
  if (asked !== null) {
    return (
      <Note tone="status" title={words.password.asked} text={words.password.askedText(asked)}>
        <p className="hint">{words.password.askedHint}</p>
        <button type="button" className="button" onClick={() => setAsked(null)}>
          {words.password.askAgain}
        </button>
      </Note>
    );
  }
  return (
    <section className="card account-card">
      <h1>{words.password.askTitle}</h1>
      <p>{words.password.askText}</p>
      <form className="form" onSubmit={submit}>
        <TextField
          label={words.fields.email}
          problem={problem}
          type="email"
          name="email"
          autoComplete="username"
          required
          maxLength={254}
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? words.password.asking : words.password.ask}
        </button>
        <p className="visually-hidden" role="alert">
          {problem}
        </p>
      </form>
    </section>
  );
}

function ChooseForm({ onEnd, onDone }: { onEnd: (why: Ended) => void; onDone: () => void }) {
  const { api, token, forgetToken } = usePlace();
  const tongue = useTongue();
  const { words } = tongue;
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const wrong = newPasswordProblem(password, tongue);
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
      setProblem(faultWords(error, tongue));
    }
    setBusy(false);
  };
  return (
    <section className="card account-card">
      <h1>{words.password.title}</h1>
      <p>{words.password.text}</p>
      <form className="form" ref={form} onSubmit={submit} noValidate>
        <PasswordField label={words.fields.newPassword} kind="new" value={password} problem={problem} onChange={setPassword} />
        <button type="submit" className="button button-primary" disabled={busy}>
          {busy ? words.password.saving : words.password.save}
        </button>
        <p className="visually-hidden" role="alert">
          {problem}
        </p>
      </form>
    </section>
  );
}
