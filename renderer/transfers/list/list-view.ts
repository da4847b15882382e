import type { TransferFilter, TransferQuery, TransferState } from '#protocol/agent/transfers.ts';

/** What of the transfers is looked at, and in which order. */
export interface ListView {
  readonly show: Show;
  readonly search: string;
  readonly kind: 'all' | 'upload' | 'download';
  /** A Team's id; empty for all. */
  readonly team: string;
  readonly order: Order;
}

export const shows = ['all', 'active', 'done', 'failed'] as const;
export type Show = (typeof shows)[number];

export const orders = ['queue', 'newest', 'oldest', 'finished', 'name', 'largest', 'smallest'] as const;
export type Order = (typeof orders)[number];

export const wholeView: ListView = { show: 'all', search: '', kind: 'all', team: '', order: 'queue' };

export const statesOf: Readonly<Record<Show, readonly TransferState[]>> = {
  all: [],
  active: ['queued', 'transferring', 'paused', 'idle'],
  done: ['complete', 'cancelled'],
  failed: ['error'],
};

const sorts: Readonly<Record<Order, NonNullable<TransferQuery['sort']>>> = {
  queue: 'queue',
  newest: '-created_at',
  oldest: 'created_at',
  finished: '-finished_at',
  name: 'name',
  largest: '-total_bytes',
  smallest: 'total_bytes',
};

export const sortOf = ({ order }: ListView): NonNullable<TransferQuery['sort']> => sorts[order];

/** The filter but for the states, for counts of each. */
export function scopeOf({ search, kind, team }: ListView): TransferFilter {
  const name = search.trim();
  return {
    ...(kind === 'all' ? {} : { kind }),
    ...(name === '' ? {} : { name }),
    ...(team === '' ? {} : { team_id: team }),
  };
}

/** The filter as the agent takes it. */
export function filterOf(view: ListView): TransferFilter {
  const states = statesOf[view.show];
  return { ...scopeOf(view), ...(states.length === 0 ? {} : { state: [...states] }) };
}

export function countOf(show: Show, states: Readonly<Record<TransferState, number>>): number {
  const counted = show === 'all' ? (Object.keys(states) as TransferState[]) : statesOf[show];
  return counted.reduce((sum, state) => sum + states[state], 0);
}

/** Whether anything is left out that the person asked to leave out (but for the choice of states). */
export const isNarrowed = (view: ListView): boolean => Object.keys(scopeOf(view)).length > 0;
