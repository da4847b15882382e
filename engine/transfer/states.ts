import type { TransferState } from '#protocol/agent/transfers.ts';

/** Why a transfer stands still although nothing is wrong with it, in words; `until` in milliseconds since 1970. */
export interface Waiting {
  readonly reason: string;
  readonly until: number | null;
}

export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly retryable: boolean;
}

/** Where a transfer stands (decisions, "Transfer states"). Times are milliseconds since 1970. */
export type Phase =
  | { readonly state: 'queued' }
  | { readonly state: 'transferring' }
  | { readonly state: 'paused' }
  | { readonly state: 'idle' }
  | { readonly state: 'complete'; readonly finishedAt: number }
  | { readonly state: 'error'; readonly failure: Failure }
  | { readonly state: 'cancelled'; readonly finishedAt: number };

export type PhaseEvent =
  /** Its turn has come. */
  | { readonly type: 'start' }
  /** The agent ends; it goes on at the next start. */
  | { readonly type: 'interrupt' }
  /** Everything is sent, and the person finalizes later. */
  | { readonly type: 'all_sent' }
  | { readonly type: 'finish'; readonly at: number }
  | { readonly type: 'fail'; readonly failure: Failure }
  | { readonly type: 'cancel'; readonly at: number };

const over: ReadonlySet<TransferState> = new Set(['complete', 'error', 'cancelled']);

/** Whether nothing happens to it any more by itself. */
export function isOver(phase: Phase): boolean {
  return over.has(phase.state);
}

/**
 * What comes of an event in a phase; `null` where the event means nothing there, and the phase stays.
 * One that is over stays over, so a late word from a job that was cancelled changes nothing.
 */
export function nextPhase(phase: Phase, event: PhaseEvent): Phase | null {
  if (isOver(phase)) return null;
  const running = phase.state === 'transferring';
  switch (event.type) {
    case 'start':
      return phase.state === 'queued' ? { state: 'transferring' } : null;
    case 'interrupt':
      return running ? { state: 'queued' } : null;
    case 'all_sent':
      return running ? { state: 'idle' } : null;
    case 'finish':
      return running ? { state: 'complete', finishedAt: event.at } : null;
    case 'fail':
      return running || phase.state === 'queued' ? { state: 'error', failure: event.failure } : null;
    case 'cancel':
      return { state: 'cancelled', finishedAt: event.at };
  }
}
