import { createContext, type ReactNode, type SyntheticEvent, useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { CloseIcon } from '#ui/icons.tsx';
import { desktopBridge } from '../desktop/bridge.ts';
import { useLocale } from '../messages/locale.ts';
import { focusFirstField } from './first-field.ts';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
  /** A short question rather than a form. */
  readonly small?: boolean;
  /**
   * Given for a form that asks before it is thrown away: whether anything stands in it that was not typed, such as
   * chosen files. What is typed the dialog sees by itself.
   */
  readonly filled?: boolean;
}

const LeaveContext = createContext<() => void>(() => undefined);

/** Leaves a dialog with a form as Escape does: one that is filled in asks first. */
export function CancelButton() {
  const leave = useContext(LeaveContext);
  const { messages } = useLocale();
  return (
    <button type="button" className="button" onClick={leave}>
      {messages.app.cancel}
    </button>
  );
}

/** A modal dialog: the browser keeps the focus inside, closes it on Escape and gives the focus back. Mount it to open it. */
export function Dialog({ title, children, onClose, small, filled }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const { messages } = useLocale();
  const [asking, setAsking] = useState(false);
  /** Fields that were typed into, and whether anything stood in them then. */
  const typed = useRef(new Map<Element, boolean>());
  const focusBefore = useRef<Element | null>(null);
  // Before the element leaves the page: only a dialog that is still in it gives the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    if (dialog) focusFirstField(dialog);
    return () => dialog?.close();
  }, []);

  const wouldLose = (): boolean => filled !== undefined && (filled || [...typed.current.values()].includes(true));
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
  const back = (): void => (asking ? stay() : leave());
  return (
    <dialog
      ref={ref}
      className={small ? 'dialog dialog-small' : 'dialog'}
      aria-labelledby={heading}
      // A browser closes a dialog on a repeated Escape without asking the page, so the key itself is taken.
      onKeyDown={(event) => {
        const inside = event.target instanceof Element && event.target.closest('dialog') === event.currentTarget;
        if (event.key !== 'Escape' || !inside || event.defaultPrevented || event.nativeEvent.isComposing) return;
        event.preventDefault();
        if (!event.repeat) back();
      }}
      // Other ways to go back, such as a gesture. React hands on the events of a dialog that stands inside this one.
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        back();
      }}
      // Where the browser closed it all the same, what would be lost is shown again, and asked for.
      onClose={(event) => {
        if (event.target !== event.currentTarget || !event.currentTarget.isConnected) return;
        event.currentTarget.showModal();
        if (!asking) leave();
      }}
      onInput={(event) => noteTyped(event, typed.current)}
    >
      <header className="dialog-head">
        <h2 id={heading}>{title}</h2>
        <button type="button" className="button button-quiet button-icon" onClick={leave} disabled={asking} aria-label={messages.app.close}>
          <CloseIcon />
        </button>
      </header>
      {filled === undefined ? (
        children
      ) : (
        <LeaveContext value={leave}>
          <div inert={asking}>{children}</div>
        </LeaveContext>
      )}
      {asking ? <LoseQuestion onStay={stay} onLose={onClose} /> : null}
    </dialog>
  );
}

/** A browser that is to leave the page, or to load it anew, asks first. The desktop app's window only hides. */
function useAskBeforeUnload(wouldLose: () => boolean): void {
  const ask = useRef(wouldLose);
  ask.current = wouldLose;
  useEffect(() => {
    if (desktopBridge()) return;
    const onUnload = (event: BeforeUnloadEvent): void => {
      if (ask.current()) event.preventDefault();
    };
    window.addEventListener('beforeunload', onUnload);
    return () => window.removeEventListener('beforeunload', onUnload);
  }, []);
}

function noteTyped({ target, currentTarget }: SyntheticEvent, typed: Map<Element, boolean>): void {
  // What is typed in a dialog that stands inside this one is that one's.
  if (!(target instanceof Element) || target.closest('dialog') !== currentTarget) return;
  if (target instanceof HTMLInputElement) {
    if (target.type === 'radio') return;
    typed.set(target, target.type === 'checkbox' ? target.checked : target.value !== '');
  } else if (target instanceof HTMLTextAreaElement) typed.set(target, target.value !== '');
  else if (target instanceof HTMLSelectElement) typed.set(target, true);
}

/** It stands in the form's own dialog: one above it would be closed together with it by a repeated Escape. */
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
