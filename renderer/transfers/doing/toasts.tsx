import { useEffect, useRef, useState } from 'react';
import { CloseIcon } from '#ui/icons.tsx';
import { useFormat } from '../../messages/format.ts';
import type { Ending, Note } from './ending.ts';
import { graceMilliseconds, type Pending, type Undo } from './undo.ts';

interface ToastsProps {
  readonly pending: readonly Pending<Ending>[];
  readonly undo: Undo<Ending>;
  readonly note: Note | null;
  readonly onDismiss: () => void;
}

/** Milliseconds for which a note is shown. */
const noteMilliseconds = 6_000;

/**
 * Shows the last action and the pending actions that can be undone. None disappears while the pointer or the focus is
 * in it.
 */
export function Toasts({ pending, undo, note, onDismiss }: ToastsProps) {
  const { messages } = useFormat();
  const section = useRef<HTMLElement>(null);
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) undo.hold();
    else undo.letGo();
    return () => undo.letGo();
  }, [held, undo]);
  // A toast that is removed under the pointer fires no leave event.
  useEffect(() => setHeld(section.current?.matches(':hover, :focus-within') ?? false), [pending, note]);
  useEffect(() => {
    if (note?.tone !== 'plain' || held) return;
    const timer = setTimeout(onDismiss, note.undo ? graceMilliseconds : noteMilliseconds);
    return () => clearTimeout(timer);
  }, [note, held, onDismiss]);
  const text = messages.transfers.undo;
  return (
    <section
      ref={section}
      className={held ? 'toasts toasts-held' : 'toasts'}
      aria-label={text.label}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div role="status" aria-live="polite" className="toast-stack">
        {pending.map(({ key, what }) => (
          <div key={key} className="toast">
            <p>
              <EndingText ending={what} />
            </p>
            <button type="button" className="button-link" onClick={() => undo.undo(key)}>
              {text.undo}
            </button>
            <span className="toast-grace" aria-hidden="true" />
          </div>
        ))}
        {note?.tone === 'plain' ? (
          <div className="toast">
            <p>{note.text}</p>
            {note.undo ? (
              <button
                type="button"
                className="button-link"
                onClick={() => {
                  onDismiss();
                  note.undo?.();
                }}
              >
                {text.undo}
              </button>
            ) : null}
          </div>
        ) : null}
      </div>
      {note?.tone === 'bad' ? (
        <div className="toast toast-bad" role="alert">
          <p>{note.text}</p>
          <button type="button" className="button button-quiet button-icon" aria-label={text.dismiss} onClick={onDismiss}>
            <CloseIcon />
          </button>
        </div>
      ) : null}
    </section>
  );
}

function EndingText({ ending: { request, count, transfer } }: { ending: Ending }) {
  const { messages, number } = useFormat();
  const text = messages.transfers.undo;
  if (!transfer) return request.action === 'cancel' ? text.cancellingMany(number(count)) : text.removingMany(number(count));
  const what = request.action === 'cancel' ? text.cancelling(transfer.name) : text.removing(transfer.name);
  const lost = lostBy(transfer);
  return lost === null ? what : `${what} ${text[lost]}`;
}

/** What the action would delete, as a warning before the undo period ends. */
function lostBy({ kind, state, bytes, url, links }: NonNullable<Ending['transfer']>): 'sentStays' | 'linkGoes' | null {
  if (kind !== 'upload') return null;
  if (state === 'complete') return url !== '' && links.every(({ email }) => email === '') ? 'linkGoes' : null;
  return state !== 'cancelled' && bytes > 0 ? 'sentStays' : null;
}
