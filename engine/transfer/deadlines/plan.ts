import { ranks } from '../order.ts';
import type { Priority } from '../record.ts';
import type { Contender, LineSpeeds, RunningContender } from './contender.ts';
import { type Loan, lendersFor } from './lenders.ts';
import { assumedSpeed, byTurn, timeFor, wholeLine } from './slack.ts';

/**
 * Which deadlines are at risk, and which transfers wait for them (docs/decisions/0058). Arithmetic only: from the plan
 * before and what is the case now follows the next plan.
 */
export interface Plan {
  /** Milliseconds of a clock that only goes forward; `null` before the first look. */
  readonly at: number | null;
  readonly risks: ReadonlyMap<string, Risk>;
  /** Transfers that wait, each with the one that it waits for. */
  readonly loans: ReadonlyMap<string, Loan>;
  /** Milliseconds that a transfer runs before it waits for a deadline again. */
  readonly rests: ReadonlyMap<string, number>;
  /** They have waited long enough: each may run although no place is free. */
  readonly owed: ReadonlySet<string>;
  /** When transfers with a deadline will be over, in milliseconds since 1970; `Infinity` if never at this rate. */
  readonly expected: ReadonlyMap<string, number>;
}

interface Risk {
  readonly since: number;
  /** Its part of the line when the risk began, while nothing waited for it. */
  readonly share: number;
}

export interface Situation {
  /** Milliseconds since 1970: deadlines are times of the wall clock. */
  readonly now: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: number;
  readonly running: readonly RunningContender[];
  /** The queued ones with a deadline. */
  readonly queued: readonly Contender[];
  /** Transfers of the plan before that wait for a deadline, and are still queued or running. */
  readonly lenders: ReadonlyMap<string, Contender>;
  readonly line: LineSpeeds;
  /** How many may run at once; with `strict` one. */
  readonly atOnce: number;
  readonly strict: boolean;
  /** Bytes of queued transfers that have a higher priority and no deadline. */
  readonly bytesAhead: (priority: Priority) => number;
}

export const noPlan: Plan = { at: null, risks: new Map(), loans: new Map(), rests: new Map(), owed: new Set(), expected: new Map() };

/** At risk if more than this part of the time left is needed; no longer at risk from the second on. */
const riskFrom = 0.9;
const safeFrom = 0.6;
/** A risk lasts at least this long, so that a moment's speed changes nothing. */
const shortestRiskMs = 30_000;
/** A transfer waits for deadlines no longer than this at a time, and then runs at least so long before it does again. */
export const longestLoanMs = 30 * 60_000;
export const turnAfterLoanMs = 10 * 60_000;
const restAfterLoanMs = 60_000;

export function nextPlan(before: Plan, situation: Situation): Plan {
  const { elapsed, running, queued } = situation;
  const rests = restsAfter(before, situation);
  const owed = new Set([...before.owed].filter((id) => rests.has(id) && !running.some((one) => one.id === id)));
  const expected = expectedEnds(situation, before.loans);
  const risks = risksAfter(before, situation, expected);
  const live = new Map([...running, ...queued].map((one) => [one.id, one]));
  const loans = new Map<string, Loan>();
  for (const [id, loan] of before.loans) {
    const lender = situation.lenders.get(id);
    const borrower = live.get(loan.borrower);
    if (!lender) continue;
    if (elapsed - loan.since >= longestLoanMs) {
      rests.set(id, turnAfterLoanMs);
      owed.add(id);
    } else if (borrower && risks.has(loan.borrower) && isLower(lender, borrower)) loans.set(id, loan);
    else rests.set(id, restAfterLoanMs);
  }
  const atRisk = byTurn(
    [...live.values()].filter(({ id }) => risks.has(id)),
    situation.line,
    situation.now,
  );
  const mayLend = (lender: Contender, borrower: Contender): boolean => !rests.has(lender.id) && isLower(lender, borrower);
  const enough = ({ dueAt, bytesLeft, ...one }: Contender, sharing: number): boolean =>
    timeFor(bytesLeft ?? 0, Math.min(lineOf(one, situation) / sharing, wholeLine(one, situation.line))) <=
    riskFrom * (dueAt! - situation.now);
  for (const [id, borrower] of lendersFor(atRisk, { ...situation, loans, mayLend, enough })) loans.set(id, { borrower, since: elapsed });
  return { at: elapsed, risks, loans, rests, owed, expected };
}

