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

/** When a pause began, and when it is over by itself, if ever. Milliseconds since 1970. */
export interface Pause {
  readonly since: number;
  readonly until: number | null;
}

/** Where a transfer stands (decisions, "Transfer states"). Times are milliseconds since 1970. */
export type Phase =
  | { readonly state: 'queued' }
  | { readonly state: 'transferring' }
  | ({ readonly state: 'paused' } & Pause)
  | { readonly state: 'idle' }
  | { readonly state: 'complete'; readonly finishedAt: number }
  | { readonly state: 'error'; readonly failure: Failure }
  | { readonly state: 'cancelled'; readonly finishedAt: number };

export type PhaseEvent =
  /** Its turn has come. */
  | { readonly type: 'start' }
  /** The agent ends, or others go before it; it goes on when its turn comes again. */
  | { readonly type: 'interrupt' }
  /** Everything is sent, and the person finalizes later. */
  | { readonly type: 'all_sent' }
  | { readonly type: 'finish'; readonly at: number }
  | { readonly type: 'fail'; readonly failure: Failure }
  | { readonly type: 'cancel'; readonly at: number }
  | ({ readonly type: 'pause' } & Pause)
  | { readonly type: 'resume' }
  | { readonly type: 'retry' }
  /** A person says that nothing more will come. */
  | { readonly type: 'finalize' }
  /** Files were added. */
  | { readonly type: 'more' };

type EventType = PhaseEvent['type'];

/**
 * Where each event leads; what is not here means nothing there. A late word from a job that was stopped is
 * heard where it only tells the truth (all is through), and never brings back what is over.
 */
export const transitions: Readonly<Record<TransferState, Readonly<Partial<Record<EventType, TransferState>>>>> = {
  queued: { start: 'transferring', fail: 'error', cancel: 'cancelled', pause: 'paused' },
  transferring: { interrupt: 'queued', all_sent: 'idle', finish: 'complete', fail: 'error', cancel: 'cancelled', pause: 'paused' },
  paused: { resume: 'queued', pause: 'paused', all_sent: 'idle', finish: 'complete', cancel: 'cancelled' },
  idle: { finalize: 'queued', more: 'queued', cancel: 'cancelled' },
  complete: {},
  error: { retry: 'queued', finalize: 'queued', more: 'queued' },
  cancelled: { retry: 'queued' },
};

const over: ReadonlySet<TransferState> = new Set(['complete', 'error', 'cancelled']);

/** Whether nothing happens to it any more by itself. */
export function isOver(phase: Phase): boolean {
  return over.has(phase.state);
}

/** What comes of an event in a phase; `null` where the event means nothing there, and the phase stays. */
export function nextPhase(phase: Phase, event: PhaseEvent): Phase | null {
  const to = transitions[phase.state][event.type];
  return to === undefined ? null : entered(to, event);
}

function entered(state: TransferState, event: PhaseEvent): Phase {
  switch (event.type) {
    case 'pause':
      return { state: 'paused', since: event.since, until: event.until };
    case 'finish':
      return { state: 'complete', finishedAt: event.at };
    case 'cancel':
      return { state: 'cancelled', finishedAt: event.at };
    case 'fail':
      return { state: 'error', failure: event.failure };
    default:
      return { state: state as 'queued' | 'transferring' | 'idle' };
  }
}
