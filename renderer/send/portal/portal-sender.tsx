import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import { limits } from '#protocol/limits.ts';
import { SendIcon } from '#ui/icons.tsx';
import { useApp } from '../../app/context.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { nameFor } from '../../paths/path-words.ts';
import { serviceName } from '../../session/service-address.ts';
import { CancelButton } from '../../ui/dialog.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { showFirstProblem } from '../../ui/first-problem.ts';
import { Notice } from '../../ui/notice.tsx';
import type { SendFormProps } from '../team-form.tsx';
import { FormFields } from './form-fields.tsx';
import { type AnswerProblem, type Answers, askedFields, asksFor, firstAnswers, formValues, problemOf, saidOf } from './form-values.ts';
import type { PortalAddress } from './portal-address.ts';
import { PortalRules } from './portal-rules.tsx';
import { Terms } from './terms.tsx';

/** An opened Portal, and the access code that was used. */
export interface OpenedPortal {
  readonly portal: PublicPortal;
  readonly address: PortalAddress;
  /** Empty where it has no code. */
  readonly code: string;
}

interface PortalSenderProps extends SendFormProps {
  readonly opened: OpenedPortal;
  readonly firstSender: string;
  readonly onOther: () => void;
}

/** A Portal's form for the sender: files, the sender's identity, its fields, and its terms. */
export function PortalSender({ opened, firstSender, draft, paths, settlePaths, children, onOther, onClose }: PortalSenderProps) {
  const { client } = useApp();
  const { messages } = useFormat();
  const fault = useFaultText();
  const { portal: texts } = messages.send;
  const { portal, address, code } = opened;
  const fields = portal.custom_metadata ?? [];
  const [answers, setAnswers] = useState<Answers>(() =>
    firstAnswers(fields, {
      sender_email: firstSender,
      package_name: draft.name ?? '',
      package_description: draft.description ?? '',
    }),
  );
  const [problems, setProblems] = useState<Readonly<Record<string, AnswerProblem>>>({});
  const [sender, setSender] = useState(firstSender);
  const [name, setName] = useState<string | null>(draft.name || null);
  const [description, setDescription] = useState(draft.description ?? '');
  const [agreed, setAgreed] = useState(false);
  const [agreeError, setAgreeError] = useState<string | null>(null);
  const packageName = (name ?? nameFor(paths)).slice(0, limits.nameLength);

  const send = useMutation({
    mutationFn: (what: readonly string[]) =>
      client.call('createPortalUpload', {
        body: {
          subdomain: address.subdomain,
          ...(address.service === null ? {} : { service_url: address.service }),
          ...(code ? { access_code: code } : {}),
          sender: saidOf(fields, answers, 'sender_email') ?? sender.trim(),
          package_name: saidOf(fields, answers, 'package_name') ?? packageName,
          package_description: saidOf(fields, answers, 'package_description') ?? description.trim(),
          paths: [...what],
          ...(fields.length > 0 ? { form: formValues(fields, answers) } : {}),
        },
      }),
    onSuccess: onClose,
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const what = settlePaths();
    const wrong = Object.fromEntries(
      fields.flatMap((field) => {
        const problem = problemOf(field, answers[field.name] ?? '');
        return problem ? [[field.name, problem]] : [];
      }),
    );
    const disagreed = portal.terms_of_service_enabled && !agreed;
    setProblems(wrong);
    setAgreeError(disagreed ? texts.agreeFirst : null);
    if (!what || Object.keys(wrong).length > 0 || disagreed) showFirstProblem(event.currentTarget);
    if (what && Object.keys(wrong).length === 0 && !disagreed) send.mutate(what);
  };

  return (
    <form className="form" onSubmit={submit}>
      <div className="portal-head">
        <div>
          <p className="dialog-name" dir="auto">
            {portal.name}
          </p>
          {address.service ? <p className="hint">{texts.at(serviceName(address.service))}</p> : null}
        </div>
        <button type="button" className="button button-small" onClick={onOther}>
          {texts.other}
        </button>
      </div>
      {portal.message ? (
        <p className="portal-message" dir="auto">
          {portal.message}
        </p>
      ) : null}
      <PortalRules portal={portal} />
      {send.error ? <Notice tone="bad">{fault(send.error)}</Notice> : null}
      {children}
      {asksFor(fields, 'sender_email') ? null : (
        <TextField
          label={texts.sender}
          type="email"
          required
          autoComplete="email"
          value={sender}
          onChange={(event) => setSender(event.target.value)}
          hint={texts.senderHint}
        />
      )}
      {asksFor(fields, 'package_name') ? null : (
        <TextField
          label={messages.send.name}
          required
          maxLength={limits.nameLength}
          value={packageName}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      {asksFor(fields, 'package_description') ? null : (
        <TextAreaField
          label={texts.description}
          optional
          rows={2}
          maxLength={limits.textLength}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
      )}
      {fields.length > 0 ? (
        <fieldset className="portal-part">
          <legend>{texts.form}</legend>
          <FormFields
            fields={askedFields(fields)}
            answers={answers}
            problems={problems}
            onAnswer={(field, answer) => setAnswers((before) => ({ ...before, [field]: answer }))}
          />
        </fieldset>
      ) : null}
      {portal.terms_of_service_enabled ? (
        <Terms terms={portal.terms_of_service} agreed={agreed} onAgree={setAgreed} error={agreeError} />
      ) : null}
      <div className="dialog-actions">
        <CancelButton />
        <button type="submit" className="button button-primary" disabled={send.isPending}>
          <SendIcon /> {send.isPending ? messages.send.sending : messages.send.sendTo(portal.name)}
        </button>
      </div>
    </form>
  );
}
