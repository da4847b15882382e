/** What a second of the API was like. */
export interface ApiWindow {
  /** How late its event loop was, in milliseconds: one turn in twenty was later. */
  readonly delay: number;
  /** Calls that came. */
  readonly calls: number;
}

/** With fewer calls in a window the few that there are wait some milliseconds longer, and deliveries keep their speed. */
const fewCalls = 10;
/** A loop is late from twice its delay at rest on. Milliseconds; a delay at rest below this is taken for it, since timers are not more exact. */
const leastRest = 1;
const lateTimes = 2;

const decrease = 0.5;
/** Small: each step too far is a second in which people wait. */
const increase = 0.02;
const increaseUnwatched = 2;
/** Of four transfers' parts one, which is also the least that does anything. */
export const leastShare = 1 / 8;

/**
 * The share of the parts' memory that transfers may use in the next window, from `leastShare` to 1: additive increase and
 * multiplicative decrease, as networks share a line. `rest`: the delay while nothing is transferred; null if unknown.
 */
export function nextShare(share: number, { delay, calls }: ApiWindow, rest: number | null): number {
  if (calls < fewCalls) return Math.min(1, share * increaseUnwatched);
  const isLate = delay > lateTimes * Math.max(leastRest, rest ?? 0);
  return isLate ? Math.max(leastShare, share * decrease) : Math.min(1, share + increase);
}
