import type { PersonsRemedy, TransferCause } from '#protocol/agent/remedy.ts';
import type { TransferState } from '#protocol/agent/transfer-states.ts';
import type { ErrorName } from '#protocol/errors.ts';

/** What failed, how to fix it, and whether a person has to act. */
export interface Advice {
  readonly cause: TransferCause | ErrorName;
  readonly remedy: PersonsRemedy;
  readonly needsPerson: boolean;
}

/** Why a transfer waits although nothing is wrong with it, in words; `until` in milliseconds since 1970. */
export interface Waiting {
  readonly reason: string;
  readonly until: number | null;
  /** Advice for a failure; a pause has none. */
  readonly advice?: Advice;
}

/** Failures noted by an earlier version have no advice. */
export interface Failure extends Partial<Advice> {
  readonly code: number;
  readonly message: string;
  readonly retryable: boolean;
}

/** When a pause began, and when it ends by itself, if ever. Milliseconds since 1970. */
export interface Pause {
  readonly since: number;
  readonly until: number | null;
}

/** The state of a transfer (contract/agent.md §4). Times are milliseconds since 1970. */
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
  /** The agent stops, or others are preferred; it continues when its turn is reached again. */
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
 * State after each event; an event that is not listed has no effect. A late event from a stopped job is accepted only
 * if it is true (everything is sent), and never restarts an ended transfer.
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

/** Whether the transfer has ended: nothing changes it by itself any more. */
export function isOver(phase: Phase): boolean {
  return over.has(phase.state);
}

/** The phase after an event; `null` if the event has no effect and the phase stays. */
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
