import type { CloudTransferState } from '#protocol/hosted/transfers.ts';

/**
 * The events of a transfer (contract/transfers.md §2). `start`: a process takes it on, also one that another process has left
 * behind. `postpone`: it waits for another attempt, or for another process.
 */
export const transferEvents = ['start', 'postpone', 'complete', 'fail', 'cancel', 'retry'] as const;
export type TransferEvent = (typeof transferEvents)[number];

type Transition =
  | { readonly outcome: 'moves'; readonly to: CloudTransferState }
  | { readonly outcome: 'stays' }
  | { readonly outcome: 'refused'; readonly detail: string };

const moves = (to: CloudTransferState): Transition => ({ outcome: 'moves', to });
const stays: Transition = { outcome: 'stays' };
const refused = (detail: string): Transition => ({ outcome: 'refused', detail });

const over = refused('This transfer is over.');
const waits = refused('This transfer is not under way.');
const notOver = refused('This transfer is not over. It is tried again by itself where that can help.');
const done = refused('This transfer is complete. Start a new one to transfer the package again.');

const table: Readonly<Record<CloudTransferState, Readonly<Record<TransferEvent, Transition>>>> = {
  pending: {
    start: moves('started'),
    postpone: stays,
    complete: waits,
    fail: waits,
    cancel: moves('cancelled'),
    retry: notOver,
  },
  started: {
    start: stays,
    postpone: moves('pending'),
    complete: moves('complete'),
    fail: moves('error'),
    cancel: moves('cancelled'),
    retry: notOver,
  },
  complete: { start: over, postpone: over, complete: over, fail: over, cancel: over, retry: done },
  cancelled: { start: over, postpone: over, complete: over, fail: over, cancel: over, retry: moves('pending') },
  error: { start: over, postpone: over, complete: over, fail: over, cancel: over, retry: moves('pending') },
};

/** The transition for an event in a state. The caller must check whether package and credentials allow it. */
export function transition(state: CloudTransferState, event: TransferEvent): Transition {
  return table[state][event];
}

/** The states of transfers that still read their package. */
export const activeStates = ['pending', 'started'] as const satisfies readonly CloudTransferState[];
