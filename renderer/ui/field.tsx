import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes, useId } from 'react';
import { useLocale } from '../messages/locale.ts';

interface FieldProps {
  readonly label: string;
  /** A sentence under the field. */
  readonly hint?: ReactNode;
  /** What is wrong with the value; read out, and the field is marked. */
  readonly error?: string | null;
  readonly optional?: boolean;
}

function useDescription(props: FieldProps) {
  const id = useId();
  const described = [props.hint ? `${id}-hint` : '', props.error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return { id, aria: { 'aria-describedby': described || undefined, 'aria-invalid': props.error ? true : undefined } };
}

function Frame({ id, children, ...props }: FieldProps & { id: string; children: ReactNode }) {
  const { messages } = useLocale();
  return (
    <div className="field">
      <label htmlFor={id}>
        {props.label}
        {props.optional ? <span className="optional"> {messages.app.optional}</span> : null}
      </label>
      {children}
      {props.error ? (
        <p className="field-error" id={`${id}-error`}>
          {props.error}
        </p>
      ) : null}
      {props.hint ? (
        <p className="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      ) : null}
    </div>
  );
}

/** A labelled line of text. */
export function TextField({ label, hint, error, optional, ...input }: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const { id, aria } = useDescription({ label, hint, error, optional });
  return (
    <Frame id={id} label={label} hint={hint} error={error} optional={optional}>
      <input id={id} className="input" {...aria} {...input} />
    </Frame>
  );
}

/** Labelled text of several lines. */
export function TextAreaField({ label, hint, error, optional, ...input }: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const { id, aria } = useDescription({ label, hint, error, optional });
  return (
    <Frame id={id} label={label} hint={hint} error={error} optional={optional}>
      <textarea id={id} className="input" {...aria} {...input} />
    </Frame>
  );
}

/** A labelled choice of one. */
export function SelectField({ label, hint, error, optional, children, ...input }: FieldProps & SelectHTMLAttributes<HTMLSelectElement>) {
  const { id, aria } = useDescription({ label, hint, error, optional });
  return (
    <Frame id={id} label={label} hint={hint} error={error} optional={optional}>
      <select id={id} className="input" {...aria} {...input}>
        {children}
      </select>
    </Frame>
  );
}
