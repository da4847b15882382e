import { useId } from 'react';
import { limits } from '#protocol/limits.ts';
import { Choice } from '#ui/choice.tsx';
import { CheckField, TextAreaField, TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/send.ts';
import { en } from '../../messages/en/console/send.ts';
import { useTeam } from '../app/account.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { ChoiceOfMany } from '../ui/choice-of-many.tsx';
import { useChoiceSources } from '../ui/choice-sources.ts';
import { NoMailNotice } from '../ui/no-mail-notice.tsx';
import { type Draft, type DraftFaults, dayOf, lastDay, usualDays } from './draft.ts';

interface PackageFieldsProps {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
  /** Whether a password was typed before the page was loaded anew. */
  readonly passwordLost: boolean;
  /** What the package is called where nothing is typed. */
  readonly proposed: string;
  /** Null before anybody tried to send. */
  readonly faults: DraftFaults | null;
}

/** Whom a package is for, what it is called, and what holds for it: within what the Team allows. */
export function PackageFields({ draft, onChange, passwordLost, proposed, faults }: PackageFieldsProps) {
  const { messages, number } = useTexts({ en, de });
  const { optional } = useShellTexts().messages;
  const text = messages.fields;
  const team = useTeam();
  const id = useId();
  const { recipient_domains: domains = [], public_links_allowed: links, verify_recipient_required: always = false } = team;
  const words = faults ? faultWords(faults, messages.wrong, number(team.max_email_recipients)) : null;
  return (
    <>
      {links === false ? (
        <p className="hint">{text.noLinks}</p>
      ) : (
        <Choice
          label={text.way}
          id={`${id}-way`}
          value={draft.way}
          options={[
            ['link', text.link],
            ['mail', text.mail],
          ]}
          onChoose={(way) => onChange({ way })}
        />
      )}
      {draft.way === 'mail' ? (
        <TextAreaField
          label={text.recipients}
          hint={domains.length > 0 ? text.onlyTo(domains.join(', ')) : text.recipientsHint}
          error={words?.recipients ?? null}
          rows={2}
          autoComplete="off"
          spellCheck={false}
          aria-required
          value={draft.recipients}
          onChange={(event) => onChange({ recipients: event.target.value })}
        />
      ) : (
        <p className="hint">{text.linkText}</p>
      )}
      {draft.way === 'mail' ? <NoMailNotice /> : null}
      <TextField
        label={text.name}
        error={words?.name ?? null}
        maxLength={limits.nameLength}
        autoComplete="off"
        placeholder={proposed}
        value={draft.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextAreaField
        label={text.message}
        aside={optional}
        maxLength={limits.textLength}
        value={draft.message}
        onChange={(event) => onChange({ message: event.target.value })}
      />
      <TextField
        label={text.password}
        aside={team.password_required ? undefined : optional}
        hint={passwordLost && draft.password === '' ? text.passwordLost : text.passwordHint}
        error={words?.password ?? null}
        type="password"
        autoComplete="new-password"
        maxLength={limits.passwordLength.max}
        value={draft.password}
        onChange={(event) => onChange({ password: event.target.value })}
      />
      {draft.way === 'mail' ? (
        <CheckField
          label={text.verify}
          hint={always ? text.verifyAlways : text.verifyHint}
          checked={always || (draft.verify ?? team.verify_recipient_default ?? false)}
          disabled={always}
          onChange={(event) => onChange({ verify: event.target.checked })}
        />
      ) : null}
      <div className="send-pair">
        <ExpiryField draft={draft} onChange={onChange} error={words?.day ?? null} />
        <TextField
          label={text.limit}
          aside={optional}
          hint={
            team.download_limit_enabled && team.download_limit_default > 0
              ? text.limitUsual(number(team.download_limit_default), team.download_limit_default === 1)
              : text.limitHint
          }
          error={words?.limit ?? null}
          inputMode="numeric"
          value={draft.limit}
          onChange={(event) => onChange({ limit: event.target.value.trim() })}
        />
      </div>
      <Sorting draft={draft} onChange={onChange} />
    </>
  );
}

function faultWords(faults: DraftFaults, wrong: (typeof en)['wrong'] | (typeof de)['wrong'], most: string) {
  const { recipients, day } = faults;
  return {
    recipients:
      recipients === null
        ? null
        : recipients.kind === 'none'
          ? wrong.noRecipients
          : recipients.kind === 'many'
            ? wrong.manyRecipients(most)
            : wrong[recipients.kind === 'bad' ? 'badRecipient' : 'foreignRecipient'](recipients.address),
    name: faults.name ? wrong.name : null,
    password: faults.password ? wrong.password : null,
    day: day === null ? null : wrong.day[day],
    limit: faults.limit ? wrong.limit : null,
  };
}

type Part = Pick<PackageFieldsProps, 'draft' | 'onChange'>;

function ExpiryField({ draft, onChange, error }: Part & { readonly error: string | null }) {
  const { messages, number } = useTexts({ en, de });
  const { optional } = useShellTexts().messages;
  const team = useTeam();
  const text = messages.fields;
  const now = new Date();
  const usual = usualDays(team);
  return (
    <TextField
      label={text.day}
      aside={optional}
      hint={usual < 0 ? text.usuallyKept : text.usually(number(usual), usual === 1)}
      error={error}
      type="date"
      min={dayOf(now)}
      max={lastDay(team, now) ?? undefined}
      value={draft.day}
      onChange={(event) => onChange({ day: event.target.value })}
    />
  );
}

/** Teamspace and tag, where there are any. */
function Sorting({ draft, onChange }: Part) {
  const { messages } = useTexts({ en, de });
  const text = messages.fields;
  const sources = useChoiceSources();
  const some = [
    { field: 'space', label: text.space, none: text.noSpace, source: sources.teamspaces },
    { field: 'tag', label: text.tag, none: text.noTag, source: sources.tags },
  ] as const;
  return (
    <div className="send-pair">
      {some.map(({ field, ...choice }) => (
        <ChoiceOfMany
          key={field}
          {...choice}
          value={draft[field]}
          onChoose={(chosen) => onChange({ [field]: chosen?.id ?? '' })}
          onGone={() => onChange({ [field]: '' })}
        />
      ))}
    </div>
  );
}
