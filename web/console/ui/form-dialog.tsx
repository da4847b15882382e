import { type ReactNode, useRef, useState } from 'react';
import { ModalDialog } from '#ui/dialog.tsx';
import { focusFirstError } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { useShellTexts } from '../app/texts.ts';
import { useFaultText } from './fault-text.ts';

interface FormDialogProps {
  readonly title: string;
  /** The button that does it. */
  readonly submit: string;
  /** It cannot be undone. */
  readonly danger?: boolean;
  /** A short question rather than a form. */
  readonly small?: boolean;
  /**
   * Does it; the dialog closes after it. `false`: it stays open, since the fields have errors to show. What it throws is
   * shown in the dialog.
   */
  readonly onSubmit: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** A modal dialog with a form, or with a question. Mount it to open it. */
export function FormDialog({ title, submit, danger = false, small = false, onSubmit, onClose, children }: FormDialogProps) {
  const { messages } = useShellTexts();
  const fault = useFaultText();
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      if ((await onSubmit()) === false) focusFirstError(form.current);
      else onClose();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <ModalDialog title={title} closeLabel={messages.close} onLeave={onClose} {...(small ? { className: 'dialog-small' } : {})}>
      <form
        ref={form}
        className="form"
        noValidate
        aria-busy={busy}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void send();
        }}
      >
        {children}
        {error === null ? null : <Notice tone="bad">{fault(error)}</Notice>}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            {messages.cancel}
          </button>
          <button type="submit" className={`button ${danger ? 'button-danger' : 'button-primary'}`} disabled={busy}>
            {submit}
          </button>
        </div>
      </form>
    </ModalDialog>
  );
}

/** Asks before something is done that cannot be undone. */
export const ConfirmDialog = (props: Omit<FormDialogProps, 'small'>) => <FormDialog {...props} small danger={props.danger ?? true} />;
