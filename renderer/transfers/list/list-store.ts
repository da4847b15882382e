import type { AgentClient } from '#client/agent.ts';
import type { TransferSummary } from '#protocol/agent/transfer-actions.ts';
import type { TransferState } from '#protocol/agent/transfer-states.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { Feed } from '../feed.ts';
import { filterOf, type ListView, scopeOf, sortOf } from './list-view.ts';
import { nearTo, noPages, type PageAnswer, type Pages, pageSize, pagesOf, shiftsBy, withAnswers, withEvents } from './pages.ts';

/** A list's current content. Each change creates a new value. */
export interface ListState {
  readonly pages: Pages;
  /** Counts by state of all search results, regardless of the state filter. */
  readonly summary: TransferSummary | null;
  readonly error: unknown;
}

export interface ListStore {
  /** For `useSyncExternalStore`. The first listener starts the store; without listeners it is idle. */
  subscribe(listener: () => void): () => void;
  current(): ListState;
  /** Rows from `first` to `last` are visible: pages not in memory are requested. */
  see(first: number, last: number): void;
  reload(): void;
  /** Rows from one index to another, both included; requested where they are not in memory. */
  rowsBetween(from: number, to: number): Promise<AgentTransfer[]>;
}

interface ListPorts {
  readonly client: AgentClient;
  readonly feed: Feed;
  /** Starts a timer. The returned function cancels it. */
  readonly after: (milliseconds: number, call: () => void) => () => void;
}

/**
 * Debounce in milliseconds: nothing is requested during fast scrolling, and frequent changes are read at this interval.
 */
const restBeforeReading = 60;
const paceOfReading = 1_000;
const paceOfSummary = 2_000;

