import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import type { SsoSignIn } from '#protocol/agent/sso-sign-ins.ts';
import { TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../app/context.ts';
import { desktopBridge } from '../desktop/bridge.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useLocale } from '../messages/locale.ts';
import { useAbsorbSession } from './queries.ts';

interface SsoFormProps {
  /** The service; the agent's own if there is none. */
  readonly service: string | undefined;
  /** An address that is known already. */
  readonly email: string;
  readonly onDone?: (() => void) | undefined;
  /** Back to the other ways to sign in. */
  readonly onBack: () => void;
}

/** Whether this page is shown on the agent's own machine, where what the browser brings back finds the agent. */
const isHere = (): boolean => desktopBridge() !== null || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);

/** Milliseconds between two looks at what has become of it. */
const interval = 1_000;

/** Signing in through a company: in a browser of this machine, while this page waits (docs/contract/sso.md §6). */
export function SsoForm({ service, email, onDone, onBack }: SsoFormProps) {
  const { sso: texts } = useLocale().messages.session;
  const { client } = useApp();
  const fault = useFaultText();
  const absorb = useAbsorbSession();
  const [address, setAddress] = useState(email);
  const [begun, setBegun] = useState<SsoSignIn | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const waitsFor = useRef<string | null>(null);

  const cancel = (): void => {
    const id = waitsFor.current;
    waitsFor.current = null;
    setBegun(null);
    // The agent stops by itself, too.
    if (id !== null) void client.call('cancelSsoSignIn', { params: { id } }).catch(() => undefined);
  };
  const latest = useRef(cancel);
  latest.current = cancel;
  useEffect(() => () => latest.current(), []);

  const id = begun?.id ?? '';
  const { data: state, error } = useQuery({
    queryKey: ['sso-sign-in', id],
    queryFn: ({ signal }) => client.call('getSsoSignIn', { params: { id }, signal }),
    enabled: id !== '',
    refetchInterval: ({ state: { data } }) => (data && data.state !== 'waiting' ? false : interval),
    refetchIntervalInBackground: true,
    gcTime: 0,
    retry: false,
  });
  // The agent knows it no longer: it was restarted, or another window has begun.
  const isGone = error instanceof AgentCallError && error.is('not_found');
  useEffect(() => {
    if (state?.state === 'done') {
      waitsFor.current = null;
      if (state.session) absorb(state.session);
      onDone?.();
    }
    if (state?.state === 'failed' && state.error) {
      waitsFor.current = null;
      setProblem(new AgentCallError('answered', state.error.message, { status: 403, code: state.error.code }));
      setBegun(null);
    }
  }, [state, absorb, onDone]);

  const begin = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      const body = { ...(service === undefined ? {} : { service_url: service }), ...(address.trim() && { address: address.trim() }) };
      const started = await client.call('startSsoSignIn', { body });
      waitsFor.current = started.id;
      setBegun(started);
      // Where it is refused, the link below is pressed.
      window.open(started.url, '_blank', 'noopener,noreferrer');
    } catch (thrown) {
      setProblem(thrown);
    } finally {
      setBusy(false);
    }
  };

  if (!isHere()) {
    return (
      <div className="form">
        <Notice tone="plain">{texts.notHere}</Notice>
        <button type="button" className="button" onClick={onBack}>
          {texts.otherWay}
        </button>
      </div>
    );
  }
  if (begun && !isGone) {
    return (
      <div className="form">
        <p role="status">{texts.waiting}</p>
        <p className="hint">
          {texts.notOpen}{' '}
          <a href={begun.url} target="_blank" rel="noreferrer noopener">
            {texts.openAgain}
          </a>
        </p>
        <button type="button" className="button" onClick={cancel}>
          {texts.cancel}
        </button>
      </div>
    );
  }
  return (
    <form className="form" onSubmit={(event) => void begin(event)} aria-label={texts.begin}>
      {problem ? <Notice tone="bad">{fault(problem)}</Notice> : isGone ? <Notice tone="bad">{texts.late}</Notice> : null}
      <p>{texts.text}</p>
      <TextField
        label={texts.company}
        hint={texts.companyHint}
        name="company"
        inputMode="email"
        autoComplete="email"
        spellCheck={false}
        autoFocus
        value={address}
        onChange={(event) => setAddress(event.target.value)}
      />
      <button type="submit" className="button button-primary" disabled={busy}>
        {busy ? texts.opening : problem || isGone ? texts.again : texts.open}
      </button>
      <button type="button" className="button" onClick={onBack}>
        {texts.otherWay}
      </button>
    </form>
  );
}
