import { limits } from '#protocol/limits.ts';
import { CheckField, SelectField, TextField } from '#ui/field.tsx';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTexts } from '../../app/texts.ts';
import { ChoiceOfMany } from '../../ui/choice-of-many.tsx';
import { useChoiceSources } from '../../ui/choice-sources.ts';
import { AccessList } from './access-list.tsx';
import { ListField } from './list-field.tsx';
import { bind, Section, type SettingsProps } from './section.tsx';

/** Who is told of packages, how long they are kept, where they stand, and who sees them. */
export function Delivery(props: SettingsProps) {
  const { messages } = useTexts({ en, de });
  const { draft, change } = props;
  const { text, check, error } = bind(props);
  const sources = useChoiceSources();
  const days = draft.custom_expiry_days;
  const keep = days === 0 ? 'team' : days < 0 ? 'ever' : 'days';
  return (
    <Section title={messages.sections.delivery}>
      <ListField
        label={messages.recipients}
        hint={messages.recipientsHint}
        error={error('recipients')}
        value={draft.recipients}
        onChange={(recipients) => change({ recipients })}
      />
      <ListField
        label={messages.copies}
        hint=""
        error={error('cc_recipients')}
        value={draft.cc_recipients}
        onChange={(addresses) => change({ cc_recipients: addresses })}
      />
      <CheckField
        label={messages.password}
        {...check('has_download_password')}
        onChange={(event) => change({ has_download_password: event.target.checked, download_password: '' })}
      />
      {draft.has_download_password ? (
        <TextField
          label={messages.passwordText}
          hint={messages.passwordHint}
          type="password"
          autoComplete="new-password"
          maxLength={limits.passwordLength.max}
          {...text('download_password')}
        />
      ) : null}
      <SelectField
        label={messages.keep}
        value={keep}
        onChange={(event) => change({ custom_expiry_days: { team: 0, ever: -1, days: 30 }[event.target.value] ?? 0 })}
      >
        <option value="team">{messages.keepTeam}</option>
        <option value="days">{messages.keepDays}</option>
        <option value="ever">{messages.keepEver}</option>
      </SelectField>
      {keep === 'days' ? (
        <TextField
          label={messages.days}
          type="number"
          min={1}
          max={limits.portalExpiryDays.max}
          error={error('custom_expiry_days')}
          value={String(days)}
          onChange={(event) => change({ custom_expiry_days: Math.max(1, Math.round(Number(event.target.value))) })}
        />
      ) : null}
      <ChoiceOfMany
        source={sources.teamspaces}
        label={messages.teamspace}
        none={messages.none}
        error={error('teamspace_id')}
        value={draft.teamspace_id}
        onChoose={(chosen) => change({ teamspace_id: chosen?.id ?? '' })}
      />
      <ChoiceOfMany
        source={sources.tags}
        label={messages.tag}
        none={messages.none}
        error={error('tag')}
        value={draft.tag?.id ?? ''}
        onChoose={(tag) => change({ tag: tag ?? undefined })}
      />
      <SelectField
        label={messages.who}
        value={draft.access_level}
        onChange={(event) => change({ access_level: event.target.value === 'private' ? 'private' : 'regular' })}
      >
        <option value="regular">{messages.regular}</option>
        <option value="private">{messages.private}</option>
      </SelectField>
      {draft.access_level === 'private' ? <AccessList {...props} /> : null}
    </Section>
  );
}
