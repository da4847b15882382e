import { limits } from '#protocol/limits.ts';
import { parseNamePattern, sampleName } from '#protocol/name-pattern.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { CheckField, TextAreaField, TextField } from '#ui/field.tsx';
import { de } from '../../../messages/de/console/portal-editor.ts';
import { en } from '../../../messages/en/console/portal-editor.ts';
import { useTexts } from '../../app/texts.ts';
import { pageOf } from '../calls.ts';
import { Delivery } from './delivery.tsx';
import { ImageField } from './image-field.tsx';
import { ListField } from './list-field.tsx';
import { bind, Section, type SettingsProps } from './section.tsx';
import { Storage } from './storage.tsx';

const megabyte = 1_000_000;
const gigabyte = 1_000_000_000;

/** Every setting of a Portal, in the order in which somebody who sets one up thinks of them. */
export function Settings({ storageUsed, ...props }: SettingsProps & { readonly storageUsed: number | undefined }) {
  const { messages, size } = useTexts({ en, de });
  const { draft, change } = props;
  const { text, check, number, error } = bind(props);
  const { sections } = messages;
  return (
    <>
      <Section title={sections.page}>
        <CheckField label={messages.active} hint={draft.active ? undefined : messages.activeHint} {...check('active')} />
        <TextField label={messages.name} maxLength={limits.nameLength} {...text('name')} />
        <TextField
          label={messages.subdomain}
          hint={messages.subdomainHint(pageOf(draft.subdomain))}
          maxLength={53}
          autoCapitalize="none"
          spellCheck={false}
          {...text('subdomain')}
        />
        <TextAreaField label={messages.message} maxLength={limits.textLength} {...text('message')} />
      </Section>
      <Section title={sections.look}>
        <CheckField
          label={messages.colorOwn}
          checked={draft.primary_color !== ''}
          onChange={(event) => change({ primary_color: event.target.checked ? '#0b6b74' : '' })}
        />
        {draft.primary_color === '' ? null : (
          <TextField label={messages.color} type="color" className="input color-input" dir="ltr" {...text('primary_color')} />
        )}
        <ImageField label={messages.logo} value={draft.logo_url} error={error('logo_url')} onChange={(logo_url) => change({ logo_url })} />
        <ImageField
          label={messages.background}
          value={draft.background_url}
          error={error('background_url')}
          onChange={(background_url) => change({ background_url })}
        />
      </Section>
      <Section title={sections.access}>
        <CheckField label={messages.hasCode} hint={messages.hasCodeHint} {...check('has_access_code')} />
        {draft.has_access_code ? (
          <TextField label={messages.code} autoComplete="off" maxLength={limits.passwordLength.max} {...text('access_code')} />
        ) : null}
        <CheckField label={messages.hasExpiry} {...check('expiry_enabled')} />
        {draft.expiry_enabled ? (
          <TextField
            label={messages.expiry}
            type="datetime-local"
            error={error('expiry')}
            value={localMoment(draft.expiry)}
            onChange={(event) => change({ expiry: event.target.value === '' ? unsetDateTime : new Date(event.target.value).toISOString() })}
          />
        ) : null}
      </Section>
      <NameSettings {...props} />
      <Section title={sections.files}>
        <CheckField label={messages.limitSizes} {...check('package_size_restriction_enabled')} />
        {draft.package_size_restriction_enabled ? (
          <>
            <TextField label={messages.maxPackage} hint={messages.noLimit} {...number('max_package_size', megabyte)} />
            <TextField label={messages.maxFile} hint={messages.noLimit} {...number('max_file_size', megabyte)} />
            <TextField label={messages.maxCount} hint={messages.noLimit} {...number('max_file_count')} />
          </>
        ) : null}
        <TextField
          label={messages.maxStorage}
          hint={storageUsed === undefined ? messages.maxStorageHint : messages.storageUsed(size(storageUsed))}
          {...number('max_storage', gigabyte)}
        />
        <CheckField label={messages.limitTypes} {...check('file_type_restriction_enabled')} />
        {draft.file_type_restriction_enabled ? (
          <ListField
            label={messages.types}
            hint={messages.typesHint}
            error={error('file_types')}
            value={draft.file_types}
            onChange={(types) => change({ file_types: types.map((one) => (one.startsWith('.') ? one : `.${one}`)) })}
          />
        ) : null}
      </Section>
      <TermsSettings {...props} />
      <Delivery {...props} />
      <Storage {...props} />
    </>
  );
}

/** A moment as the browser's field has it: in the time zone of the person. */
function localMoment(iso: string): string {
  const at = new Date(iso);
  if (iso === unsetDateTime || Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function NameSettings(props: SettingsProps) {
  const { messages } = useTexts({ en, de });
  const { draft } = props;
  const { text } = bind(props);
  const parsed = parseNamePattern(draft.name_pattern);
  const sample = parsed.ok ? sampleName(parsed.pattern) : '';
  return (
    <Section title={messages.sections.names}>
      <TextField label={messages.pattern} hint={messages.patternHint} spellCheck={false} maxLength={255} {...text('name_pattern')} />
      {draft.name_pattern === '' ? null : (
        <>
          <TextField
            label={messages.patternLabel}
            hint={messages.patternLabelHint}
            maxLength={limits.nameLength}
            {...text('name_pattern_label')}
          />
          <TextField
            label={messages.patternExample}
            hint={messages.patternExampleHint(sample)}
            maxLength={limits.nameLength}
            {...text('name_pattern_example')}
          />
        </>
      )}
    </Section>
  );
}

function TermsSettings(props: SettingsProps) {
  const { messages } = useTexts({ en, de });
  const { draft, change } = props;
  const { check, error } = bind(props);
  const terms = draft.terms_of_service;
  const part = (name: keyof typeof terms) => ({
    value: terms[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      change({ terms_of_service: { ...terms, [name]: target.value } }),
  });
  return (
    <Section title={messages.sections.terms}>
      <CheckField label={messages.hasTerms} {...check('terms_of_service_enabled')} />
      {draft.terms_of_service_enabled ? (
        <>
          <TextField label={messages.termsTitle} maxLength={limits.nameLength} {...part('title')} />
          <TextAreaField label={messages.termsText} maxLength={limits.textLength} {...part('description')} />
          <TextField label={messages.termsLabel} maxLength={limits.nameLength} {...part('checkbox_label')} />
          <TextField label={messages.termsUrl} inputMode="url" error={error('terms_of_service')} {...part('checkbox_url')} />
        </>
      ) : null}
    </Section>
  );
}
