import type { TransferDeadline } from '#protocol/agent/deadline.ts';
import type { Clock } from '../../ports.ts';
import type { Lists } from '../../state/lists.ts';
import type { Activity } from '../activity.ts';
import { goesBefore, ranks } from '../order.ts';
import type { TransferRecord } from '../record.ts';
import type { Waiting } from '../state-machine.ts';
import type { Contender, LineSpeeds } from './contender.ts';
import { createLineSpeed } from './line-speed.ts';
import { nextPlan, noPlan, type Plan } from './plan.ts';
import { assumedSpeed, byTurn } from './slack.ts';
import { deadlineView } from './view.ts';

/** A running transfer. */
interface Running {
  readonly record: TransferRecord;
  readonly activity: Activity;
}

interface QueueState {
  readonly running: readonly Running[];
  readonly atOnce: number;
  readonly strict: boolean;
}

/** Something that is shown of a transfer has changed; `log` is for its log. */
interface Change {
  readonly id: string;
  readonly log: { readonly event: 'deadline' | 'waiting'; readonly detail: string } | null;
}

/** What deadlines mean for the queue: whose turn is next, and who waits for whom (docs/decisions/0058). */
export interface Deadlines {
  /** Whether there is anything to look at: a queued or running transfer has one, or others wait. */
  any(): boolean;
  /** Measures, and decides anew. Returns the transfers of which something shown has changed. */
  look(queue: QueueState): readonly Change[];
  /** The queued transfer whose turn it is; `null` if there is none. */
  next(isRunning: (id: string) => boolean): string | null;
  /** A queued transfer that may run although no place is free, since it has waited for a deadline long enough. */
  owed(isRunning: (id: string) => boolean): string | null;
  /** It was started: one without a deadline is overtaken only so often. */
  began(record: Pick<TransferRecord, 'priority' | 'dueAt'>): void;
  /** Whether a transfer waits for one with a deadline. */
  isLent(id: string): boolean;
  /** Whether `a` comes before `b`: by priority, slack and position. */
  goesBefore(a: TransferRecord, b: TransferRecord): boolean;
  view(record: TransferRecord, activity: Activity | null): TransferDeadline | null;
  /** Why a transfer waits for another; `null` if it does not. */
  waiting(id: string): Waiting | null;
}

interface DeadlinesPorts {
  readonly lists: Pick<Lists, 'hasDue' | 'queuedDue' | 'queuedUndue' | 'bytesAhead' | 'among'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number;
  /** The speed limit of a direction in bytes a second; 0 = none. */
  readonly limit: (kind: Contender['kind']) => number;
  /** `null` for an unknown id. */
  readonly find: (id: string) => TransferRecord | null;
  /** Expected bytes of an upload that is not scanned yet; `null` if they are unknown. */
  readonly expectedBytes: (id: string) => number | null;
}

/** What was last shown of a transfer. */
interface Shown {
  readonly deadline: string;
  /** Whether the deadline is at risk or worse. */
  readonly isBad: boolean;
  /** For what it waits. */
  readonly waits: string;
}

const nothingShown: Shown = { deadline: '', isBad: false, waits: '' };
const badStates: ReadonlySet<TransferDeadline['state']> = new Set(['at_risk', 'cannot_be_met', 'missed']);

/** Of one priority, so many with a deadline begin in a row before one without a deadline that waits. */
export const mostInARow = 4;

