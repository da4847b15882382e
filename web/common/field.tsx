import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes, useId } from 'react';

export interface FieldProps {
  readonly label: string;
  /** A remark after the label, e.g. that the field is optional. */
  readonly aside?: string;
  /** A sentence under the field. */
  readonly hint?: ReactNode;
  /** The problem with the value. It is read out, and the field is marked. */
  readonly problem?: string | null;
}

export function useField({ hint, problem }: FieldProps) {
  const id = useId();
  const described = [hint ? `${id}-hint` : '', problem ? `${id}-problem` : ''].filter(Boolean).join(' ');
  return { id, aria: { 'aria-describedby': described || undefined, 'aria-invalid': problem ? true : undefined } };
}

/** Label, hint and problem around the control with this `id`. */
export function FieldFrame({ id, label, aside, hint, problem, children }: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id} dir="auto">
        {label}
        {aside ? <span className="optional"> {aside}</span> : null}
      </label>
      {children}
      <FieldNotes id={id} hint={hint} problem={problem} />
    </div>
  );
}

export function FieldNotes({ id, hint, problem }: Pick<FieldProps, 'hint' | 'problem'> & { id: string }) {
  return (
    <>
      {problem ? (
        <p className="field-error" id={`${id}-problem`}>
          {problem}
        </p>
      ) : null}
      {hint ? (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </>
  );
}

export function TextField({ label, aside, hint, problem, ...input }: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const frame = { label, aside, hint, problem };
  const { id, aria } = useField(frame);
  return (
    <FieldFrame id={id} {...frame}>
      <input id={id} className="input" dir="auto" {...aria} {...input} />
    </FieldFrame>
  );
}

export function TextAreaField({ label, aside, hint, problem, ...input }: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const frame = { label, aside, hint, problem };
  const { id, aria } = useField(frame);
  return (
    <FieldFrame id={id} {...frame}>
      <textarea id={id} className="input" dir="auto" rows={3} {...aria} {...input} />
    </FieldFrame>
  );
}

export function SelectField({ label, aside, hint, problem, children, ...input }: FieldProps & SelectHTMLAttributes<HTMLSelectElement>) {
  const frame = { label, aside, hint, problem };
  const { id, aria } = useField(frame);
  return (
    <FieldFrame id={id} {...frame}>
      <select id={id} className="input" {...aria} {...input}>
        {children}
      </select>
    </FieldFrame>
  );
}
