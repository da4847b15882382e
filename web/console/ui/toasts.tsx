import { createContext, type ReactElement, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { CloseIcon } from '#ui/icons.tsx';
import { useShellTexts } from '../app/texts.ts';

export interface Toast {
  /** Of `textIn`, or a fault's: it follows the language for as long as it is shown. */
  readonly text: ReactElement;
  /** `bad` stays until it is dismissed. */
  readonly tone?: 'plain' | 'bad';
  readonly undo?: () => void;
}

const ToastContext = createContext<(toast: Toast) => void>(() => undefined);

/** Says what was done: `toast({ text: textIn({ en, de }, ({ messages }) => messages.saved) })`. The last one replaces the one before. */
export const useToast = (): ((toast: Toast) => void) => useContext(ToastContext);

/** Milliseconds for which a toast is shown; longer if it can be undone. */
const shownFor = { plain: 6_000, undo: 10_000 } as const;

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const { messages } = useShellTexts();
  const [shown, setShown] = useState<Toast | null>(null);
  const [held, setHeld] = useState(false);
  const dismiss = useCallback(() => {
    setShown(null);
    setHeld(false);
  }, []);
  useEffect(() => {
    if (!shown || shown.tone === 'bad' || held) return;
    const timer = setTimeout(dismiss, shown.undo ? shownFor.undo : shownFor.plain);
    return () => clearTimeout(timer);
  }, [shown, held, dismiss]);
  const show = useMemo(() => (toast: Toast) => setShown(toast), []);
  return (
    <ToastContext value={show}>
      {children}
      <section
        className="toasts"
        aria-label={messages.notices}
        onMouseEnter={() => setHeld(true)}
        onMouseLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        <div className="toast-stack" role="status">
          {shown && shown.tone !== 'bad' ? (
            <div className="toast">
              <p>{shown.text}</p>
              {shown.undo ? (
                <button
                  type="button"
                  className="button-link"
                  onClick={() => {
                    dismiss();
                    shown.undo?.();
                  }}
                >
                  {messages.undo}
                </button>
              ) : null}
            </div>
          ) : null}
        </div>
        {shown?.tone === 'bad' ? (
          <div className="toast toast-bad" role="alert">
            <p>{shown.text}</p>
            <button type="button" className="button button-quiet button-icon" aria-label={messages.dismiss} onClick={dismiss}>
              <CloseIcon />
            </button>
          </div>
        ) : null}
      </section>
    </ToastContext>
  );
}
