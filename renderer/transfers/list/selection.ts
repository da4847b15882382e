import type { TransferState } from '#protocol/agent/transfer-states.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { actionsOf } from '../actions/allowed-actions.ts';

type Chosen = Pick<AgentTransfer, 'id' | 'state'>;

/** The selected transfers: some, each with its last seen state, or all matching ones with exceptions. */
export type Selection =
  | { readonly mode: 'some'; readonly ids: ReadonlyMap<string, TransferState> }
  | { readonly mode: 'all'; readonly except: ReadonlySet<string> };

export const nothing: Selection = { mode: 'some', ids: new Map() };
export const everything: Selection = { mode: 'all', except: new Set() };

export function isChosen(selection: Selection, id: string): boolean {
  return selection.mode === 'some' ? selection.ids.has(id) : !selection.except.has(id);
}

export function countChosen(selection: Selection, total: number): number {
  return selection.mode === 'some' ? selection.ids.size : Math.max(0, total - selection.except.size);
}

/** Selects or deselects these transfers. */
export function choose(selection: Selection, transfers: Iterable<Chosen>, chosen: boolean): Selection {
  if (selection.mode === 'some') {
    const ids = new Map(selection.ids);
    for (const { id, state } of transfers) {
      if (chosen) ids.set(id, state);
      else ids.delete(id);
    }
    return { mode: 'some', ids };
  }
  const except = new Set(selection.except);
  for (const { id } of transfers) {
    if (chosen) except.delete(id);
    else except.add(id);
  }
  return { mode: 'all', except };
}

export function toggle(selection: Selection, transfer: Chosen): Selection {
  return choose(selection, [transfer], !isChosen(selection, transfer.id));
}

interface KnownStates {
  /** A newer state than the one at selection; null where the transfer is gone. */
  readonly stateNow: (id: string) => TransferState | null | undefined;
  /** The states of the shown transfers. */
  readonly shown: readonly TransferState[];
}

/** Actions that apply to at least one selected transfer. */
export function actionsFor(selection: Selection, { stateNow, shown }: KnownStates): ReadonlySet<BatchAction> {
  const states = new Set<TransferState>();
  if (selection.mode === 'all') for (const state of shown) states.add(state);
  else {
    for (const [id, seen] of selection.ids) {
      const now = stateNow(id);
      if (now !== null) states.add(now ?? seen);
    }
  }
  const possible = new Set([...states].flatMap(actionsOf));
  return new Set(batchActions.filter((action) => possible.has(action)));
}

const batchActions = ['pause', 'resume', 'retry', 'priority', 'cancel', 'remove'] as const;
export type BatchAction = (typeof batchActions)[number];
