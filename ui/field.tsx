import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes, useId } from 'react';

interface FieldProps {
  readonly label: string;
  /** A remark after the label, e.g. that the field is optional. */
  readonly aside?: string | undefined;
  /** A sentence under the field. */
  readonly hint?: ReactNode;
  /** What is wrong with the value. It is read out, and the field is marked. */
  readonly error?: string | null;
}

/** A labelled line of text. */
export function TextField({ label, aside, hint, error, ...input }: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const frame = { label, aside, hint, error };
  const { id, aria } = useField(frame);
  return (
    <FieldFrame id={id} {...frame}>
      <input id={id} className="input" dir="auto" {...aria} {...input} />
    </FieldFrame>
  );
}

/** Labelled text of several lines. */
export function TextAreaField({ label, aside, hint, error, ...input }: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const frame = { label, aside, hint, error };
  const { id, aria } = useField(frame);
  return (
    <FieldFrame id={id} {...frame}>
      <textarea id={id} className="input" dir="auto" rows={3} {...aria} {...input} />
    </FieldFrame>
  );
}

/** A labelled choice of one. Its options are the children. */
export function SelectField({ label, aside, hint, error, children, ...input }: FieldProps & SelectHTMLAttributes<HTMLSelectElement>) {
  const frame = { label, aside, hint, error };
  const { id, aria } = useField(frame);
  return (
    <FieldFrame id={id} {...frame}>
      <select id={id} className="input" {...aria} {...input}>
        {children}
      </select>
    </FieldFrame>
  );
}

/** A checkbox with its label beside it. */
export function CheckField({ label, aside, hint, error, ...input }: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const { id, aria } = useField({ hint, error });
  return (
    <div className="field">
      <label className="check" dir="auto">
        <input type="checkbox" {...aria} {...input} />
        <span>
          {label}
          <Aside text={aside} />
        </span>
      </label>
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

interface FieldsetProps extends FieldProps {
  /** Of checkboxes or of radio buttons. */
  readonly multiple: boolean;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

/** Several checkboxes or radio buttons under one legend. A browser has no `aria-invalid` for them, so `data-invalid` marks it. */
export function OptionsField({ label, aside, hint, error, multiple, disabled, children }: FieldsetProps) {
  const { id, aria } = useField({ hint, error });
  return (
    <fieldset
      className="field options"
      disabled={disabled}
      role={multiple ? undefined : 'radiogroup'}
      data-invalid={aria['aria-invalid']}
      aria-describedby={aria['aria-describedby']}
    >
      <legend dir="auto">
        {label}
        <Aside text={aside} />
      </legend>
      {children}
      <FieldNotes id={id} hint={hint} error={error} />
    </fieldset>
  );
}

/** The keyboard goes to the first field with an error, which may be out of sight: once the errors are shown. */
export function focusFirstError(form: Element | null, others = ''): void {
  const marked = `[aria-invalid="true"], [data-invalid] input${others ? `, ${others}` : ''}`;
  requestAnimationFrame(() => form?.querySelector<HTMLElement>(marked)?.focus());
}

function useField({ hint, error }: Pick<FieldProps, 'hint' | 'error'>) {
  const id = useId();
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return { id, aria: { 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined } };
}

function FieldFrame({ id, label, aside, hint, error, children }: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id} dir="auto">
        {label}
        <Aside text={aside} />
      </label>
      {children}
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

const Aside = ({ text }: { text: string | undefined }) => (text ? <span className="optional"> {text}</span> : null);

function FieldNotes({ id, hint, error }: Pick<FieldProps, 'hint' | 'error'> & { id: string }) {
  return (
    <>
      {error ? (
        <p className="field-error" id={`${id}-error`}>
          {error}
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
