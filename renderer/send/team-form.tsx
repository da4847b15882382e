import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { isEmailAddress } from '#protocol/email.ts';
import { limits } from '#protocol/limits.ts';
import { type NoticeKind, noticeKinds } from '#protocol/notices.ts';
import { CheckField, focusFirstError, SelectField, TextAreaField, TextField } from '#ui/field.tsx';
import { LinkIcon, SendIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../app/context.ts';
import { useFaultText } from '../messages/fault-text.tsx';
import { useFormat } from '../messages/format.ts';
import { serviceName } from '../session/service-address.ts';
import { CancelButton } from '../ui/dialog.tsx';
import { expiryRequest } from './expiry.ts';
import { ExpiryField } from './expiry-field.tsx';
import type { FormDraft } from './kept-draft.ts';
import { addressesOf, RecipientsField } from './recipients-field.tsx';
import { type TeamChoice, teamChoices } from './team-choice.ts';

export interface SendFormProps {
  readonly draft: FormDraft;
  readonly change: (change: Partial<FormDraft>) => void;
  /** As typed, or as the first paths gave it. */
  readonly packageName: string;
  /** The paths to send, including the one being typed; null where they are invalid, after showing the error. */
  readonly settlePaths: () => readonly string[] | null;
  /** The paths field. */
  readonly children: ReactNode;
  /** The agent has taken it. */
  readonly onSent: () => void;
}

interface TeamFormProps extends SendFormProps {
  /** To addresses; otherwise as a link to pass on. */
  readonly byMail: boolean;
  readonly sessions: readonly SignedIn[];
}

/** What the Team has its senders told of. */
const usual = ({ team }: TeamChoice): readonly NoticeKind[] => team.notify_default ?? [];

/** Sends to people by e-mail, or as a link, with the session of a Team. */
export function TeamForm({ draft, change, packageName, byMail, sessions, settlePaths, children, onSent }: TeamFormProps) {
  const { client } = useApp();
  const { messages, number } = useFormat();
  const fault = useFaultText();
  const { send: texts } = messages;
  const choices = teamChoices(sessions);
  const [typed, setTyped] = useState('');
  const [recipientError, setRecipientError] = useState<string | null>(null);
  const [expiryError, setExpiryError] = useState<string | null>(null);
  const { message, password, expiry, limit, recipients, told, verify } = draft;
  const name = packageName.slice(0, limits.nameLength);
  const choice = choices.find((one) => one.key === draft.teamKey) ?? choices[0];
  const always = choice?.team.verify_recipient_required === true;
  const verifies = always || (verify === '' ? choice?.team.verify_recipient_default === true : verify === 'yes');

  const send = useMutation({
    mutationFn: ({ to, what, whom, until }: { to: TeamChoice; what: readonly string[]; whom: string[]; until: object }) =>
      client.call('createUpload', {
        body: {
          team_id: to.team.id,
          ...(sessions.length > 1 ? { session_id: to.session.id } : {}),
          paths: [...what],
          package_name: name,
          recipients: whom,
          ...(message.trim() ? { package_description: message.trim() } : {}),
          ...(password ? { password } : {}),
          ...(limit.trim() ? { access_limit: Number(limit) } : {}),
          ...(told ? { notify: noticeKinds.filter((kind) => (kind === 'downloaded' ? told === 'yes' : usual(to).includes(kind))) } : {}),
          ...(byMail && verify && !to.team.verify_recipient_required ? { verify_recipient: verify === 'yes' } : {}),
          ...until,
        },
      }),
    onSuccess: onSent,
  });

  const recipientProblem = (whom: readonly string[]): string | null => {
    const wrong = whom.find((address) => !isEmailAddress(address));
    const most = choice?.team.max_email_recipients ?? 0;
    if (wrong) return texts.recipientBad(wrong);
    if (byMail && whom.length === 0) return texts.recipientsNone;
    return most > 0 && whom.length > most ? texts.recipientsMost(number(most)) : null;
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const what = settlePaths();
    const whom = byMail ? [...new Set([...recipients, ...addressesOf(typed)])] : [];
    const problem = recipientProblem(whom);
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
      {byMail ? (
        <RecipientsField
          chosen={recipients}
          onChosen={(chosen) => change({ recipients: chosen })}
          typed={typed}
          onTyped={setTyped}
          error={recipientError}
        />
      ) : null}
      <TextField
        label={texts.name}
        required
        maxLength={limits.nameLength}
        value={name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <TextAreaField
        label={texts.message}
        aside={messages.send.form.optional}
        rows={2}
        maxLength={limits.textLength}
        value={message}
        onChange={(event) => change({ message: event.target.value })}
      />
      <TextField
        label={texts.password}
        aside={messages.send.form.optional}
        type="password"
        autoComplete="new-password"
        minLength={limits.passwordLength.min}
        maxLength={limits.passwordLength.max}
        value={password}
        onChange={(event) => change({ password: event.target.value })}
        hint={password ? texts.passwordHint(number(limits.passwordLength.min)) : undefined}
      />
      <CheckField
        label={texts.told}
        checked={told === '' ? choice !== undefined && usual(choice).includes('downloaded') : told === 'yes'}
        onChange={({ target }) => change({ told: target.checked ? 'yes' : 'no' })}
      />
      {byMail ? (
        <CheckField
          label={texts.verify}
          hint={always ? texts.verifyAlways : verifies ? texts.verifyHint : undefined}
          checked={verifies}
          disabled={always}
          onChange={({ target }) => change({ verify: target.checked ? 'yes' : 'no' })}
        />
      ) : null}
      {choices.length > 1 ? (
        <SelectField label={texts.team} value={choice?.key} onChange={(event) => change({ teamKey: event.target.value })}>
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
          <ExpiryField value={expiry} onChange={(next) => change({ expiry: next })} team={choice?.team ?? null} error={expiryError} />
          <TextField
            label={texts.limit}
            aside={messages.send.form.optional}
            type="number"
            min={1}
            max={1_000_000}
            step={1}
            value={limit}
            onChange={(event) => change({ limit: event.target.value })}
            hint={texts.limitHint}
          />
        </div>
      </details>
      <div className="dialog-actions">
        <CancelButton />
        <button type="submit" className="button button-primary" disabled={send.isPending || !choice}>
          {byMail ? <SendIcon /> : <LinkIcon />} {send.isPending ? texts.sending : byMail ? texts.send : texts.makeLink}
        </button>
      </div>
    </form>
  );
}
