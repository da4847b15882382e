import type { FormSource } from '#protocol/agent/automations/fields.ts';
import { askedFields } from '#protocol/form-rules.ts';
import type { FormField } from '#protocol/hosted/forms.ts';
import { SelectField, TextField } from '#ui/field.tsx';
import { FormFields } from '#ui/form/form-fields.tsx';
import { useFormat } from '../../messages/format.ts';
import type { EditorPartProps } from './editor-part.ts';
import { useEditorTexts } from './texts.ts';

type Source = FormSource['source'] | 'fixed';
const sources = ['fixed', 'name', 'folder', 'sidecar'] as const satisfies readonly Source[];

/** What each kind of source begins with. */
const firsts: Readonly<Record<FormSource['source'], FormSource>> = {
  name: { source: 'name', pattern: '^(?P<value>[^_]+)_' },
  folder: { source: 'folder', level: 0 },
  sidecar: { source: 'sidecar', file: '*.json', key: '' },
};

/** Filled by what the automation says about each package anyway. */
const known: readonly FormField['type'][] = ['package_name', 'package_description', 'sender_email'];

/** Where the answers to a Portal's form come from, field by field. */
export function FormSources({ draft, onChange, errorOf, fields }: EditorPartProps & { readonly fields: readonly FormField[] }) {
  const { form: texts } = useEditorTexts();
  const asked = askedFields(fields).filter(({ visibility, type }) => visibility !== 'readonly' && !known.includes(type));
  const error = errorOf('sources') ?? errorOf('answers');
  if (asked.length === 0) return null;
  return (
    <fieldset className="portal-part" data-invalid={error ? true : undefined}>
      <legend>{texts.title}</legend>
      <p className="hint">{texts.text}</p>
      {error ? <p className="field-error">{error}</p> : null}
      {asked.map((field) => (
        <FieldSource key={field.name} field={field} draft={draft} onChange={onChange} />
      ))}
    </fieldset>
  );
}

function FieldSource({ field, draft, onChange }: Pick<EditorPartProps, 'draft' | 'onChange'> & { readonly field: FormField }) {
  const { messages, number } = useFormat();
  const { form: texts } = useEditorTexts();
  const label = field.label || field.name;
  const source = draft.sources[field.name];
  const set = (next: FormSource | null): void => {
    const { [field.name]: _, ...others } = draft.sources;
    onChange({ sources: next ? { ...others, [field.name]: next } : others });
  };
  // A fixed answer need not be: without one the field is asked.
  const said: FormField = { ...field, label: source ? texts.otherwise(label) : texts.fixed(label), visibility: 'optional' };
  return (
    <div className="form form-source">
      <SelectField
        label={texts.from(label)}
        value={source?.source ?? 'fixed'}
        onChange={({ target }) => set(target.value === 'fixed' ? null : firsts[target.value as FormSource['source']])}
      >
        {sources.map((one) => (
          <option key={one} value={one}>
            {texts.sources[one]}
          </option>
        ))}
      </SelectField>
      {source ? <SourceFields source={source} onChange={set} /> : null}
      <FormFields
        fields={[said]}
        answers={draft.answers}
        onAnswer={(name, answer) => onChange({ answers: { ...draft.answers, [name]: answer } })}
        judged
        messages={messages.send.form}
        number={number}
      />
    </div>
  );
}

function SourceFields({ source, onChange }: { readonly source: FormSource; readonly onChange: (source: FormSource) => void }) {
  const { form: texts } = useEditorTexts();
  const typed = { className: 'input mono', spellCheck: false, autoComplete: 'off', required: true } as const;
  switch (source.source) {
    case 'name':
      return (
        <TextField
          {...typed}
          label={texts.pattern}
          value={source.pattern}
          onChange={(event) => onChange({ ...source, pattern: event.target.value })}
          hint={texts.patternHint}
        />
      );
    case 'folder':
      return (
        <SelectField
          label={texts.level}
          value={source.level ?? 0}
          onChange={(event) => onChange({ ...source, level: Number(event.target.value) })}
        >
          {texts.levels.map((level, index) => (
            <option key={level} value={index}>
              {level}
            </option>
          ))}
          {(source.level ?? 0) >= texts.levels.length ? <option value={source.level}>{source.level}</option> : null}
        </SelectField>
      );
    case 'sidecar':
      return (
        <>
          <TextField
            {...typed}
            label={texts.sidecar}
            value={source.file}
            onChange={(event) => onChange({ ...source, file: event.target.value })}
            hint={texts.sidecarHint}
          />
          <TextField
            {...typed}
            label={texts.key}
            value={source.key}
            onChange={(event) => onChange({ ...source, key: event.target.value })}
            hint={texts.keyHint}
          />
        </>
      );
  }
}
