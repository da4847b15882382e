import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { isEmailAddress } from '#protocol/email.ts';
import { limits } from '#protocol/limits.ts';
import { focusFirstError, SelectField, TextAreaField, TextField } from '#ui/field.tsx';
import { SendIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../app/context.ts';
import type { SendDraft } from '../app/tasks.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useFormat } from '../messages/format.ts';
import { nameFor } from '../paths/path-text.ts';
import { serviceName } from '../session/service-address.ts';
import { CancelButton } from '../ui/dialog.tsx';
import { type Expiry, expiryRequest } from './expiry.ts';
import { ExpiryField } from './expiry-field.tsx';
import { addressesOf, RecipientsField } from './recipients-field.tsx';
import { type TeamChoice, teamChoices } from './team-choice.ts';

export interface SendFormProps {
  readonly draft: SendDraft;
  readonly paths: readonly string[];
  /** The paths to send, including the one being typed; null where they are invalid, after showing the error. */
  readonly settlePaths: () => readonly string[] | null;
  /** The paths field. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** Sends to a Team with the session that has access to it. */
export function TeamForm({ draft, sessions, paths, settlePaths, children, onClose }: SendFormProps & { sessions: readonly SignedIn[] }) {
  const { client } = useApp();
  const { messages, number } = useFormat();
  const fault = useFaultText();
  const { send: texts } = messages;
  const choices = teamChoices(sessions);
  const [key, setKey] = useState('');
  const [name, setName] = useState<string | null>(draft.name || null);
  const [recipients, setRecipients] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState('');
  const [recipientError, setRecipientError] = useState<string | null>(null);
  const [message, setMessage] = useState(draft.description ?? '');
  const [password, setPassword] = useState('');
  const [expiry, setExpiry] = useState<Expiry>({ kind: 'team' });
  const [expiryError, setExpiryError] = useState<string | null>(null);
  const [limit, setLimit] = useState('');

  const choice = choices.find((one) => one.key === key) ?? choices[0];
  const packageName = (name ?? nameFor(paths)).slice(0, limits.nameLength);

  const send = useMutation({
    mutationFn: ({ to, what, whom, until }: { to: TeamChoice; what: readonly string[]; whom: string[]; until: object }) =>
      client.call('createUpload', {
        body: {
          team_id: to.team.id,
          ...(sessions.length > 1 ? { session_id: to.session.id } : {}),
          paths: [...what],
          package_name: packageName,
          recipients: whom,
          ...(message.trim() ? { package_description: message.trim() } : {}),
          ...(password ? { password } : {}),
          ...(limit.trim() ? { access_limit: Number(limit) } : {}),
          ...until,
        },
      }),
    onSuccess: onClose,
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const what = settlePaths();
    const whom = [...new Set([...recipients, ...addressesOf(typed)])];
    const wrong = whom.find((address) => !isEmailAddress(address));
    const most = choice?.team.max_email_recipients ?? 0;
    const problem = wrong ? texts.recipientBad(wrong) : most > 0 && whom.length > most ? texts.recipientsMost(number(most)) : null;
    const until = expiryRequest(expiry, new Date());
    setRecipientError(problem);
    setExpiryError(until ? null : texts.expiry.past);
    if (!what || !until || problem) focusFirstError(event.currentTarget);
    if (choice && what && until && !problem) send.mutate({ to: choice, what, whom, until });
  };

  return (
    <form className="form" onSubmit={submit}>
      {send.error ? <Notice tone="bad">{fault(send.error)}</Notice> : null}
      {children}
      {choices.length > 1 ? (
        <SelectField label={texts.team} value={choice?.key} onChange={(event) => setKey(event.target.value)}>
          {sessions
            .filter(({ id }) => choices.some(({ session }) => session.id === id))
            .map((session) => (
              <optgroup key={session.id} label={[serviceName(session.service_url), session.user?.email].filter(Boolean).join(', ')}>
                {choices
                  .filter((one) => one.session.id === session.id)
                  .map((one) => (
                    <option key={one.key} value={one.key}>
                      {one.team.name}
                    </option>
                  ))}
              </optgroup>
            ))}
        </SelectField>
      ) : null}
      <TextField
        label={texts.name}
        required
        maxLength={limits.nameLength}
        value={packageName}
        onChange={(event) => setName(event.target.value)}
      />
      <RecipientsField chosen={recipients} onChosen={setRecipients} typed={typed} onTyped={setTyped} error={recipientError} />
      {/* An invalid field must be visible: the browser cannot focus one in a closed section. */}
      <details
        className="more"
        open={expiryError !== null || undefined}
        onInvalidCapture={(event) => {
          event.currentTarget.open = true;
        }}
      >
        <summary>{texts.more}</summary>
        <div className="form">
          <TextAreaField
            label={texts.message}
            aside={messages.send.form.optional}
            rows={3}
            maxLength={limits.textLength}
            value={message}
            onChange={(event) => setMessage(event.target.value)}
          />
          <TextField
            label={texts.password}
            aside={messages.send.form.optional}
            type="password"
            autoComplete="new-password"
            minLength={limits.passwordLength.min}
            maxLength={limits.passwordLength.max}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            hint={texts.passwordHint(number(limits.passwordLength.min))}
          />
          <ExpiryField value={expiry} onChange={setExpiry} team={choice?.team ?? null} error={expiryError} />
          <TextField
            label={texts.limit}
            aside={messages.send.form.optional}
            type="number"
            min={1}
            max={1_000_000}
            step={1}
            value={limit}
            onChange={(event) => setLimit(event.target.value)}
            hint={texts.limitHint}
          />
        </div>
      </details>
      <div className="dialog-actions">
        <CancelButton />
        <button type="submit" className="button button-primary" disabled={send.isPending || !choice}>
          <SendIcon /> {send.isPending ? texts.sending : choice ? texts.sendTo(choice.team.name) : texts.send}
        </button>
      </div>
    </form>
  );
}