export function createDeadlines(ports: DeadlinesPorts): Deadlines {
  const { lists, clock, elapsed, limit, find } = ports;
  const measured = createLineSpeed();
  let plan: Plan = noPlan;
  let inARow = 0;
  let shown: ReadonlyMap<string, Shown> = new Map();

  const line = (): LineSpeeds => {
    const all = measured.all();
    const limited = (kind: Contender['kind']): number | null => {
      const most = limit(kind);
      if (most === 0) return all[kind];
      // A low limit is as good as measured.
      return all[kind] === null && most > assumedSpeed ? null : Math.min(all[kind] ?? most, most);
    };
    return { upload: limited('upload'), download: limited('download') };
  };

  const bytesLeft = (record: TransferRecord, done: number): number | null => {
    const isUnscanned = record.kind === 'upload' && !record.facts.scanned;
    const expected = isUnscanned ? ports.expectedBytes(record.id) : 0;
    if (expected === null && record.totalBytes === 0) return null;
    return Math.max(0, Math.max(record.totalBytes, expected ?? 0) - done);
  };

  const contender = (record: TransferRecord, done: number = record.bytes): Contender => {
    const { id, kind, priority, position, dueAt, rateLimit } = record;
    return { id, kind, priority, position, dueAt: dueAt ?? null, bytesLeft: bytesLeft(record, done), rateLimit };
  };

  const queuedDue = (): Contender[] => {
    const rows = lists.queuedDue();
    const left = rows.map(({ scanned, totalBytes, bytes, ...row }): Contender => {
      const expected = scanned ? totalBytes : (ports.expectedBytes(row.id) ?? 0);
      const total = Math.max(totalBytes, expected);
      return { ...row, bytesLeft: !scanned && total === 0 ? null : Math.max(0, total - bytes) };
    });
    return byTurn(left, line(), clock.now());
  };

  const lenders = (): ReadonlyMap<string, Contender> =>
    new Map(
      [...plan.loans.keys()].flatMap((id) => {
        const record = find(id);
        return record && isLive(record) ? [[id, contender(record)] as const] : [];
      }),
    );

  /** Transfers that are over are forgotten. */
  const current = (before: Plan): Plan => {
    if (before.rests.size === 0) return before;
    const live = new Set(lists.among([...before.rests.keys()], { state: ['queued', 'transferring', 'paused'] }));
    return { ...before, rests: new Map([...before.rests].filter(([id]) => live.has(id))) };
  };

  const view = (record: TransferRecord, activity: Activity | null): TransferDeadline | null => {
    if (record.dueAt === undefined) return null;
    return deadlineView(
      { ...contender(record, activity?.bytes), dueAt: record.dueAt },
      {
        phase: record.phase,
        isAtRisk: plan.risks.has(record.id),
        lenders: [...plan.loans.values()].filter(({ borrower }) => borrower === record.id).length,
        expectedAt: plan.expected.get(record.id),
        line: line(),
        now: clock.now(),
      },
    );
  };

  /** For which one it waits; `null` as soon as that one is over, paused, or late. */
  const loanOf = (id: string): { readonly name: string; readonly dueAt: number } | null => {
    const loan = plan.loans.get(id);
    const borrower = loan && find(loan.borrower);
    if (!borrower || !isLive(borrower) || borrower.dueAt === undefined || borrower.dueAt <= clock.now()) return null;
    return { name: borrower.name, dueAt: borrower.dueAt };
  };

  const waiting = (id: string): Waiting | null => {
    const loan = loanOf(id);
    return loan && { reason: `It waits for "${loan.name}", which is due at ${minuteOf(loan.dueAt)}.`, until: null };
  };

  /** What changed for whom, compared with what was last shown. */
  const changes = (due: readonly TransferRecord[], activities: ReadonlyMap<string, Activity>): Change[] => {
    const now = new Map<string, Shown>();
    for (const record of due) {
      const deadline = view(record, activities.get(record.id) ?? null);
      if (deadline) now.set(record.id, { deadline: deadline.message, isBad: badStates.has(deadline.state), waits: '' });
    }
    for (const [id] of plan.loans) now.set(id, { ...(now.get(id) ?? nothingShown), waits: waiting(id)?.reason ?? '' });
    const before = shown;
    shown = now;
    return [...new Set([...now.keys(), ...before.keys()])].flatMap((id): Change[] => {
      const [was, is] = [before.get(id) ?? nothingShown, now.get(id) ?? nothingShown];
      if (was.waits !== is.waits) return [{ id, log: is.waits === '' ? null : { event: 'waiting', detail: is.waits } }];
      if (was.deadline !== is.deadline) return [{ id, log: is.isBad ? { event: 'deadline', detail: is.deadline } : null }];
      return [];
    });
  };

  return {
    any: () => plan.loans.size > 0 || lists.hasDue(),
    look({ running, atOnce, strict }) {
      measured.sample(
        running.map(({ record: { id, kind }, activity: { bytes } }) => ({ id, kind, bytes })),
        elapsed(),
      );
      const queued = queuedDue();
      plan = nextPlan(current(plan), {
        now: clock.now(),
        elapsed: elapsed(),
        running: running.map(({ record, activity }) => ({
          ...contender(record, activity.bytes),
          speed: measured.of(record.id),
          moving: activity.waiting() === null,
        })),
        queued,
        lenders: lenders(),
        line: line(),
        atOnce,
        strict,
        bytesAhead: lists.bytesAhead,
      });
      const due = [...running.map(({ record }) => record), ...queued.flatMap(({ id }) => find(id) ?? [])];
      return changes(
        due.filter(({ dueAt }) => dueAt !== undefined),
        new Map(running.map(({ record, activity }) => [record.id, activity])),
      );
    },
    next(isRunning) {
      const isFree = (id: string): boolean => loanOf(id) === null && !isRunning(id) && find(id)?.phase.state === 'queued';
      const due = queuedDue().find(({ id }) => isFree(id));
      for (const { id, priority } of lists.queuedUndue()) {
        if (!isFree(id)) continue;
        if (!due || ranks[priority] < ranks[due.priority]) return id;
        return priority === due.priority && inARow >= mostInARow ? id : due.id;
      }
      return due?.id ?? null;
    },
    owed: (isRunning) => [...plan.owed].find((id) => !isRunning(id) && find(id)?.phase.state === 'queued') ?? null,
    began({ dueAt }) {
      inARow = dueAt === undefined ? 0 : inARow + 1;
    },
    isLent: (id) => loanOf(id) !== null,
    goesBefore(a, b) {
      if (a.dueAt === undefined && b.dueAt === undefined) return goesBefore(a, b);
      const [first] = byTurn([contender(a), contender(b)], line(), clock.now());
      return first?.id === a.id;
    },
    view,
    waiting,
  };
}

const isLive = ({ phase }: TransferRecord): boolean => phase.state === 'queued' || phase.state === 'transferring';

/** `2026-11-20 18:00 UTC`. */
const minuteOf = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
