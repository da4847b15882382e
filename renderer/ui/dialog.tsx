import { createContext, type ReactNode, type SyntheticEvent, useContext, useId, useLayoutEffect, useRef, useState } from 'react';
import { ModalDialog } from '#ui/dialog.tsx';
import { useLocale } from '../messages/locale.ts';
import { useAskBeforeUnload } from './ask-before-unload.ts';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
  /** A short question rather than a form. */
  readonly small?: boolean;
  /** With a list beside another. */
  readonly wide?: boolean;
  /**
   * Set for a form that asks before its input is lost: whether it has input that was not typed, such as chosen files.
   * The dialog notices typed input itself.
   */
  readonly filled?: boolean;
  /** A form whose input is kept when it is closed: nothing is asked. */
  readonly keeps?: boolean;
}

const LeaveContext = createContext<() => void>(() => undefined);

/** Closes the dialog as Escape does: a form with input asks first. */
export function CancelButton() {
  const leave = useContext(LeaveContext);
  const { messages } = useLocale();
  return (
    <button type="button" className="button" onClick={leave}>
      {messages.app.cancel}
    </button>
  );
}

/** A modal dialog. One with a form asks before its input is thrown away. Mount it to open it. */
export function Dialog({ title, children, onClose, small, wide, filled, keeps = false }: DialogProps) {
  const { messages } = useLocale();
  const [asking, setAsking] = useState(false);
  /** Fields that were typed into, and whether they have content now. */
  const typed = useRef(new Map<Element, boolean>());
  const focusBefore = useRef<Element | null>(null);

  const wouldLose = (): boolean => !keeps && filled !== undefined && (filled || [...typed.current.values()].includes(true));
  useAskBeforeUnload(wouldLose);
  const leave = (): void => {
    if (!wouldLose()) {
      onClose();
      return;
    }
    focusBefore.current = document.activeElement;
    setAsking(true);
  };
  const stay = (): void => {
    setAsking(false);
    // The form takes the focus again once it is no longer inert.
    requestAnimationFrame(() => focusBefore.current instanceof HTMLElement && focusBefore.current.focus());
  };
  return (
    <ModalDialog
      title={title}
      closeLabel={messages.app.close}
      closeDisabled={asking}
      {...(small ? { className: 'dialog-small' } : wide ? { className: 'dialog-wide' } : {})}
      onLeave={(reopened) => {
        if (!asking) leave();
        else if (!reopened) stay();
      }}
      onInput={(event) => noteTyped(event, typed.current)}
    >
      {filled === undefined ? (
        children
      ) : (
        <LeaveContext value={leave}>
          <div inert={asking}>{children}</div>
        </LeaveContext>
      )}
      {asking ? <LoseQuestion onStay={stay} onLose={onClose} /> : null}
    </ModalDialog>
  );
}

function noteTyped({ target, currentTarget }: SyntheticEvent, typed: Map<Element, boolean>): void {
  // A dialog inside this one notices its own input.
  if (!(target instanceof Element) || target.closest('dialog') !== currentTarget) return;
  if (target instanceof HTMLInputElement) {
    if (target.type === 'radio') return;
    typed.set(target, target.type === 'checkbox' ? target.checked : target.value !== '');
  } else if (target instanceof HTMLTextAreaElement) typed.set(target, target.value !== '');
  else if (target instanceof HTMLSelectElement) typed.set(target, true);
}

/** Rendered inside the form's dialog: a repeated Escape would close a second dialog together with it. */
function LoseQuestion({ onStay, onLose }: { readonly onStay: () => void; readonly onLose: () => void }) {
  const { messages } = useLocale();
  const { lose } = messages.app;
  const id = useId();
  const stay = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => stay.current?.focus(), []);
  return (
    <section className="dialog-question" role="alertdialog" aria-labelledby={id}>
      <p id={id}>{lose.question}</p>
      <div className="dialog-question-acts">
        <button type="button" className="button button-danger" onClick={onLose}>
          {lose.lose}
        </button>
        <button ref={stay} type="button" className="button button-primary" onClick={onStay}>
          {lose.stay}
        </button>
      </div>
    </section>
  );
}