/** Mirrors the agent's list of transfers, with only the pages near the visible rows in memory. */
export function createListStore(view: ListView, { client, feed, after }: ListPorts): ListStore {
  const filter = filterOf(view);
  const scope = scopeOf(view);
  const sort = sortOf(view);
  const listeners = new Set<() => void>();
  let state: ListState = { pages: noPages, summary: null, error: null };
  let seen = { first: 0, last: 0 };
  let stop: AbortController | null = null;
  let unlisten = (): void => {};
  /** Pages with a request under way. */
  const asked = new Set<number>();
  let cancelRead: (() => void) | null = null;
  let lastRefresh = Number.NEGATIVE_INFINITY;
  let cancelRefresh: (() => void) | null = null;
  let cancelSummary: (() => void) | null = null;
  /** Incremented with each change of the counts by events. */
  let summaryMark = 0;
  let summariesAsked = 0;

  const put = (change: Partial<ListState>): void => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };

  const readPage = async (number: number, signal: AbortSignal): Promise<PageAnswer> => {
    const answer = await client.call('listTransfers', { query: { ...filter, sort, page: number + 1, limit: pageSize }, signal });
    return { number, total: answer.metadata.total, records: answer.records };
  };

  const readPages = async (numbers: readonly number[]): Promise<void> => {
    const signal = stop?.signal;
    if (!signal || numbers.length === 0) return;
    for (const number of numbers) asked.add(number);
    const askedAt = state.pages.mark;
    try {
      const answers = await Promise.all(numbers.map((number) => readPage(number, signal)));
      if (signal.aborted) return;
      const pages = nearTo(withAnswers(state.pages, askedAt, answers), ...inSight());
      put({ pages, error: null });
      if (pages.stale) refreshSoon();
    } catch (error) {
      if (!signal.aborted) put({ error });
    } finally {
      for (const number of numbers) asked.delete(number);
    }
  };

  const inSight = (): [number, number] => {
    const numbers = pagesOf(seen.first, seen.last);
    return [numbers[0]!, numbers.at(-1)!];
  };

  const readMissing = (): void => {
    cancelRead = null;
    const { total, loaded: held } = state.pages;
    const last = total === null ? seen.last : Math.min(seen.last, total - 1);
    if (last < seen.first && total !== null) return;
    void readPages(pagesOf(seen.first, Math.max(seen.first, last)).filter((number) => !held.has(number) && !asked.has(number)));
  };

  const readSoon = (milliseconds: number): void => {
    cancelRead?.();
    cancelRead = after(milliseconds, readMissing);
  };

  /** Reads the visible pages again and drops the others, which are read when they become visible. */
  const refresh = (): void => {
    cancelRefresh = null;
    lastRefresh = performance.now();
    const numbers = pagesOf(seen.first, seen.last);
    const { total } = state.pages;
    const there = numbers.filter((number) => number === 0 || total === null || number * pageSize < total);
    const held = new Map([...state.pages.loaded].filter(([number]) => numbers.includes(number)));
    put({ pages: { ...state.pages, loaded: held, stale: false } });
    void readPages(there.length > 0 ? there : [0]);
    readSummary();
  };

  const refreshSoon = (): void => {
    if (cancelRefresh || !stop) return;
    const wait = Math.max(restBeforeReading, lastRefresh + paceOfReading - performance.now());
    cancelRefresh = after(wait, refresh);
  };

  const readSummary = (): void => {
    cancelSummary?.();
    cancelSummary = null;
    const signal = stop?.signal;
    if (!signal) return;
    const askedAt = summaryMark;
    const number = ++summariesAsked;
    client.call('summarizeTransfers', { query: scope, signal }).then(
      (summary) => {
        // An outdated answer would count finished transfers as active.
        if (signal.aborted || number !== summariesAsked) return;
        // The answer is older than an event that changed the counts: a newer answer will follow.
        if (askedAt !== summaryMark) {
          cancelSummary ??= after(paceOfReading, readSummary);
          return;
        }
        put({ summary });
        const { states, upload_bps: up, download_bps: down } = summary;
        // A speed is one of the last seconds: it is still there just after a pause.
        if (states.transferring + states.queued + up + down > 0) cancelSummary = after(paceOfSummary, readSummary);
      },
      // The list's own request reports the problem.
      () => undefined,
    );
  };

  const start = (): void => {
    stop = new AbortController();
    unlisten = feed.listen((message) => {
      if (message.type === 'reset') {
        refresh();
        return;
      }
      const summary = shiftedSummary(state.summary, shiftsBy(state.pages, message.events));
      const pages = withEvents(state.pages, message.events);
      if (summary !== state.summary) summaryMark++;
      if (pages !== state.pages) put({ pages, summary });
      if (pages.stale) refreshSoon();
    });
    refresh();
  };

  const rest = (): void => {
    stop?.abort();
    stop = null;
    unlisten();
    for (const cancel of [cancelRead, cancelRefresh, cancelSummary]) cancel?.();
    cancelRead = cancelRefresh = cancelSummary = null;
    lastRefresh = Number.NEGATIVE_INFINITY;
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) start();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) rest();
      };
    },
    current: () => state,
    see(first, last) {
      if (first === seen.first && last === seen.last) return;
      seen = { first, last: Math.max(first, last) };
      const missing = pagesOf(seen.first, seen.last).some((number) => !state.pages.loaded.has(number));
      if (missing && stop) readSoon(restBeforeReading);
    },
    reload: () => {
      if (stop) refresh();
    },
    async rowsBetween(from, to) {
      const [first, last] = from < to ? [from, to] : [to, from];
      const signal = stop?.signal ?? AbortSignal.abort();
      const pages = await Promise.all(
        pagesOf(first, last).map(async (number) => {
          const held = state.pages.loaded.get(number);
          return { number, records: held ?? (await readPage(number, signal)).records };
        }),
      );
      return pages.flatMap(({ number, records }) =>
        records.filter((_, index) => {
          const row = number * pageSize + index;
          return row >= first && row <= last;
        }),
      );
    },
  };
}

/** What is over has no speed, and nothing to go, before the next answer says so. */
function shiftedSummary(summary: TransferSummary | null, shifts: ReadonlyMap<TransferState, number>): TransferSummary | null {
  if (!summary || shifts.size === 0) return summary;
  const states = { ...summary.states };
  for (const [state, by] of shifts) states[state] = Math.max(0, states[state] + by);
  const { queued, transferring, paused, idle, error } = states;
  return {
    ...summary,
    states,
    ...(transferring === 0 ? { upload_bps: 0, download_bps: 0 } : {}),
    ...(queued + transferring + paused + idle + error === 0 ? { bytes_left: 0, unmeasured: 0 } : {}),
  };
}
