import { useId } from 'react';
import type { FormField } from '#protocol/hosted/forms.ts';
import { useLocale } from '../../messages/locale.ts';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { type Answer, type AnswerProblem, type Answers, isNeeded } from './form-values.ts';

interface FormFieldsProps {
  readonly fields: readonly FormField[];
  readonly answers: Answers;
  readonly problems: Readonly<Record<string, AnswerProblem>>;
  readonly onAnswer: (name: string, answer: Answer) => void;
}

/** The form fields of a Portal for its sender. */
export function FormFields({ fields, answers, problems, onAnswer }: FormFieldsProps) {
  return fields.map((field) => (
    <OneField
      key={field.name}
      field={field}
      answer={answers[field.name] ?? ''}
      problem={problems[field.name] ?? null}
      onAnswer={(answer) => onAnswer(field.name, answer)}
    />
  ));
}

interface OneFieldProps {
  readonly field: FormField;
  readonly answer: Answer;
  readonly problem: AnswerProblem | null;
  readonly onAnswer: (answer: Answer) => void;
}

const inputTypes: Partial<Record<FormField['type'], string>> = {
  date: 'date',
  url: 'url',
  email: 'email',
  sender_email: 'email',
};

function OneField({ field, answer, problem, onAnswer }: OneFieldProps) {
  const { portal: messages } = useLocale().messages.send;
  const error = problem === null ? null : problem === 'needed' ? messages.needed : messages.bad[problem];
  const locked = field.visibility === 'readonly';
  const common = { label: field.label || field.name, optional: !isNeeded(field) && !locked, error };
  const options = field.options ?? [];
  if (field.type === 'checkbox' || field.type === 'radio') {
    return <Options field={field} options={options} answer={answer} error={error} locked={locked} onAnswer={onAnswer} />;
  }
  if (field.type === 'dropdown') {
    return (
      <SelectField {...common} disabled={locked} value={String(answer)} onChange={(event) => onAnswer(event.target.value)}>
        <option value="">{messages.choose}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </SelectField>
    );
  }
  if (field.type === 'long_text' || field.type === 'package_description') {
    return (
      <TextAreaField {...common} rows={3} readOnly={locked} value={String(answer)} onChange={(event) => onAnswer(event.target.value)} />
    );
  }
  return (
    <TextField
      {...common}
      type={inputTypes[field.type] ?? 'text'}
      inputMode={field.type === 'number' ? 'decimal' : undefined}
      readOnly={locked}
      value={String(answer)}
      onChange={(event) => onAnswer(event.target.value)}
    />
  );
}

interface OptionsProps extends Pick<OneFieldProps, 'field' | 'answer' | 'onAnswer'> {
  readonly options: readonly string[];
  readonly error: string | null;
  readonly locked: boolean;
}

/** A single checkbox, several checkboxes, or radio buttons. */
function Options({ field, options, answer, error, locked, onAnswer }: OptionsProps) {
  const { messages } = useLocale();
  const id = useId();
  const ticked = Array.isArray(answer) ? (answer as readonly string[]) : [];
  const label = field.label || field.name;
  return (
    <fieldset className="field form-options" aria-describedby={error ? `${id}-error` : undefined}>
      <legend>
        {label}
        {isNeeded(field) || locked ? null : <span className="optional"> {messages.app.optional}</span>}
      </legend>
      {field.type === 'checkbox' && options.length === 0 ? (
        <label className="check">
          <input type="checkbox" disabled={locked} checked={answer === true} onChange={(event) => onAnswer(event.target.checked)} />
          <span>{messages.send.portal.yes}</span>
        </label>
      ) : (
        options.map((option) => (
          <label key={option} className="check">
            <input
              type={field.type === 'radio' ? 'radio' : 'checkbox'}
              name={id}
              disabled={locked}
              checked={field.type === 'radio' ? answer === option : ticked.includes(option)}
              onChange={(event) => {
                if (field.type === 'radio') onAnswer(option);
                else onAnswer(event.target.checked ? [...ticked, option] : ticked.filter((one) => one !== option));
              }}
            />
            <span dir="auto">{option}</span>
          </label>
        ))
      )}
      {error ? (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
