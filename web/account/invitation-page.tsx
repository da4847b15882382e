import { useCallback, useEffect, useRef, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import type { Invitation } from '#protocol/hosted/invitations.ts';
import { keepSignInAddress } from '../common/sign-in-address.ts';
import { useLocale } from '../messages/account.ts';
import { AcceptForm, type Outcome } from './accept-form.tsx';
import { usePageEnvironment } from './environment.ts';
import { type Ended, endedBy, failureText, type Problem, problemText } from './faults.ts';
import { Note } from './note.tsx';

type View =
  | { readonly state: 'loading' }
  /** Loading failed; it can be retried. */
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'ended'; readonly why: Ended | 'inactive' }
  | { readonly state: 'open'; readonly invitation: Invitation }
  | { readonly state: 'joined' | 'another' | 'given'; readonly invitation: Invitation };

/** An invitation to a Team, and the two ways to accept it. */
export function InvitationPage({ onTeam }: { readonly onTeam: (team: Invitation['team']) => void }) {
  const { api, token, baseUrl, forgetToken } = usePageEnvironment();
  const locale = useLocale();
  const { messages } = locale;
  const [view, setView] = useState<View>({ state: 'loading' });
  const load = useCallback(async () => {
    // Without a token there is nothing to load.
    if (token === '') return setView({ state: 'ended', why: 'wrong' });
    setView({ state: 'loading' });
    try {
      const invitation = await api.call('getInvitation', { params: { token } });
      onTeam(invitation.team);
      setView({ state: 'open', invitation });
    } catch (error) {
      setView(viewOf(error));
    }
  }, [api, token, onTeam]);
  /** Loaded once; a change of the language must not load it again. */
  const first = useRef(load);
  useEffect(() => {
    void first.current();
  }, []);
  const team = 'invitation' in view ? view.invitation.team.name : null;
  useEffect(() => {
    document.title = `${team === null ? messages.invitation.plainTitle : messages.invitation.title(team)} · Longshore`;
  }, [team, messages]);

  switch (view.state) {
    case 'loading':
      return (
        <p className="hint" role="status">
          {messages.loading}
        </p>
      );
    case 'failed':
      return (
        <Note tone="alert" title={messages.wentWrong.title} text={failureText(view.error, locale)}>
          <button type="button" className="button" onClick={load}>
            {messages.tryAgain}
          </button>
        </Note>
      );
    case 'ended':
      return <Note tone="alert" {...messages.invitation[view.why]} />;
    case 'another':
      return <Note tone="alert" {...messages.invitation.another} />;
    case 'given':
      return <GivenPassword email={view.invitation.email} />;
    case 'joined':
      return (
        <Note
          tone="status"
          title={messages.invitation.joined(view.invitation.team.name)}
          text={messages.invitation.joinedText(baseUrl.replace(/^https?:\/\//, ''))}
        >
          <a className="button button-primary" href={`${baseUrl}/`}>
            {messages.invitation.toConsole}
          </a>
        </Note>
      );
    case 'open': {
      const { invitation } = view;
      const next = (outcome: Outcome): void => {
        if (outcome.is === 'joined') {
          forgetToken();
          keepSignInAddress(invitation.email);
        }
        setView(outcome.is === 'failed' ? viewOf(outcome.error) : { state: outcome.is, invitation });
      };
      return (
        <section className="card account-card">
          <h1 dir="auto">{messages.invitation.title(invitation.team.name)}</h1>
          <p dir="auto">{messages.invitation.text(invitation.inviter.name, invitation.team.name)}</p>
          <Facts invitation={invitation} />
          <AcceptForm email={invitation.email} onEnd={next} />
        </section>
      );
    }
  }
}

/** The view where only another mail, or another try, can help. */
function viewOf(error: unknown): View {
  const why = endedBy(error);
  if (why !== null) return { state: 'ended', why };
  if (error instanceof ServiceError && error.error === 'team_inactive') return { state: 'ended', why: 'inactive' };
  // The address contains no valid token, for example because a mail program cut it.
  if (error instanceof ServiceError && error.error === 'invalid_request') return { state: 'ended', why: 'wrong' };
  return { state: 'failed', error };
}

function Facts({ invitation: { role, expires_at: until } }: { invitation: Invitation }) {
  const { messages, tag } = useLocale();
  const moment = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(until));
  const facts = [
    [messages.invitation.role, messages.roles[role]],
    [messages.invitation.until, moment],
  ] as const;
  return (
    <dl className="account-facts">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Another person chose this account's password: the owner must choose a new one before joining. */
function GivenPassword({ email }: { email: string }) {
  const { api } = usePageEnvironment();
  const locale = useLocale();
  const { messages } = locale;
  const [state, setState] = useState<'idle' | 'busy' | 'asked'>('idle');
  const [problem, setProblem] = useState<Problem | null>(null);
  const ask = async (): Promise<void> => {
    setState('busy');
    setProblem(null);
    try {
      await api.call('requestPasswordReset', { body: { email } });
      setState('asked');
    } catch (error) {
      setProblem({ error });
      setState('idle');
    }
  };
  if (state === 'asked')
    return <Note key="asked" tone="status" title={messages.password.asked} text={messages.password.askedText(email)} />;
  return (
    <Note tone="alert" title={messages.invitation.given.title} text={messages.invitation.given.text}>
      {problem ? <p className="field-error">{problemText(problem, locale)}</p> : null}
      <button type="button" className="button button-primary" disabled={state === 'busy'} onClick={ask}>
        {messages.invitation.given.act}
      </button>
    </Note>
  );
}
