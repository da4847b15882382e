import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { CheckField, focusFirstError } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useLocale } from '../../messages/locale.ts';
import { FolderField } from '../../paths/folder-field.tsx';
import { faultyPart } from './mount-faults.ts';
import { useMountTexts } from './texts.ts';

interface MountFormProps {
  readonly label: string;
  /** The agent's refusal. */
  readonly error: Error | null;
  readonly folder: {
    readonly value: string;
    readonly onChange: (path: string) => void;
    readonly hint: string;
    readonly error: string | null;
  };
  readonly readOnly: { readonly value: boolean; readonly onChange: (value: boolean) => void };
  /** Above the folder. */
  readonly before?: ReactNode;
  /** Below it. */
  readonly children?: ReactNode;
  readonly submit: { readonly text: string; readonly isDisabled: boolean };
  /** False where something is missing. */
  readonly onSubmit: () => boolean;
  readonly onCancel: () => void;
}

/** What the forms of a new mount and of one that is changed have in common: the folder, whether it is written to, the refusal. */
export function MountForm({ label, error, folder, readOnly, before, children, submit, onSubmit, onCancel }: MountFormProps) {
  const { messages } = useLocale();
  const texts = useMountTexts();
  const fault = useFaultText();
  const form = useRef<HTMLFormElement>(null);
  // Once the refusal is shown.
  useEffect(() => {
    if (error) focusFirstError(form.current);
  }, [error]);

  const submitted = (event: FormEvent): void => {
    event.preventDefault();
    if (!onSubmit()) focusFirstError(form.current);
  };
  return (
    <form ref={form} className="form" aria-label={label} onSubmit={submitted}>
      {error && faultyPart(error) === null ? <Notice tone="bad">{fault(error)}</Notice> : null}
      {before}
      <FolderField label={texts.folder} {...folder} />
      {children}
      <CheckField
        label={texts.readOnly}
        checked={readOnly.value}
        hint={texts.readOnlyHint}
        onChange={(event) => readOnly.onChange(event.target.checked)}
      />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onCancel}>
          {messages.app.cancel}
        </button>
        <button type="submit" className="button button-primary" disabled={submit.isDisabled}>
          {submit.text}
        </button>
      </div>
    </form>
  );
}
