import type { TransferSummary } from '#protocol/agent/many-transfers.ts';
import type { AgentClient } from '../../agent/call.ts';
import type { Feed } from '../feed.ts';
import { filterOf, type ListView, scopeOf, sortOf } from './list-view.ts';
import { nearTo, noPages, type PageAnswer, type Pages, pageSize, pagesOf, withAnswers, withEvents } from './pages.ts';

/** What a list shows now. A new value for every change. */
export interface ListState {
  readonly pages: Pages;
  /** Counts by state of all that the search finds, whatever states are shown. */
  readonly summary: TransferSummary | null;
  readonly error: unknown;
}

export interface ListStore {
  /** For `useSyncExternalStore`. The first listener starts it, without any it rests. */
  subscribe(listener: () => void): () => void;
  current(): ListState;
  /** Rows from `first` to `last` are in sight: what of them is not held is asked for. */
  see(first: number, last: number): void;
  again(): void;
  /** Ids of rows from one place to another, both included; read where they are not held. */
  idsBetween(from: number, to: number): Promise<string[]>;
}

export interface ListPorts {
  readonly client: AgentClient;
  readonly feed: Feed;
  /** Calls back after so many milliseconds; the answer cancels it. */
  readonly after: (milliseconds: number, call: () => void) => () => void;
}

/** Milliseconds. While a list is flung past, nothing is asked for; and what changes all the time is read at this pace. */
const restBeforeReading = 60;
const paceOfReading = 1_000;
const paceOfSummary = 2_000;

/** Keeps a list of transfers as the agent has it, holding what is near what is seen. */
export function createListStore(view: ListView, { client, feed, after }: ListPorts): ListStore {
  const filter = filterOf(view);
  const scope = scopeOf(view);
  const sort = sortOf(view);
  const listeners = new Set<() => void>();
  let state: ListState = { pages: noPages, summary: null, error: null };
  let seen = { first: 0, last: 0 };
  let stop: AbortController | null = null;
  let unlisten = (): void => {};
  /** Pages that are being read. */
  const asked = new Set<number>();
  let cancelRead: (() => void) | null = null;
  let lastRefresh = Number.NEGATIVE_INFINITY;
  let cancelRefresh: (() => void) | null = null;
  let cancelSummary: (() => void) | null = null;

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
    const { total, held } = state.pages;
    const last = total === null ? seen.last : Math.min(seen.last, total - 1);
    if (last < seen.first && total !== null) return;
    void readPages(pagesOf(seen.first, Math.max(seen.first, last)).filter((number) => !held.has(number) && !asked.has(number)));
  };

  const readSoon = (milliseconds: number): void => {
    cancelRead?.();
    cancelRead = after(milliseconds, readMissing);
  };

  /** Reads what is in sight again; what is not is let go, so that it is read when it comes into sight. */
  const refresh = (): void => {
    cancelRefresh = null;
    lastRefresh = performance.now();
    const numbers = pagesOf(seen.first, seen.last);
    const { total } = state.pages;
    const there = numbers.filter((number) => number === 0 || total === null || number * pageSize < total);
    const held = new Map([...state.pages.held].filter(([number]) => numbers.includes(number)));
    put({ pages: { ...state.pages, held, stale: false } });
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
    client.call('summarizeTransfers', { query: scope, signal }).then(
      (summary) => {
        if (signal.aborted) return;
        put({ summary });
        if (summary.states.transferring > 0) cancelSummary = after(paceOfSummary, readSummary);
      },
      // The list itself says what is wrong.
      () => undefined,
    );
  };

  const start = (): void => {
    stop = new AbortController();
    unlisten = feed.listen((news) => {
      if (news.type === 'again') {
        refresh();
        return;
      }
      const pages = withEvents(state.pages, news.events);
      if (pages !== state.pages) put({ pages });
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
      const missing = pagesOf(seen.first, seen.last).some((number) => !state.pages.held.has(number));
      if (missing && stop) readSoon(restBeforeReading);
    },
    again: () => {
      if (stop) refresh();
    },
    async idsBetween(from, to) {
      const [first, last] = from < to ? [from, to] : [to, from];
      const signal = stop?.signal ?? AbortSignal.abort();
      const pages = await Promise.all(
        pagesOf(first, last).map(async (number) => {
          const held = state.pages.held.get(number);
          return { number, records: held ?? (await readPage(number, signal)).records };
        }),
      );
      return pages.flatMap(({ number, records }) =>
        records.flatMap(({ id }, index) => {
          const place = number * pageSize + index;
          return place >= first && place <= last ? [id] : [];
        }),
      );
    },
  };
}
