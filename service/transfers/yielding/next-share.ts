/** What a second of the API was like. */
export interface ApiWindow {
  /** How late its event loop was, in milliseconds: one turn in twenty was later. */
  readonly delay: number;
  /** Calls that came, counted up to ten. */
  readonly calls: number;
}

/** How the API of one process is. */
export interface ApiReport {
  /** Null: it has told nothing for some seconds. Either it only begins to, or it stands still. */
  readonly window: ApiWindow | null;
  /** Milliseconds of delay while nothing is transferred; null if unknown. */
  readonly rest: number | null;
}

/** With fewer calls in a window the few that there are wait some milliseconds longer, and deliveries keep their speed. */
export const fewCalls = 10;
/** A loop is late from twice its delay at rest on. Milliseconds; a delay at rest below this is taken for it, since timers are not more exact. */
const leastRest = 1;
const lateTimes = 2;

const decrease = 0.5;
/** Small: each step too far is a second in which people wait. */
const increase = 0.02;
const increaseUnwatched = 2;
/** One part at a time, of four transfers as of eight. */
export const leastShare = 1 / 16;

/** What the first of some transfers begin with, after a second with so many calls: who waits already does not wait for a mistake. */
export const firstShare = (calls: number): number => (calls < fewCalls ? 1 : leastShare);

/**
 * The share of the parts' memory that transfers may use in the next window, from `leastShare` to 1: additive increase and
 * multiplicative decrease, as networks share a line. `rest`: the delay while nothing is transferred; null if unknown.
 */
export function nextShare(share: number, { delay, calls }: ApiWindow, rest: number | null): number {
  if (calls < fewCalls) return Math.min(1, share * increaseUnwatched);
  const isLate = delay > lateTimes * Math.max(leastRest, rest ?? 0);
  return isLate ? Math.max(leastShare, share * decrease) : Math.min(1, share + increase);
}

const nobodyCalls: ApiReport = { window: { delay: 0, calls: 0 }, rest: null };

/** The same beside all of these APIs: the latest of them decides, and whoever does not tell lets nothing rise. */
export const nextShareBeside = (share: number, reports: readonly ApiReport[]): number =>
  Math.min(
    ...(reports.length === 0 ? [nobodyCalls] : reports).map(({ window, rest }) =>
      window === null ? share : nextShare(share, window, rest),
    ),
  );
