import { type FormEvent, type ReactNode, Suspense, useId, useRef, useState } from 'react';
import { AgentCallError } from '#client/agent-call-error.ts';
import type { CreateSession } from '#protocol/agent/sessions.ts';
import { Choice } from '#ui/choice.tsx';
import { TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { lazyView } from '../app/lazy-view.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useLocale } from '../messages/locale.ts';
import { useSignIn, useStatus } from './queries.ts';
import { isOpenToReaders, serviceAddress, serviceName } from './service-address.ts';

const SsoForm = lazyView(async () => (await import('./sso-sign-in.tsx')).SsoForm);

interface SignInFormProps {
  /** The account to sign in to, e.g. of an ended session. */
  readonly account?: { readonly service: string; readonly email: string; readonly kind: 'user' | 'api_key' };
  readonly onDone?: () => void;
}

/** E-mail and password, with a code where the account has a second factor, or an API key; for the agent's own service or another. After a failure the input is kept. */
export function SignInForm({ account, onDone }: SignInFormProps) {
  const { messages } = useLocale();
  const fault = useFaultText();
  const signIn = useSignIn();
  const own = useStatus().data?.service_url ?? '';
  const heading = useId();
  const form = useRef<HTMLFormElement>(null);
  const [by, setBy] = useState<'password' | 'key'>(account?.kind === 'api_key' ? 'key' : 'password');
  const [email, setEmail] = useState(account?.email ?? '');
  const [password, setPassword] = useState('');
  const [key, setKey] = useState('');
  /** Null until the service asks for a second factor. */
  const [code, setCode] = useState<string | null>(null);
  const [typedService, setTypedService] = useState<string | null>(account ? account.service : null);
  const [serviceError, setServiceError] = useState<string | null>(null);
  const [bySso, setBySso] = useState(false);
  const elsewhere = typedService !== null && !account;
  const service = typedService === null ? own : (serviceAddress(typedService) ?? '');

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const problem = typedService !== null && service === '' ? messages.session.serviceBad : null;
    setServiceError(problem);
    if (problem) return;
    const request: CreateSession = {
      ...(typedService === null ? {} : { service_url: service }),
      ...(by === 'key' ? { api_key: key.trim() } : { email: email.trim(), password, ...(code?.trim() && { code: code.trim() }) }),
    };
    signIn.mutate(request, {
      onSuccess: onDone,
      onError: (error) => {
        if (isError(error, 'mfa_required')) return setCode('');
        form.current?.querySelector<HTMLInputElement>(isError(error, 'mfa_wrong') ? 'input[name=code]' : 'input[type=password]')?.select();
      },
    });
  };

  if (bySso) {
    return (
      <Suspense>
        <SsoForm
          service={typedService === null ? undefined : service}
          email={email.trim()}
          onDone={onDone}
          onBack={() => setBySso(false)}
        />
      </Suspense>
    );
  }
  return (
    <form ref={form} className="form" onSubmit={submit} aria-label={messages.session.signIn}>
      {signIn.error && !isError(signIn.error, 'mfa_required') ? (
        <Notice tone="bad">{signInFault(signIn.error, by, messages.session, fault)}</Notice>
      ) : null}
      <Choice
        label={messages.session.by.label}
        id={heading}
        value={by}
        options={[
          ['password', messages.session.by.password],
          ['key', messages.session.by.key],
        ]}
        onChoose={(value) => {
          setBy(value);
          signIn.reset();
        }}
      />
      {elsewhere ? (
        <TextField
          label={messages.session.service}
          required
          autoFocus
          inputMode="url"
          autoComplete="url"
          spellCheck={false}
          placeholder="share.example.com"
          value={typedService}
          onChange={(event) => setTypedService(event.target.value)}
          hint={messages.session.serviceHint}
          error={serviceError}
        />
      ) : null}
      {isOpenToReaders(service) ? <Notice tone="warn">{messages.session.servicePlain}</Notice> : null}
      {by === 'password' ? (
        <>
          <TextField
            label={messages.session.email}
            type="email"
            name="email"
            autoComplete="username"
            required
            autoFocus={!account}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <TextField
            label={messages.session.password}
            type="password"
            name="password"
            autoComplete="current-password"
            required
            autoFocus={account !== undefined}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
          {code === null ? null : (
            <TextField
              label={messages.session.code}
              name="code"
              autoComplete="one-time-code"
              spellCheck={false}
              required
              autoFocus
              value={code}
              onChange={(event) => setCode(event.target.value)}
              hint={messages.session.codeHint}
            />
          )}
        </>
      ) : (
        <TextField
          label={messages.session.key}
          type="password"
          autoComplete="off"
          required
          autoFocus
          value={key}
          onChange={(event) => setKey(event.target.value)}
          hint={messages.session.keyHint}
        />
      )}
      <button type="submit" className="button button-primary" disabled={signIn.isPending}>
        {signIn.isPending ? messages.session.signingIn : messages.session.signIn}
      </button>
      {by === 'password' ? (
        <button
          type="button"
          className="button"
          onClick={() => {
            const isBad = typedService !== null && service === '';
            setServiceError(isBad ? messages.session.serviceBad : null);
            setBySso(!isBad);
          }}
        >
          {messages.session.sso.begin}
        </button>
      ) : null}
      {service && !elsewhere ? (
        <p className="hint">
          {messages.session.to(serviceName(service))}
          {account ? null : (
            <>
              {' · '}
              <button type="button" className="button-link" onClick={() => setTypedService('')}>
                {messages.session.otherService}
              </button>
            </>
          )}
        </p>
      ) : null}
    </form>
  );
}

const isError = (error: unknown, name: 'mfa_required' | 'mfa_wrong'): boolean => error instanceof AgentCallError && error.is(name);

function signInFault(
  error: unknown,
  by: 'password' | 'key',
  messages: { readonly wrong: string; readonly keyWrong: string; readonly codeWrong: string },
  fault: (error: unknown) => ReactNode,
): ReactNode {
  if (error instanceof AgentCallError) {
    if (error.is('wrong_password')) return messages.wrong;
    if (error.is('mfa_wrong')) return messages.codeWrong;
    if (by === 'key' && error.is('credential_invalid')) return messages.keyWrong;
  }
  return fault(error);
}
