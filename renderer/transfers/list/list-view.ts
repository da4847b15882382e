import type { TransferSummary } from '#protocol/agent/transfer-actions.ts';
import { type TransferState, transferStates } from '#protocol/agent/transfer-states.ts';
import type { TransferFilter, TransferQuery } from '#protocol/agent/transfers.ts';

/** Filter and order of the list. */
export interface ListView {
  readonly show: Show;
  readonly search: string;
  readonly kind: 'all' | 'upload' | 'download';
  /** A Team's id; empty for all. */
  readonly team: string;
  readonly order: Order;
  /** Leaves out what was over before then, as ISO 8601. */
  readonly since?: string;
}

export const shows = ['all', 'needs', 'active', 'done'] as const;
export type Show = (typeof shows)[number];

export const orders = ['queue', 'newest', 'oldest', 'finished', 'name', 'largest', 'smallest'] as const;
type Order = (typeof orders)[number];

export const wholeView: ListView = { show: 'all', search: '', kind: 'all', team: '', order: 'queue' };

/** Transfers that need a person are in several states, and not all of a state need one. */
export const statesOf: Readonly<Record<Show, readonly TransferState[]>> = {
  all: [],
  needs: [],
  active: ['queued', 'transferring', 'paused', 'idle'],
  done: ['complete', 'cancelled'],
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

/** The filter without the states, for counts by state. */
export function scopeOf({ search, kind, team, since }: ListView): TransferFilter {
  const name = search.trim();
  return {
    ...(kind === 'all' ? {} : { kind }),
    ...(name === '' ? {} : { name }),
    ...(team === '' ? {} : { team_id: team }),
    ...(since === undefined ? {} : { over_since: since }),
  };
}

/** The filter in the agent's format. */
export function filterOf(view: ListView): TransferFilter {
  const states = statesOf[view.show];
  return {
    ...scopeOf(view),
    ...(view.show === 'needs' ? { needs_person: true } : {}),
    ...(states.length === 0 ? {} : { state: [...states] }),
  };
}

export function countOf(show: Show, { states, needs_person: needs = states.error }: TransferSummary): number {
  if (show === 'needs') return needs;
  const counted = show === 'all' ? (Object.keys(states) as TransferState[]) : statesOf[show];
  return counted.reduce((sum, state) => sum + states[state], 0);
}

/** The chosen states that have any transfers, as far as the counts are known. */
export function shownStates(show: Show, states: Readonly<Record<TransferState, number>> | undefined): TransferState[] {
  const looked = show === 'all' ? transferStates : show === 'needs' ? (['error', 'transferring'] as const) : statesOf[show];
  return looked.filter((state) => states === undefined || states[state] > 0);
}

/** Whether any filter other than the state is set. */
export const isNarrowed = ({ since: _, ...view }: ListView): boolean => Object.keys(scopeOf(view)).length > 0;

const recentDays = 7;

/** What was over before then is in the history alone: the beginning of a day, so that the list is not asked for anew all the time. */
export const recentSince = (now: Date): string => new Date(now.getFullYear(), now.getMonth(), now.getDate() - recentDays).toISOString();
