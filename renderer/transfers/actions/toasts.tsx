import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { ActOnTransfers } from '#protocol/agent/transfer-actions.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { CloseIcon } from '#ui/icons.tsx';
import { type Format, useFormat } from '../../messages/format.ts';
import { useClearPlace } from './clear-place.ts';
import { type Pending, type Undo, undoMilliseconds } from './undo.ts';

/** A pending cancel or remove action: for one transfer, or for many. */
export interface Removal {
  readonly request: ActOnTransfers & { readonly action: 'cancel' | 'remove' };
  readonly count: number;
  readonly transfer: AgentTransfer | null;
}

/** A message about an action that was carried out, or that failed. */
export interface Toast {
  readonly tone: 'bad' | 'plain';
  /** Made when it is shown, so that it follows the page's language. */
  readonly text: (format: Format) => ReactNode;
  /** Reverts the action, where one step is enough. */
  readonly undo?: () => void;
}

interface ToastsProps {
  readonly pending: readonly Pending<Removal>[];
  readonly undo: Undo<Removal>;
  readonly toast: Toast | null;
  readonly onDismiss: () => void;
}

/** Milliseconds for which a toast is shown. */
const toastMilliseconds = 6_000;

/**
 * Shows the last action and the pending actions that can be undone. None disappears while the pointer or the focus is
 * in it.
 */
export function Toasts({ pending, undo, toast, onDismiss }: ToastsProps) {
  const format = useFormat();
  const { messages } = format;
  const section = useRef<HTMLElement>(null);
  const [paused, setPaused] = useState(false);
  useEffect(() => {
    if (paused) undo.pause();
    else undo.resume();
    return () => undo.resume();
  }, [paused, undo]);
  useClearPlace(section, '.row-undo, .selection-bar', pending.length > 0 || toast !== null);
  // A toast that is removed under the pointer fires no leave event.
  useEffect(() => setPaused(section.current?.matches(':hover, :focus-within') ?? false), [pending, toast]);
  useEffect(() => {
    if (toast?.tone !== 'plain' || paused) return;
    const timer = setTimeout(onDismiss, toast.undo ? undoMilliseconds : toastMilliseconds);
    return () => clearTimeout(timer);
  }, [toast, paused, onDismiss]);
  const text = messages.transfers.undo;
  return (
    <section
      ref={section}
      className={paused ? 'toasts toasts-paused' : 'toasts'}
      aria-label={text.label}
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      <div role="status" aria-live="polite" className="toast-stack">
        {pending.map(({ key, what }) => (
          <div key={key} className="toast">
            <p>
              <RemovalText removal={what} />
            </p>
            <button type="button" className="button-link" onClick={() => undo.undo(key)}>
              {text.undo}
            </button>
            <span className="toast-grace" aria-hidden="true" />
          </div>
        ))}
        {toast?.tone === 'plain' ? (
          <div className="toast">
            <p>{toast.text(format)}</p>
            {toast.undo ? (
              <button
                type="button"
                className="button-link"
                onClick={() => {
                  onDismiss();
                  toast.undo?.();
                }}
              >
                {text.undo}
              </button>
            ) : null}
          </div>
        ) : null}
      </div>
      {toast?.tone === 'bad' ? (
        <div className="toast toast-bad" role="alert">
          <p>{toast.text(format)}</p>
          <button type="button" className="button button-quiet button-icon" aria-label={text.dismiss} onClick={onDismiss}>
            <CloseIcon />
          </button>
        </div>
      ) : null}
    </section>
  );
}

function RemovalText({ removal: { request, count, transfer } }: { removal: Removal }) {
  const { messages, number } = useFormat();
  const text = messages.transfers.undo;
  if (!transfer) return (request.action === 'cancel' ? text.cancellingMany : text.removingMany)(number(count), count === 1);
  const what = request.action === 'cancel' ? text.cancelling(transfer.name) : text.removing(transfer.name);
  const lost = lostBy(transfer);
  return lost === null ? what : `${what} ${text[lost]}`;
}

/** What the action would delete, as a warning before the undo period ends. */
function lostBy({ kind, state, bytes, url, links }: NonNullable<Removal['transfer']>): 'sentStays' | 'linkGoes' | null {
  if (kind !== 'upload') return null;
  if (state === 'complete') return url !== '' && links.every(({ email }) => email === '') ? 'linkGoes' : null;
  return state !== 'cancelled' && bytes > 0 ? 'sentStays' : null;
}