/** Whether a transfer may wait for another: by a lower priority, or as one without a deadline of the same priority. */
export function isLower(lender: Pick<Contender, 'priority' | 'dueAt'>, borrower: Pick<Contender, 'priority'>): boolean {
  const by = ranks[lender.priority] - ranks[borrower.priority];
  return by > 0 || (by === 0 && lender.dueAt === null);
}

const lineOf = ({ kind }: Pick<Contender, 'kind'>, { line }: Pick<Situation, 'line'>): number => line[kind] ?? assumedSpeed;

/** What is left to run of each rest. */
function restsAfter({ at, rests }: Plan, { elapsed, running }: Situation): Map<string, number> {
  const passed = at === null ? 0 : Math.max(0, elapsed - at);
  const left = new Map<string, number>();
  for (const [id, rest] of rests) {
    const now = running.some((one) => one.id === id && one.moving) ? rest - passed : rest;
    if (now > 0) left.set(id, now);
  }
  return left;
}

function risksAfter(before: Plan, situation: Situation, expected: ReadonlyMap<string, number>): ReadonlyMap<string, Risk> {
  const { now, elapsed, running, queued } = situation;
  const risks = new Map<string, Risk>();
  const note = (one: Contender, share: number, needed: number): void => {
    const was = before.risks.get(one.id);
    const part = needed / (one.dueAt! - now);
    const isOver = was !== undefined && part <= safeFrom && elapsed - was.since >= shortestRiskMs;
    if (was ? !isOver : part > riskFrom) risks.set(one.id, was ?? { since: elapsed, share });
  };
  // A deadline that has passed is no risk any more: others wait no longer for it.
  const counts = (one: Contender): boolean => one.dueAt !== null && one.dueAt > now && one.bytesLeft !== null;
  for (const one of running.filter(counts)) {
    const line = lineOf(one, situation);
    const rivals = [...before.loans].filter(([id, { borrower }]) => borrower === one.id && situation.lenders.get(id)?.kind === one.kind);
    const idle = rivals.filter(([id]) => !running.some((other) => other.id === id && other.moving)).length;
    const fair = 1 / Math.max(1, activeIn(one.kind, running).length + idle);
    const own = rivals.length === 0 && one.speed !== null && one.speed > 0 ? Math.min(1, one.speed / line) : fair;
    // Its part of the line if nothing waited for it: otherwise a risk would be over as soon as it is met.
    const share = Math.max(before.risks.get(one.id)?.share ?? own, before.risks.has(one.id) ? fair : 0);
    note(one, own, timeFor(one.bytesLeft!, Math.min(line * share, wholeLine(one, situation.line))));
  }
  for (const one of queued.filter(counts)) note(one, 0, (expected.get(one.id) ?? now) - now);
  return risks;
}

const activeIn = (kind: Contender['kind'], running: readonly RunningContender[]): readonly RunningContender[] =>
  running.filter((one) => one.kind === kind && one.moving);

/** When transfers with a deadline will be over as things stand. */
function expectedEnds(situation: Situation, loans: Plan['loans']): ReadonlyMap<string, number> {
  const { now, running, queued, strict, line } = situation;
  const places = strict ? 1 : situation.atOnce;
  const expected = new Map<string, number>();
  const ends: number[] = [];
  for (const one of running) {
    const active = Math.max(1, activeIn(one.kind, running).length);
    const speed = Math.min(one.speed || lineOf(one, situation) / active, wholeLine(one, line));
    const end = one.bytesLeft === null ? Number.POSITIVE_INFINITY : timeFor(one.bytesLeft, speed);
    if (one.dueAt !== null && one.bytesLeft !== null) expected.set(one.id, now + end);
    if (!loans.has(one.id) && (one.moving || strict)) ends.push(end);
  }
  while (ends.length < places) ends.push(0);
  let ahead = 0;
  let priority: Priority | null = null;
  for (const one of byTurn(queued, line, now)) {
    if (one.priority !== priority) {
      priority = one.priority;
      const bytes = situation.bytesAhead(priority);
      for (let at = 0; at < ends.length; at++) ends[at]! += timeFor(Math.max(0, bytes - ahead), lineOf(one, situation));
      ahead = bytes;
    }
    const first = ends.indexOf(Math.min(...ends));
    const speed = lineOf(one, situation) / Math.min(places, activeIn(one.kind, running).length + 1);
    ends[first]! += timeFor(one.bytesLeft ?? 0, Math.min(speed, wholeLine(one, line)));
    if (one.bytesLeft !== null) expected.set(one.id, now + ends[first]!);
  }
  return expected;
}
