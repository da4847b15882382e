import { useEffect, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import { useLocale } from '../messages/account.ts';
import { usePageEnvironment } from './environment.ts';
import { type Ended, endedBy, type Problem, problemText } from './faults.ts';
import { Note } from './note.tsx';

type View = 'loading' | 'ask' | 'done' | 'taken' | Ended;

/** Confirms a new e-mail address by its mailed token. A button does, because mail programs open links by themselves. */
export function EmailPage() {
  const { token, api, baseUrl, forgetToken } = usePageEnvironment();
  const locale = useLocale();
  const { messages } = locale;
  const text = messages.email;
  const [view, setView] = useState<View>(token === '' ? 'wrong' : 'loading');
  /** Which address it is; empty where that could not be asked. */
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = `${text.title} · Longshore`;
  }, [text]);
  useEffect(() => {
    if (token === '') return;
    api.call('getEmailChange', { params: { token } }).then(
      (change) => {
        setEmail(change.email);
        setView('ask');
      },
      (error: unknown) => setView(endedBy(error) ?? 'ask'),
    );
  }, [api, token]);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await api.call('confirmEmailChange', { params: { token } });
      forgetToken();
      setView('done');
    } catch (error) {
      const why = error instanceof ServiceError && error.error === 'already_exists' ? 'taken' : endedBy(error);
      if (why !== null) setView(why);
      else setProblem({ error });
    }
    setBusy(false);
  };
  if (view === 'done') {
    return (
      <Note tone="status" title={text.done} text={text.doneText}>
        <a className="button button-primary" href={`${baseUrl}/sign-in`}>
          {messages.password.toSignIn}
        </a>
      </Note>
    );
  }
  if (view === 'loading') {
    return (
      <p className="hint" role="status">
        {text.loading}
      </p>
    );
  }
  if (view !== 'ask') return <Note tone="alert" {...text[view]} />;
  return (
    <section className="card account-card">
      <h1>{text.title}</h1>
      {email === '' ? null : (
        <p className="account-address" dir="ltr">
          {email}
        </p>
      )}
      <p>{email === '' ? text.textUnknown : text.text}</p>
      {problem === null ? null : (
        <p className="field-error" role="alert">
          {problemText(problem, locale)}
        </p>
      )}
      <div className="account-acts">
        <button type="button" className="button button-primary" disabled={busy} onClick={() => void confirm()}>
          {busy ? text.confirming : text.confirm}
        </button>
      </div>
    </section>
  );
}
