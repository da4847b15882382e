import { type HTMLAttributes, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { CloseIcon } from './icons.tsx';

interface ModalDialogProps extends Pick<HTMLAttributes<HTMLDialogElement>, 'onKeyDown' | 'onInput'> {
  readonly title: ReactNode;
  /** Shown by a browser over the title, e.g. where it is cut. */
  readonly titleHint?: string;
  readonly closeLabel: string;
  /** Besides `dialog`. */
  readonly className?: string;
  readonly closeDisabled?: boolean;
  /**
   * The person wants to close it: by Escape, a back gesture, or the close button. It stays open until it is unmounted;
   * `reopened` where the browser had closed it.
   */
  readonly onLeave: (reopened: boolean) => void;
  readonly children: ReactNode;
}

/**
 * A modal dialog with a title and a close button. Mount it to open it: the browser keeps the focus inside, and returns
 * it when the dialog is unmounted. The browser alone never closes it, so `onLeave` can ask first.
 */
export function ModalDialog(props: ModalDialogProps) {
  const { title, titleHint, closeLabel, className, closeDisabled = false, onLeave, onKeyDown, onInput, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Before the element leaves the page: only a dialog that is still in it gives the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    if (dialog) focusFirstField(dialog);
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={className ? `dialog ${className}` : 'dialog'}
      aria-labelledby={heading}
      // A browser closes a dialog on a repeated Escape without asking the page, so the key itself is taken.
      onKeyDown={(event) => {
        onKeyDown?.(event);
        const inside = event.target instanceof Element && event.target.closest('dialog') === event.currentTarget;
        if (event.key !== 'Escape' || !inside || event.defaultPrevented || event.nativeEvent.isComposing) return;
        event.preventDefault();
        if (!event.repeat) onLeave(false);
      }}
      // Other ways to go back, such as a gesture. React also passes on the events of a dialog inside this one.
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onLeave(false);
      }}
      // If the browser closes it all the same, it is shown again, since input may be lost.
      onClose={(event) => {
        if (event.target !== event.currentTarget || !event.currentTarget.isConnected) return;
        event.currentTarget.showModal();
        onLeave(true);
      }}
      onInput={onInput}
    >
      <header className="dialog-head">
        <h2 id={heading} title={titleHint}>
          {title}
        </h2>
        <button
          type="button"
          className="button button-quiet button-icon"
          onClick={() => onLeave(false)}
          disabled={closeDisabled}
          aria-label={closeLabel}
        >
          <CloseIcon />
        </button>
      </header>
      {children}
    </dialog>
  );
}

const fields = 'input:not([type="checkbox"], [type="radio"], :disabled), select:not(:disabled), textarea:not(:disabled)';

/**
 * Focuses the first empty field, otherwise the first one. Without fields the browser's choice stays, and on a touch
 * screen too, where an on-screen keyboard would cover the dialog.
 */
function focusFirstField(dialog: Element): void {
  if (matchMedia('(pointer: coarse)').matches) return;
  const seen = [...dialog.querySelectorAll<HTMLInputElement>(fields)].filter((field) => field.checkVisibility());
  (seen.find(({ value }) => value === '') ?? seen[0])?.focus();
}
