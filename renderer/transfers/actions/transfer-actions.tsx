import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ChangeTransfer } from '#protocol/agent/items.ts';
import type { ActOnTransfers } from '#protocol/agent/transfer-actions.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { useApp } from '../../app/context.ts';
import { FaultText } from '../../messages/fault-text.tsx';
import { useLocale } from '../../messages/locale.ts';
import { Localized } from '../../messages/localized.tsx';
import { asSentence, phraseText } from '../../messages/localized-text.ts';
import { removalOf } from './allowed-actions.ts';
import { type Removal, type Toast, Toasts } from './toasts.tsx';
import { createUndo, type Pending } from './undo.ts';

/** Actions on transfers. Failures are shown, and cancelling or removing can be undone for a moment. */
interface TransferActions {
  /** Acts at once. */
  do(name: 'pauseTransfer' | 'resumeTransfer' | 'retryTransfer' | 'finalizeTransfer', id: string, hours?: number): void;
  change(id: string, change: Pick<ChangeTransfer, 'priority' | 'position' | 'rate_limit_bps' | 'due_at'>): Promise<boolean>;
  /** Cancels or removes a transfer after the undo period. */
  end(transfer: AgentTransfer): void;
  /** Acts on `count` transfers at once. Cancelling and removing wait for the undo period too. */
  batch(request: ActOnTransfers, count: number): void;
  all(name: 'pauseTransfers' | 'resumeTransfers' | 'tryTransfersNow'): void;
  notify(toast: Toast): void;
}

const ActionsContext = createContext<TransferActions | null>(null);
const PendingRemovalsContext = createContext<{ readonly pending: readonly Pending<Removal>[]; readonly undo: (key: number) => void }>({
  pending: [],
  undo: () => undefined,
});

export function useTransferActions(): TransferActions {
  const actions = useContext(ActionsContext);
  if (!actions) throw new Error('ActionsContext is missing above this component.');
  return actions;
}

/** Whether this transfer is about to be cancelled or removed, and what takes that back. */
export function usePendingRemoval(id: string): { readonly undo: () => void } | null {
  const { pending, undo } = useContext(PendingRemovalsContext);
  const found = pending.find(({ what }) => what.request.ids?.includes(id));
  return found ? { undo: () => undo(found.key) } : null;
}

const after = (milliseconds: number, call: () => void): (() => void) => {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
};

export function TransferActionsProvider({ children }: { children: ReactNode }) {
  const { client } = useApp();
  const [toast, setToast] = useState<Toast | null>(null);

  const act = useMemo(
    () => async (request: ActOnTransfers) => {
      try {
        // The request is sent even if the page is being closed.
        const answer = await client.call('actOnTransfers', { body: request, keepalive: true });
        if (answer.done === 0 && answer.refused > 0)
          return setToast({
            tone: 'bad',
            text: ({ messages }) => (
              <>
                {messages.transfers.done.none} <Reason text={answer.reason} />
              </>
            ),
          });
        setToast({
          tone: 'plain',
          text({ messages: { transfers }, number }) {
            const text = transfers.done[request.action](number(answer.done), answer.done === 1);
            if (answer.refused === 0) return text;
            return (
              <>
                {text} {transfers.done.refused(number(answer.refused))} <Reason text={answer.reason} />
              </>
            );
          },
        });
      } catch (error) {
        setToast({ tone: 'bad', text: () => <FaultText error={error} /> });
      }
    },
    [client],
  );
  const undo = useMemo(() => createUndo<Removal>({ after, carryOut: ({ request }) => void act(request) }), [act]);
  const pending = useSyncExternalStore(undo.subscribe, undo.pending);

  const removals = useMemo(() => ({ pending, undo: undo.undo }), [pending, undo]);

  useEffect(() => {
    // Closing the page is no undo: pending actions are carried out.
    window.addEventListener('pagehide', undo.flush);
    return () => {
      window.removeEventListener('pagehide', undo.flush);
      undo.flush();
    };
  }, [undo]);

  const undoLast = useCallback((): boolean => {
    const last = undo.pending().at(-1);
    if (!last && !toast?.undo) return false;
    setToast({ tone: 'plain', text: ({ messages }) => messages.transfers.undo.undone });
    if (last) undo.undo(last.key);
    else toast?.undo?.();
    return true;
  }, [undo, toast]);
  useUndoKey(undoLast);

  const actions = useMemo<TransferActions>(() => {
    const tell = (work: Promise<unknown>): Promise<boolean> =>
      work.then(
        () => true,
        (error: unknown) => {
          setToast({ tone: 'bad', text: () => <FaultText error={error} /> });
          return false;
        },
      );
    return {
      notify: setToast,
      do(name, id, hours) {
        void tell(
          client.call(name, { params: { id }, ...(hours === undefined ? {} : { query: { hours } }) } as { params: { id: string } }),
        );
      },
      change: (id, body) => tell(client.call('changeTransfer', { params: { id }, body })),
      end(transfer) {
        undo.add({ request: { action: removalOf(transfer), ids: [transfer.id] }, count: 1, transfer });
      },
      batch(request, count) {
        const { action } = request;
        if (action === 'cancel' || action === 'remove') undo.add({ request: { ...request, action }, count, transfer: null });
        else void act(request);
      },
      all: (name) => void tell(client.call(name, {})),
    };
  }, [client, undo, act]);

  return (
    <ActionsContext value={actions}>
      <PendingRemovalsContext value={removals}>{children}</PendingRemovalsContext>
      <Toasts pending={pending} undo={undo} toast={toast} onDismiss={() => setToast(null)} />
    </ActionsContext>
  );
}

function Reason({ text }: { readonly text: string }) {
  return <Localized text={asSentence(phraseText(text, useLocale().messages))} />;
}

/** Elements in which this key undoes typing. */
const typing = 'input:not([type="checkbox"], [type="radio"]), textarea, select, dialog, [contenteditable]';

/** Ctrl+Z, or Cmd+Z, undoes the last action; `undo` returns whether there was one. */
function useUndoKey(undo: () => boolean): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { ctrlKey, metaKey, shiftKey, altKey, key, target } = event;
      if (ctrlKey === metaKey || shiftKey || altKey || key.toLowerCase() !== 'z') return;
      if (target instanceof Element && target.closest(typing)) return;
      if (undo()) event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [undo]);
}
