import { type FormEvent, useMemo, useRef, useState } from 'react';
import { ServiceError } from '#client/errors.ts';
import { isEmailAddress } from '#protocol/email.ts';
import { fieldStating, firstAnswers, formValues, problemOf, statedProperty } from '#protocol/form-rules.ts';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import { limits } from '#protocol/limits.ts';
import { isBlank, withoutBidiControls } from '#protocol/names.ts';
import { type PortalRestrictions, portalRestrictions } from '#protocol/portal-restrictions.ts';
import { focusFirstError, TextAreaField, TextField } from '#ui/field.tsx';
import { FormFields } from '#ui/form/form-fields.tsx';
import { restrictionTexts } from '#ui/form/restrictions.ts';
import { Terms } from '#ui/form/terms.tsx';
import { loadOnce } from '../../common/lazy-load.ts';
import { useLazy } from '../../common/use-lazy.ts';
import { useFormat } from '../../messages/portal.ts';
import { ChosenFiles } from '../../sending/files/chosen-files.tsx';
import { type Entry, mergeEntries } from '../../sending/files/entry.ts';
import { FileChooser } from '../../sending/files/file-chooser.tsx';
import type { ReadEntries } from '../../sending/files/read-entries.ts';
import { judge } from '../../sending/files/rules.ts';
import type { PackageToSend } from '../../sending/package-to-send.ts';
import { faultText } from '../../sending/view/faults.ts';
import { usePageEnvironment } from './environment.ts';
import { ErrorId } from './error-id.tsx';
import { type LazySending, useLoadSending } from './use-lazy-sending.ts';
import { useNamePattern } from './use-name-pattern.ts';

interface SendFormProps {
  readonly portal: PublicPortal;
  readonly accessCode: string;
  readonly onStart: (toSend: PackageToSend, chunk: LazySending) => void;
}

const loadHandOver = loadOnce(() => import('./hand-over.tsx'));

