import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Contender, RunningContender } from '#engine/transfer/deadlines/contender.ts';
import { isLower, longestLoanMs, nextPlan, noPlan, type Plan, type Situation } from '#engine/transfer/deadlines/plan.ts';
import { byTurn, slackOf } from '#engine/transfer/deadlines/slack.ts';
import type { Priority } from '#engine/transfer/record.ts';
import { runs } from '#test/support/faults/seeds.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const megabyte = 1_000_000;
/** Bytes a second of the line in these tests. */
const speed = 10 * megabyte;
const line = { upload: speed, download: speed };
/** Bytes that take so long with the whole line. */
const bytesFor = (milliseconds: number): number => (milliseconds / 1_000) * speed;

const contender = (id: string, some: Partial<Contender> = {}): Contender => ({
  id,
  kind: 'upload',
  priority: 'normal',
  position: 1,
  dueAt: null,
  bytesLeft: 0,
  rateLimit: 0,
  ...some,
});
const moving = (id: string, some: Partial<RunningContender> = {}): RunningContender => ({
  ...contender(id, some),
  speed: null,
  moving: true,
  ...some,
});

function situation(some: Partial<Situation>): Situation {
  return {
    now: 0,
    elapsed: 0,
    running: [],
    queued: [],
    lenders: new Map(),
    line,
    atOnce: 3,
    strict: false,
    bytesAhead: () => 0,
    ...some,
  };
}

const loansOf = ({ loans }: Plan): Record<string, string> => Object.fromEntries([...loans].map(([id, { borrower }]) => [id, borrower]));

describe('slack', () => {
  it('is the time left less what the bytes take with the whole line', () => {
    const one = contender('a', { dueAt: hour, bytesLeft: bytesFor(50 * minute) });
    expect(slackOf(one, line, 0)).toBe(10 * minute);
    expect(slackOf(one, line, 20 * minute)).toBe(-10 * minute);
    expect(slackOf({ ...one, rateLimit: speed / 2 }, line, 0)).toBe(-40 * minute);
    expect(slackOf({ ...one, dueAt: null }, line, 0)).toBe(Number.POSITIVE_INFINITY);
  });

  it('orders within a priority, before the position', () => {
    const tight = contender('tight', { dueAt: 2 * hour, bytesLeft: bytesFor(110 * minute), position: 9 });
    const early = contender('early', { dueAt: hour, position: 8 });
    const [first, second] = [contender('first', { position: 1 }), contender('second', { position: 2 })];
    const high = contender('high', { priority: 'high', position: 7 });
    const order = byTurn([second, early, first, tight, high], line, 0).map(({ id }) => id);
    expect(order).toEqual(['high', 'tight', 'early', 'first', 'second']);
  });
});

