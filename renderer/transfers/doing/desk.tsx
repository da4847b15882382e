import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ActOnTransfers } from '#protocol/agent/many-transfers.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { useApp } from '../../app/context.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { Localized } from '../../messages/localized.tsx';
import { asSentence, phraseText } from '../../messages/localized-text.ts';
import { endingOf } from './actions.ts';
import type { Ending, Note } from './ending.ts';
import { Toasts } from './toasts.tsx';
import { createUndo, type Pending } from './undo.ts';
import { useUndoKey } from './undo-key.ts';

/** Actions on transfers. Failures are shown, and cancelling or removing can be undone for a moment. */
export interface Desk {
  /** Acts at once. */
  do(name: 'pauseTransfer' | 'resumeTransfer' | 'retryTransfer' | 'finalizeTransfer', id: string, hours?: number): void;
  change(id: string, change: { priority?: AgentTransfer['priority']; position?: number; rate_limit_bps?: number }): Promise<boolean>;
  /** Cancels or removes a transfer after the undo period. */
  end(transfer: AgentTransfer): void;
  /** Acts on `count` transfers at once. Cancelling and removing wait for the undo period too. */
  many(request: ActOnTransfers, count: number): void;
  all(name: 'pauseTransfers' | 'resumeTransfers' | 'tryTransfersNow'): void;
  say(note: Note): void;
}

const DeskContext = createContext<Desk | null>(null);
const EndingsContext = createContext<readonly Pending<Ending>[]>([]);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error('DeskContext is missing above this component.');
  return desk;
}

/** Whether this transfer is about to be cancelled or removed. */
export function useEnding(id: string): Ending | null {
  const endings = useContext(EndingsContext);
  return endings.find(({ what }) => what.request.ids?.includes(id))?.what ?? null;
}

const after = (milliseconds: number, call: () => void): (() => void) => {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
};

export function DeskProvider({ children }: { children: ReactNode }) {
  const { client } = useApp();
  const { messages, number } = useFormat();
  const fault = useFaultText();
  const [note, say] = useState<Note | null>(null);

  const act = useMemo(
    () => async (request: ActOnTransfers) => {
      const { none, refused } = messages.transfers.done;
      const why = (reason: string) => <Localized text={asSentence(phraseText(reason, messages))} />;
      try {
        // The request is sent even if the page is being closed.
        const answer = await client.call('actOnTransfers', { body: request, keepalive: true });
        if (answer.done === 0 && answer.refused > 0)
          return say({
            tone: 'bad',
            text: (
              <>
                {none} {why(answer.reason)}
              </>
            ),
          });
        const text = messages.transfers.done[request.action](number(answer.done), answer.done === 1);
        if (answer.refused === 0) return say({ tone: 'plain', text });
        say({
          tone: 'plain',
          text: (
            <>
              {text} {refused(number(answer.refused))} {why(answer.reason)}
            </>
          ),
        });
      } catch (error) {
        say({ tone: 'bad', text: fault(error) });
      }
    },
    [client, messages, number, fault],
  );
  const undo = useMemo(() => createUndo<Ending>({ after, carryOut: ({ request }) => void act(request) }), [act]);
  const pending = useSyncExternalStore(undo.subscribe, undo.pending);

  useEffect(() => {
    // Closing the page is no undo: pending actions are carried out.
    window.addEventListener('pagehide', undo.flush);
    return () => {
      window.removeEventListener('pagehide', undo.flush);
      undo.flush();
    };
  }, [undo]);

  const takeBack = useCallback((): boolean => {
    const last = undo.pending().at(-1);
    if (!last && !note?.undo) return false;
    say({ tone: 'plain', text: messages.transfers.undo.undone });
    if (last) undo.undo(last.key);
    else note?.undo?.();
    return true;
  }, [undo, note, messages]);
  useUndoKey(takeBack);

  const desk = useMemo<Desk>(() => {
    const tell = (work: Promise<unknown>): Promise<boolean> =>
      work.then(
        () => true,
        (error: unknown) => {
          say({ tone: 'bad', text: fault(error) });
          return false;
        },
      );
    return {
      say,
      do(name, id, hours) {
        void tell(
          client.call(name, { params: { id }, ...(hours === undefined ? {} : { query: { hours } }) } as { params: { id: string } }),
        );
      },
      change: (id, body) => tell(client.call('changeTransfer', { params: { id }, body })),
      end(transfer) {
        undo.add({ request: { action: endingOf(transfer), ids: [transfer.id] }, count: 1, transfer });
      },
      many(request, count) {
        const { action } = request;
        if (action === 'cancel' || action === 'remove') undo.add({ request: { ...request, action }, count, transfer: null });
        else void act(request);
      },
      all: (name) => void tell(client.call(name, {})),
    };
  }, [client, fault, undo, act]);

  return (
    <DeskContext value={desk}>
      <EndingsContext value={pending}>{children}</EndingsContext>
      <Toasts pending={pending} undo={undo} note={note} onDismiss={() => say(null)} />
    </DeskContext>
  );
}