const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The form that a Portal asks for before anything is sent. */
export function SendForm({ portal, accessCode, onStart }: SendFormProps) {
  const { api, store } = usePageEnvironment();
  const loadSending = useLoadSending();
  const format = useFormat();
  const { messages, number, files, size } = format;
  const fields = useMemo(() => portal.custom_metadata ?? [], [portal]);
  const restrictions = useMemo(() => portalRestrictions(portal), [portal]);
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [unreadable, setUnreadable] = useState<readonly string[]>([]);
  const [nothing, setNothing] = useState(false);
  const [details, setDetails] = useState({ sender: '', name: '', description: '' });
  const [answers, setAnswers] = useState(() => firstAnswers(fields));
  const [agreed, setAgreed] = useState(false);
  const [judged, setJudged] = useState(false);
  const [busy, setBusy] = useState(false);
  /** A text of this page's own, or what has failed; empty for nothing. */
  const [fault, setFault] = useState<unknown>('');
  const form = useRef<HTMLFormElement>(null);
  /** Idempotency key: it stays the same until an answer is received, so a retry does not create a second package. */
  const key = useRef('');
  const [senderSecret] = useState(randomKey);
  const handOver = useLazy(loadHandOver);

  const judgement = useMemo(() => judge(entries, restrictions), [entries, restrictions]);
  const gathered = (found: ReadEntries): void => {
    setEntries((before) => mergeEntries(before, found.entries));
    setUnreadable(found.unreadable);
    setNothing(found.entries.length === 0 && found.unreadable.length === 0);
  };
  const remove = (some: ReadonlySet<Entry>): void => setEntries((before) => before.filter((entry) => !some.has(entry)));

  const asks = {
    sender: !fieldStating(fields, 'sender_email'),
    name: !fieldStating(fields, 'package_name'),
    description: !fieldStating(fields, 'package_description'),
  };
  const sender = statedProperty(fields, answers, 'sender_email') ?? details.sender.trim();
  const name = statedProperty(fields, answers, 'package_name') ?? givenName(details.name);
  const description = statedProperty(fields, answers, 'package_description') ?? details.description.trim();
  const { required, email } = messages.form.problems;
  const isOfPattern = useNamePattern(portal);
  const namePart = portal.name_pattern
    ? [messages.details.namePattern(portal.name_pattern_example), portal.name_pattern_label].filter(Boolean).join(' · ')
    : null;
  const misnamed = name !== '' && !isOfPattern(name) ? messages.invalid.name(portal.name_pattern_example) : null;
  const problems = {
    files: entries.length === 0 ? messages.invalid.noFiles : null,
    sender: !asks.sender ? null : sender === '' ? required : isEmailAddress(sender) ? null : email,
    name: asks.name && name === '' ? required : misnamed,
    form: fields.some((field) => problemOf(field, answers[field.name] ?? '')) ? messages.invalid.summary : null,
    terms: portal.terms_of_service_enabled && !agreed ? messages.invalid.terms : null,
  };
  const said = typeof fault === 'string' ? fault : faultText(fault, format);
  const shown = (what: keyof typeof problems): string | null => (judged ? problems[what] : null);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setJudged(true);
    if (Object.values(problems).some(Boolean) || judgement.faults.size > 0 || judgement.sum) {
      setFault(messages.invalid.summary);
      focusFirstError(form.current, '.notice-bad button');
      return;
    }
    setBusy(true);
    setFault('');
    key.current ||= randomKey();
    try {
      const response = portal.custom_metadata ? formValues(fields, answers) : null;
      const chunk = await loadSending();
      const toSend = await chunk.beginPackage(
        { api, store, key: key.current, senderSecret, now: Date.now },
        { portal, accessCode, name, description, sender, answers: response, entries },
      );
      onStart({ ...toSend, release: () => undefined }, chunk);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.error !== 'service_unreachable') key.current = '';
      setFault(error);
      setBusy(false);
    }
  };

  return (
    <form ref={form} className="card portal-card" noValidate onSubmit={submit}>
      <header className="portal-head">
        <h1 dir="auto">{portal.name}</h1>
        {portal.message ? (
          <p className="portal-message" dir="auto">
            {portal.message}
          </p>
        ) : null}
      </header>
      <PortalRules portal={portal} restrictions={restrictions} />

      <section className="portal-part" aria-labelledby="part-files">
        <h2 id="part-files">{messages.choose.title}</h2>
        <FileChooser
          small={entries.length > 0}
          labels={{ files: messages.choose.files, folder: messages.choose.folder }}
          invalid={shown('files')}
          onEntries={gathered}
        />
        {nothing ? (
          <p className="notice" role="status">
            {messages.choose.nothing}
          </p>
        ) : null}
        {unreadable.length > 0 ? (
          <p className="notice notice-warn" role="alert">
            {messages.choose.unreadable(files(unreadable.length), unreadable[0]!)}
          </p>
        ) : null}
        {entries.length > 0 ? <ChosenFiles entries={entries} judgement={judgement} restrictions={restrictions} onRemove={remove} /> : null}
      </section>

      <section className="portal-part form" aria-labelledby="part-details">
        <h2 id="part-details">{messages.details.title}</h2>
        {asks.sender ? (
          <TextField
            label={messages.details.sender}
            hint={messages.details.senderHint}
            error={shown('sender')}
            type="email"
            autoComplete="email"
            maxLength={limits.emailLength}
            aria-required
            value={details.sender}
            onChange={(event) => setDetails({ ...details, sender: event.target.value })}
          />
        ) : null}
        {asks.name ? (
          <TextField
            label={messages.details.name}
            hint={namePart ?? messages.details.nameHint}
            error={shown('name')}
            maxLength={limits.nameLength}
            aria-required
            autoComplete="off"
            value={details.name}
            onChange={(event) => setDetails({ ...details, name: event.target.value })}
          />
        ) : null}
        {asks.description ? (
          <TextAreaField
            label={messages.details.description}
            aside={messages.form.optional}
            maxLength={limits.textLength}
            value={details.description}
            onChange={(event) => setDetails({ ...details, description: event.target.value })}
          />
        ) : null}
        <FormFields
          fields={fields}
          answers={answers}
          onAnswer={(field, answer) => setAnswers((before) => ({ ...before, [field]: answer }))}
          judged={judged}
          packageName={namePart ? { hint: namePart, error: judged ? misnamed : null } : undefined}
          messages={messages.form}
          number={number}
        />
      </section>

      {portal.terms_of_service_enabled ? (
        <Terms
          terms={portal.terms_of_service}
          agreed={agreed}
          onAgree={setAgreed}
          error={shown('terms')}
          messages={messages.form.terms}
          heading="h2"
        />
      ) : null}

      <div className="portal-end">
        {said ? (
          <p className="notice notice-bad" role="alert">
            {said} <ErrorId error={fault} />
          </p>
        ) : null}
        <button type="submit" className="button button-primary button-large" disabled={busy}>
          {busy
            ? messages.starting
            : judgement.files > 0
              ? messages.send(files(judgement.files), size(judgement.bytes))
              : messages.sendNothing}
        </button>
      </div>
      {handOver.state === 'loaded' ? (
        <handOver.chunk.HandOver subdomain={portal.subdomain} name={name} description={description} sender={sender} />
      ) : null}
    </form>
  );
}

/**
 * A package's name as typed or pasted. Invisible characters that change the text direction can be pasted by accident,
 * so they are removed.
 */
function givenName(typed: string): string {
  const name = withoutBidiControls(typed, '').trim();
  return isBlank(name) ? '' : name;
}

interface PortalRulesProps {
  readonly portal: PublicPortal;
  readonly restrictions: PortalRestrictions;
}

/** Shows the Portal's limits before anybody exceeds them. Renders nothing where there are none. */
function PortalRules({ portal, restrictions }: PortalRulesProps) {
  const format = useFormat();
  const { messages } = format;
  const rules = restrictionTexts(restrictions, messages.form.restrictions, format);
  if (portal.expiry_enabled) rules.push(messages.rules.until(format.moment(portal.expiry)));
  if (rules.length === 0) return null;
  return (
    <section className="portal-rules" aria-labelledby="rules">
      <h2 id="rules">{messages.rules.title}</h2>
      <ul>
        {rules.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
    </section>
  );
}
