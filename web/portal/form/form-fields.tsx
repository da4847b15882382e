import { useId } from 'react';
import type { FormField } from '#protocol/hosted/forms.ts';
import { FieldNotes, SelectField, TextAreaField, TextField } from '../../common/field.tsx';
import { useLocale } from '../../messages/portal.ts';
import { initialValue, isMany, isNeeded, isTick, mostOf, type Problem, problemOf, type Value, type Values } from './fields.ts';

interface FormFieldsProps {
  readonly fields: readonly FormField[];
  readonly values: Values;
  readonly onChange: (name: string, value: Value) => void;
  /** Whether to show problems: only after an attempt to send. */
  readonly judged: boolean;
}

/** A Portal's custom form, with the fields in its order. */
export function FormFields({ fields, values, onChange, judged }: FormFieldsProps) {
  const { messages, tag } = useLocale();
  const problemText = (problem: Problem | null, field: FormField): string | null => {
    if (!problem || !judged) return null;
    if (problem === 'tooLong') return messages.invalid.tooLong(new Intl.NumberFormat(tag).format(mostOf(field)));
    return messages.invalid[problem];
  };
  return fields.map((field) => {
    const value = field.visibility === 'readonly' ? initialValue(field) : (values[field.name] ?? '');
    return (
      <OneField
        key={field.name}
        field={field}
        value={value}
        problem={problemText(problemOf(field, value), field)}
        onChange={(next) => onChange(field.name, next)}
      />
    );
  });
}

interface OneFieldProps {
  readonly field: FormField;
  readonly value: Value;
  readonly problem: string | null;
  readonly onChange: (value: Value) => void;
}

const kinds: Partial<Record<FormField['type'], { type: string; inputMode?: 'decimal' | 'url' | 'email'; autoComplete?: string }>> = {
  date: { type: 'date' },
  number: { type: 'text', inputMode: 'decimal' },
  url: { type: 'text', inputMode: 'url', autoComplete: 'url' },
  email: { type: 'text', inputMode: 'email' },
  sender_email: { type: 'text', inputMode: 'email', autoComplete: 'email' },
};

function OneField({ field, value, problem, onChange }: OneFieldProps) {
  const { messages } = useLocale();
  const fixed = field.visibility === 'readonly';
  const label = field.label || field.name;
  const needed = isNeeded(field);
  const frame = { label, problem, aside: fixed ? messages.details.readonly : needed ? undefined : messages.details.optional };
  if (isMany(field) || field.type === 'radio') return <Options field={field} value={value} onChange={onChange} {...frame} />;
  if (isTick(field)) return <Tick checked={value === true} fixed={fixed} needed={needed} onChange={onChange} {...frame} />;
  const text = typeof value === 'string' ? value : '';
  const common = { ...frame, value: text, readOnly: fixed, 'aria-required': needed || undefined };
  switch (field.type) {
    case 'dropdown':
      return (
        <SelectField
          {...frame}
          value={text}
          disabled={fixed}
          aria-required={needed || undefined}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">{messages.details.choose}</option>
          {field.options?.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </SelectField>
      );
    case 'long_text':
    case 'package_description':
      return <TextAreaField {...common} onChange={(event) => onChange(event.target.value)} />;
    default:
      return <TextField {...common} {...kinds[field.type]} onChange={(event) => onChange(event.target.value)} />;
  }
}

interface FramedProps {
  readonly label: string;
  readonly aside: string | undefined;
  readonly problem: string | null;
}

function Options({ field, value, onChange, label, aside, problem }: FramedProps & Omit<OneFieldProps, 'problem'>) {
  const id = useId();
  const many = isMany(field);
  const chosen = typeof value === 'string' ? [value] : typeof value === 'boolean' ? [] : value;
  const toggle = (option: string, on: boolean): void => {
    if (!many) onChange(option);
    else onChange(field.options!.filter((one) => (one === option ? on : chosen.includes(one))));
  };
  return (
    <fieldset
      className="field options"
      disabled={field.visibility === 'readonly'}
      role={many ? undefined : 'radiogroup'}
      data-invalid={problem ? true : undefined}
      aria-describedby={problem ? `${id}-problem` : undefined}
    >
      <legend dir="auto">
        {label}
        {aside ? <span className="optional"> {aside}</span> : null}
      </legend>
      {field.options?.map((option) => (
        <label key={option} className="check" dir="auto">
          <input
            type={many ? 'checkbox' : 'radio'}
            name={`${id}-options`}
            checked={chosen.includes(option)}
            onChange={(event) => toggle(option, event.target.checked)}
          />
          {option}
        </label>
      ))}
      <FieldNotes id={id} problem={problem} />
    </fieldset>
  );
}

interface TickProps extends FramedProps {
  readonly checked: boolean;
  readonly fixed: boolean;
  readonly needed: boolean;
  readonly onChange: (value: boolean) => void;
}

function Tick({ checked, fixed, needed, label, aside, problem, onChange }: TickProps) {
  const id = useId();
  return (
    <div className="field">
      <label className="check" dir="auto">
        <input
          type="checkbox"
          checked={checked}
          disabled={fixed}
          aria-required={needed || undefined}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${id}-problem` : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span>
          {label}
          {aside ? <span className="optional"> {aside}</span> : null}
        </span>
      </label>
      <FieldNotes id={id} problem={problem} />
    </div>
  );
}
