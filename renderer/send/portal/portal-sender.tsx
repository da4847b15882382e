import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Answers, fieldStating, firstAnswers, formValues, problemOf, statedProperty } from '#protocol/form-rules.ts';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import { limits } from '#protocol/limits.ts';
import { portalRestrictions } from '#protocol/portal-restrictions.ts';
import { focusFirstError, TextAreaField, TextField } from '#ui/field.tsx';
import { FormFields } from '#ui/form/form-fields.tsx';
import { restrictionTexts } from '#ui/form/restrictions.ts';
import { Terms } from '#ui/form/terms.tsx';
import { SendIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../../app/context.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { serviceName } from '../../session/service-address.ts';
import { CancelButton } from '../../ui/dialog.tsx';
import type { SendFormProps } from '../team-form.tsx';
import type { PortalAddress } from './portal-address.ts';

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
export function PortalSender({
  opened,
  firstSender,
  draft,
  change,
  packageName: named,
  settlePaths,
  children,
  onOther,
  onSent,
}: PortalSenderProps) {
  const { client } = useApp();
  const { messages, number } = useFormat();
  const fault = useFaultText();
  const { portal: texts } = messages.send;
  const { portal, address, code } = opened;
  const fields = portal.custom_metadata ?? [];
  const [answers, setAnswers] = useState<Answers>(() =>
    firstAnswers(fields, {
      sender_email: firstSender,
      package_name: draft.name ?? '',
      package_description: draft.message,
    }),
  );
  const [judged, setJudged] = useState(false);
  const [sender, setSender] = useState(firstSender);
  const [agreed, setAgreed] = useState(false);
  const packageName = named.slice(0, limits.nameLength);
  const description = draft.message;

  const send = useMutation({
    mutationFn: (what: readonly string[]) =>
      client.call('createPortalUpload', {
        body: {
          subdomain: address.subdomain,
          ...(address.service === null ? {} : { service_url: address.service }),
          ...(code ? { access_code: code } : {}),
          sender: statedProperty(fields, answers, 'sender_email') ?? sender.trim(),
          package_name: statedProperty(fields, answers, 'package_name') ?? packageName,
          package_description: statedProperty(fields, answers, 'package_description') ?? description.trim(),
          paths: [...what],
          ...(fields.length > 0 ? { form: formValues(fields, answers) } : {}),
        },
      }),
    onSuccess: onSent,
  });

  const disagreed = portal.terms_of_service_enabled && !agreed;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const what = settlePaths();
    setJudged(true);
    const wrong = disagreed || fields.some((field) => problemOf(field, answers[field.name] ?? ''));
    if (!what || wrong) focusFirstError(event.currentTarget);
    else send.mutate(what);
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
      {fieldStating(fields, 'sender_email') ? null : (
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
      {fieldStating(fields, 'package_name') ? null : (
        <TextField
          label={messages.send.name}
          required
          maxLength={limits.nameLength}
          value={packageName}
          onChange={(event) => change({ name: event.target.value })}
        />
      )}
      {fieldStating(fields, 'package_description') ? null : (
        <TextAreaField
          label={texts.description}
          aside={messages.send.form.optional}
          rows={2}
          maxLength={limits.textLength}
          value={description}
          onChange={(event) => change({ message: event.target.value })}
        />
      )}
      {fields.length > 0 ? (
        <fieldset className="portal-part">
          <legend>{texts.form}</legend>
          <FormFields
            fields={fields}
            answers={answers}
            onAnswer={(field, answer) => setAnswers((before) => ({ ...before, [field]: answer }))}
            judged={judged}
            messages={messages.send.form}
            number={number}
          />
        </fieldset>
      ) : null}
      {portal.terms_of_service_enabled ? (
        <Terms
          terms={portal.terms_of_service}
          agreed={agreed}
          onAgree={setAgreed}
          error={judged && disagreed ? texts.agreeFirst : null}
          messages={messages.send.form.terms}
          heading="h3"
        />
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

/** Shows a Portal's limits before the person sends. The service enforces them. */
function PortalRules({ portal }: { portal: PublicPortal }) {
  const format = useFormat();
  const { portal: texts, form } = format.messages.send;
  const rules = restrictionTexts(portalRestrictions(portal), form.restrictions, format);
  if (rules.length === 0) return null;
  return (
    <section className="portal-rules" aria-label={texts.takes}>
      <ul>
        {rules.map((rule) => (
          <li key={rule} className="hint">
            {rule}
          </li>
        ))}
      </ul>
    </section>
  );
}
