import { useId } from 'react';
import {
  type Answer,
  type AnswerProblem,
  type Answers,
  askedFields,
  defaultAnswer,
  isCheck,
  isMultiple,
  isRequired,
  longestAnswer,
  problemOf,
  withOption,
} from '#protocol/form-rules.ts';
import type { FormField } from '#protocol/hosted/forms.ts';
import { CheckField, OptionsField, SelectField, TextAreaField, TextField } from '../field.tsx';
import type { SameShape } from '../locale.ts';
import type { en } from './messages/en.ts';

/** `readonly` is the hint of an answer that the Portal has set. */
export type FormMessages = SameShape<typeof en> & { readonly readonly: string };

interface FormFieldsProps {
  readonly fields: readonly FormField[];
  readonly answers: Answers;
  readonly onAnswer: (name: string, answer: Answer) => void;
  /** Whether problems are shown: only after a try to send. */
  readonly judged: boolean;
  /** What the page itself has to say of the field that names the package. */
  readonly packageName?: { readonly hint: string; readonly error: string | null } | undefined;
  readonly messages: FormMessages;
  /** Formats a number. */
  readonly number: (value: number) => string;
}

/** The fields of a Portal's form, in its order. */
export function FormFields({ fields, answers, onAnswer, judged, packageName, messages, number }: FormFieldsProps) {
  const errorOf = (problem: AnswerProblem | null, field: FormField): string | null => {
    if (!problem || !judged) return null;
    if (problem === 'tooLong') return messages.problems.tooLong(number(longestAnswer(field)));
    return messages.problems[problem];
  };
  return askedFields(fields).map((field) => {
    const own = field.type === 'package_name' ? packageName : undefined;
    const answer = field.visibility === 'readonly' ? defaultAnswer(field) : (answers[field.name] ?? '');
    return (
      <OneField
        key={field.name}
        field={field}
        answer={answer}
        hint={[field.help, own?.hint].filter(Boolean).join(' ') || undefined}
        error={errorOf(problemOf(field, answer), field) ?? own?.error ?? null}
        messages={messages}
        onAnswer={(next) => onAnswer(field.name, next)}
      />
    );
  });
}

/** No `type` but `date`: a browser would say in its own language, and by other rules, what is wrong with an address. */
const inputs: Partial<Record<FormField['type'], { type?: string; inputMode?: 'decimal' | 'url' | 'email'; autoComplete?: string }>> = {
  date: { type: 'date' },
  number: { inputMode: 'decimal' },
  url: { inputMode: 'url', autoComplete: 'url' },
  email: { inputMode: 'email' },
  sender_email: { inputMode: 'email', autoComplete: 'email' },
};

interface OneFieldProps {
  readonly field: FormField;
  readonly answer: Answer;
  readonly hint: string | undefined;
  readonly error: string | null;
  readonly messages: FormMessages;
  readonly onAnswer: (answer: Answer) => void;
}

function OneField({ field, answer, hint, error, messages, onAnswer }: OneFieldProps) {
  const id = useId();
  const fixed = field.visibility === 'readonly';
  const required = isRequired(field) || undefined;
  const frame = {
    label: field.label || field.name,
    hint,
    error,
    aside: fixed ? messages.readonly : required ? undefined : messages.optional,
  };
  const options = field.options ?? [];
  if (isCheck(field)) {
    return (
      <CheckField
        {...frame}
        checked={answer === true}
        disabled={fixed}
        aria-required={required}
        onChange={(event) => onAnswer(event.target.checked)}
      />
    );
  }
  if (field.type === 'checkbox' || field.type === 'radio') {
    const multiple = isMultiple(field);
    return (
      <OptionsField {...frame} multiple={multiple} disabled={fixed}>
        {options.map((option) => (
          <label key={option} className="check" dir="auto">
            <input
              type={multiple ? 'checkbox' : 'radio'}
              name={id}
              checked={Array.isArray(answer) ? answer.includes(option) : answer === option}
              onChange={(event) => onAnswer(multiple ? withOption(field, answer, option, event.target.checked) : option)}
            />
            {option}
          </label>
        ))}
      </OptionsField>
    );
  }
  const value = typeof answer === 'string' ? answer : '';
  if (field.type === 'dropdown') {
    return (
      <SelectField {...frame} value={value} disabled={fixed} aria-required={required} onChange={(event) => onAnswer(event.target.value)}>
        <option value="">{messages.choose}</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </SelectField>
    );
  }
  const text = { ...frame, value, readOnly: fixed, 'aria-required': required };
  if (field.type === 'long_text' || field.type === 'package_description') {
    return <TextAreaField {...text} onChange={(event) => onAnswer(event.target.value)} />;
  }
  return <TextField type="text" {...text} {...inputs[field.type]} onChange={(event) => onAnswer(event.target.value)} />;
}
