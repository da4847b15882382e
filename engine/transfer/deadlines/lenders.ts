import { ranks } from '../order.ts';
import type { Contender, RunningContender } from './contender.ts';

/** One transfer waits for another. */
export interface Loan {
  /** The one that it waits for. */
  readonly borrower: string;
  /** Milliseconds of a clock that only goes forward. */
  readonly since: number;
}

interface LenderPorts {
  readonly running: readonly RunningContender[];
  readonly queued: readonly Contender[];
  /** Those that wait already, and go on waiting. */
  readonly loans: ReadonlyMap<string, Loan>;
  readonly atOnce: number;
  readonly strict: boolean;
  readonly mayLend: (lender: Contender, borrower: Contender) => boolean;
  /** Whether a transfer would be in time as one of so many that share the line equally. */
  readonly enough: (borrower: Contender, sharing: number) => boolean;
}

/**
 * Which running transfers are to wait for those that are at risk, the lowest first: one for a place in which a queued
 * one can begin, and for a running one as many as it needs of its direction.
 *
 * @param atRisk in the order of their turns
 * @returns the borrower of each new lender
 */
export function lendersFor(atRisk: readonly Contender[], ports: LenderPorts): ReadonlyMap<string, string> {
  const { running, queued, loans, strict, mayLend, enough } = ports;
  const lent = new Map<string, string>();
  const waits = (id: string): boolean => loans.has(id) || lent.has(id);
  const isFree = ({ id }: Contender): boolean => !waits(id);
  const lowestFirst = [...running].sort(
    (a, b) => ranks[b.priority] - ranks[a.priority] || Number(a.dueAt !== null) - Number(b.dueAt !== null) || b.position - a.position,
  );
  const taken = running.filter((one) => !waits(one.id) && (strict || one.moving)).length;
  let places = (strict ? 1 : ports.atOnce) - taken;
  const served = new Set([...loans.values()].map(({ borrower }) => borrower));
  for (const borrower of atRisk) {
    if (waits(borrower.id)) continue;
    if (queued.some(({ id }) => id === borrower.id)) {
      if (places > 0) places--;
      else if (!served.has(borrower.id)) {
        const lender = lowestFirst.find((one) => isFree(one) && (strict || one.moving) && mayLend(one, borrower));
        if (lender) lent.set(lender.id, borrower.id);
      }
      continue;
    }
    const active = (): number => running.filter((one) => one.kind === borrower.kind && one.moving && !waits(one.id)).length;
    let isFirst = !served.has(borrower.id);
    while (isFirst || !enough(borrower, Math.max(1, active()))) {
      isFirst = false;
      const lender = lowestFirst.find((one) => one.kind === borrower.kind && one.moving && isFree(one) && mayLend(one, borrower));
      if (!lender) break;
      lent.set(lender.id, borrower.id);
    }
  }
  return lent;
}