describe('a deadline', () => {
  it('that can be met at its share of the line has nobody wait', () => {
    const due = moving('due', { dueAt: hour, bytesLeft: bytesFor(20 * minute) });
    const plan = nextPlan(noPlan, situation({ running: [due, moving('other', { bytesLeft: bytesFor(hour) })] }));
    expect(plan.risks.size).toBe(0);
    expect(plan.expected.get('due')).toBe(40 * minute);
  });

  it('that is at risk has as many of its direction wait as it needs, the last of the order first', () => {
    const due = moving('due', { dueAt: hour, bytesLeft: bytesFor(30 * minute) });
    const others = [
      moving('first', { position: 2 }),
      moving('last', { position: 5 }),
      moving('low', { priority: 'low', position: 1 }),
      moving('high', { priority: 'high', position: 9 }),
      moving('down', { kind: 'download', priority: 'low' }),
    ];
    // Four share the line, and so 120 minutes are needed; 90 of three, and 60 of two are still too many.
    const plan = nextPlan(noPlan, situation({ running: [due, ...others], atOnce: 9 }));
    expect(loansOf(plan)).toEqual({ low: 'due', last: 'due', first: 'due' });
  });

  it('has nobody of its own priority with a deadline wait, nor one of a higher priority', () => {
    const due = moving('due', { dueAt: hour, bytesLeft: bytesFor(50 * minute) });
    const others = [moving('high', { priority: 'high' }), moving('also due', { dueAt: 9 * hour })];
    const plan = nextPlan(noPlan, situation({ running: [due, ...others] }));
    expect([...plan.risks.keys()]).toEqual(['due']);
    expect(plan.loans.size).toBe(0);
  });

  it('takes the place of one that runs for long, and none where one is free in time', () => {
    const due = contender('due', { dueAt: hour, bytesLeft: bytesFor(5 * minute) });
    const running = (left: number): RunningContender[] => [moving('running', { bytesLeft: bytesFor(left) })];
    const takes = nextPlan(noPlan, situation({ queued: [due], running: running(5 * hour), atOnce: 1 }));
    expect(loansOf(takes)).toEqual({ running: 'due' });
    const waits = nextPlan(noPlan, situation({ queued: [due], running: running(10 * minute), atOnce: 1 }));
    expect(waits.loans.size).toBe(0);
    expect(waits.expected.get('due')).toBe(15 * minute);
  });

  it('that has passed has nobody wait any more', () => {
    const due = moving('due', { dueAt: hour, bytesLeft: bytesFor(50 * minute) });
    const other = moving('other');
    const before = nextPlan(noPlan, situation({ running: [due, other] }));
    expect(loansOf(before)).toEqual({ other: 'due' });
    const lenders = new Map([['other', contender('other')]]);
    const after = nextPlan(before, situation({ running: [due], lenders, now: hour, elapsed: hour - 31 * minute }));
    expect(after.loans.size).toBe(0);
  });

  it('does not change its mind by the moment: what waits goes on only when there is time to spare', () => {
    const due = (left: number): RunningContender => moving('due', { dueAt: hour, bytesLeft: bytesFor(left), speed });
    const lenders = new Map([['other', contender('other')]]);
    const begin = situation({ running: [{ ...due(50 * minute), speed: speed / 2 }, moving('other', { speed: speed / 2 })] });
    let plan = nextPlan(noPlan, begin);
    expect(loansOf(plan)).toEqual({ other: 'due' });
    // At half the line, 80 % of the time left is needed: no risk begins here, and none ends.
    plan = nextPlan(plan, situation({ running: [due(20 * minute)], lenders, now: 10 * minute, elapsed: 10 * minute }));
    expect(loansOf(plan)).toEqual({ other: 'due' });
    plan = nextPlan(plan, situation({ running: [due(10 * minute)], lenders, now: 20 * minute, elapsed: 20 * minute }));
    expect(plan.loans.size).toBe(0);
    expect(plan.rests.has('other')).toBe(true);
  });

  it('keeps nobody for longer than half an hour, who then runs beside the others and lends nothing for ten minutes', () => {
    const due = moving('due', { dueAt: 100 * hour, bytesLeft: bytesFor(99 * hour) });
    const other = moving('other');
    const lenders = new Map([['other', contender('other')]]);
    let plan = nextPlan(noPlan, situation({ running: [due, other], atOnce: 1 }));
    expect(loansOf(plan)).toEqual({ other: 'due' });
    plan = nextPlan(plan, situation({ running: [due], lenders, atOnce: 1, now: longestLoanMs, elapsed: longestLoanMs }));
    expect(plan.loans.size).toBe(0);
    expect([...plan.owed]).toEqual(['other']);
    // Time in which it does not run is none of its ten minutes.
    plan = nextPlan(plan, situation({ running: [due], elapsed: 3 * hour - second, now: 3 * hour - second }));
    plan = nextPlan(plan, situation({ running: [due, other], elapsed: 3 * hour, now: 3 * hour }));
    expect(plan.owed.size).toBe(0);
    plan = nextPlan(plan, situation({ running: [due, other], elapsed: 3 * hour + 9 * minute, now: 3 * hour + 9 * minute }));
    expect(plan.loans.size).toBe(0);
  });
});

interface Simulated {
  readonly one: Contender;
  left: number;
  state: 'queued' | 'running' | 'over';
  /** Milliseconds that it ran since it last began to wait. */
  ranSince: number;
  waitedSince: number | null;
  hasWaited: boolean;
}

const stepMs = 10 * second;

