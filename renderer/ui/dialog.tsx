import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useTongue } from '../words/words.ts';
import { CloseIcon } from './icons.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
  /** A short question rather than a form. */
  readonly small?: boolean;
}

/** A modal dialog: the browser keeps the focus inside, closes it on Escape and gives the focus back. Mount it to open it. */
export function Dialog({ title, children, onClose, small }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const { words } = useTongue();
  // Before the element leaves the page: only a dialog that is still in it gives the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={small ? 'dialog dialog-small' : 'dialog'}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header className="dialog-head">
        <h2 id={heading}>{title}</h2>
        <button type="button" className="button button-quiet button-icon" onClick={onClose} aria-label={words.app.close}>
          <CloseIcon />
        </button>
      </header>
      {children}
    </dialog>
  );
}