describe('whatever is in the queue', () => {
  const priority = fc.constantFrom<Priority>('low', 'normal', 'high');
  const transfer = fc.record({
    priority,
    kind: fc.constantFrom('upload' as const, 'download' as const),
    minutes: fc.integer({ min: 1, max: 120 }),
    due: fc.option(fc.integer({ min: 1, max: 300 }), { nil: null }),
    /** When it is added. */
    from: fc.integer({ min: 0, max: 120 }),
  });

  it('deadlines borrow from lower ones only, nothing flaps, and nothing starves', () => {
    fc.assert(
      fc.property(fc.array(transfer, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 4 }), (transfers, atOnce) => {
        const all: Simulated[] = [];
        let plan = noPlan;
        let elapsed = 0;
        const waiting = [...transfers.entries()].sort(([, a], [, b]) => a.from - b.from);
        while (waiting.length > 0 || all.some(({ state }) => state !== 'over')) {
          // Sixteen hours of work at most, each with the whole line; twice that with both directions and places taken in turn.
          expect(elapsed).toBeLessThan(80 * hour);
          while (waiting[0] && waiting[0][1].from * minute <= elapsed) {
            const [index, { priority, kind, minutes, due }] = waiting.shift()!;
            const one = contender(`t${index}`, { priority, kind, position: index, dueAt: due === null ? null : elapsed + due * minute });
            all.push({ one, left: bytesFor(minutes * minute), state: 'queued', ranSince: 0, waitedSince: null, hasWaited: false });
          }
          plan = step(all, plan, elapsed, atOnce);
          elapsed += stepMs;
        }
      }),
      { numRuns: runs(10, 1_000) },
    );
  });
});

/** Some seconds of a queue that keeps to the plan, on a line that those of a direction share equally. */
function step(all: readonly Simulated[], before: Plan, elapsed: number, atOnce: number): Plan {
  const now = (one: Simulated): Contender => ({ ...one.one, bytesLeft: one.left });
  const active = (kind: Contender['kind']): Simulated[] => all.filter(({ one, state }) => one.kind === kind && state === 'running');
  const live = all.filter(({ state }) => state !== 'over');
  const plan = nextPlan(
    before,
    situation({
      now: elapsed,
      elapsed,
      atOnce,
      running: live
        .filter(({ state }) => state === 'running')
        .map((one) => ({ ...now(one), moving: true, speed: speed / active(one.one.kind).length })),
      queued: live.filter(({ one, state }) => state === 'queued' && one.dueAt !== null).map(now),
      lenders: new Map(live.filter(({ one }) => before.loans.has(one.id)).map((one) => [one.one.id, now(one)])),
    }),
  );
  const byId = new Map(all.map((one) => [one.one.id, one]));
  for (const [id, { borrower }] of plan.loans) {
    const lender = byId.get(id)!;
    expect(isLower(lender.one, byId.get(borrower)!.one)).toBe(true);
    if (lender.waitedSince !== null) continue;
    // It has run for a while since it waited last.
    if (lender.hasWaited) expect(lender.ranSince).toBeGreaterThanOrEqual(minute);
    Object.assign(lender, { waitedSince: elapsed, state: 'queued', ranSince: 0, hasWaited: true });
  }
  for (const one of live) {
    if (plan.loans.has(one.one.id)) expect(elapsed - one.waitedSince!).toBeLessThan(longestLoanMs);
    else one.waitedSince = null;
  }
  const waits = ({ one, state }: Simulated): boolean => state === 'queued' && !plan.loans.has(one.id);
  const places = (): number => live.filter(({ state }) => state === 'running').length;
  for (const { id } of byTurn(live.filter(waits).map(now), line, elapsed)) {
    if (places() < atOnce || (plan.owed.has(id) && places() === atOnce)) byId.get(id)!.state = 'running';
  }
  for (const kind of ['upload', 'download'] as const) {
    const running = active(kind);
    for (const one of running) {
      one.left -= ((speed / running.length) * stepMs) / 1_000;
      one.ranSince += stepMs;
      if (one.left <= 0) Object.assign(one, { left: 0, state: 'over' });
    }
  }
  return plan;
}
