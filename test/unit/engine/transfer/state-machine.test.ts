import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOver, nextPhase, type Phase, type PhaseEvent } from '#engine/transfer/state-machine.ts';

const failure = { code: 1, message: 'no', retryable: false };

const phases = {
  queued: { state: 'queued' },
  transferring: { state: 'transferring' },
  paused: { state: 'paused', since: 1, until: 5 },
  idle: { state: 'idle' },
  complete: { state: 'complete', finishedAt: 1 },
  error: { state: 'error', failure },
  cancelled: { state: 'cancelled', finishedAt: 1 },
} satisfies Record<string, Phase>;

const events = {
  start: { type: 'start' },
  interrupt: { type: 'interrupt' },
  all_sent: { type: 'all_sent' },
  finish: { type: 'finish', at: 9 },
  fail: { type: 'fail', failure },
  cancel: { type: 'cancel', at: 9 },
  pause: { type: 'pause', since: 8, until: null },
  resume: { type: 'resume' },
  retry: { type: 'retry' },
  finalize: { type: 'finalize' },
  more: { type: 'more' },
} satisfies Record<string, PhaseEvent>;

type Name = keyof typeof phases;

/** Row: from. Column, in the order of `events`: to, or null where the event means nothing. */
const table: Record<Name, readonly (Name | null)[]> = {
  //             start     interrupt all_sent  finish      fail     cancel       pause     resume    retry     finalize  more
  queued: ['transferring', null, null, null, 'error', 'cancelled', 'paused', null, null, null, null],
  transferring: [null, 'queued', 'idle', 'complete', 'error', 'cancelled', 'paused', null, null, null, null],
  paused: [null, null, 'idle', 'complete', null, 'cancelled', 'paused', 'queued', null, null, null],
  idle: [null, null, null, null, null, 'cancelled', null, null, null, 'queued', 'queued'],
  complete: [null, null, null, null, null, null, null, null, null, null, null],
  error: [null, null, null, null, null, null, null, null, 'queued', 'queued', 'queued'],
  cancelled: [null, null, null, null, null, null, null, null, 'queued', null, null],
};

const rows = Object.entries(table).flatMap(([from, row]) =>
  Object.keys(events).map((event, column) => [from as Name, event as keyof typeof events, row[column] ?? null] as const),
);

test.each(rows)('%s, %s: %s', (from, event, to) => {
  expect(nextPhase(phases[from], events[event])?.state ?? null).toBe(to);
});

test('what an event says is kept', () => {
  expect(nextPhase(phases.transferring, events.fail)).toEqual({ state: 'error', failure });
  expect(nextPhase(phases.transferring, events.finish)).toEqual({ state: 'complete', finishedAt: 9 });
  expect(nextPhase(phases.queued, events.pause)).toEqual({ state: 'paused', since: 8, until: null });
  expect(nextPhase(phases.paused, events.pause)).toEqual({ state: 'paused', since: 8, until: null });
  expect(nextPhase(phases.paused, events.resume)).toEqual({ state: 'queued' });
});

test('complete, failed and cancelled are over; nothing else is', () => {
  expect(
    Object.entries(phases)
      .filter(([, phase]) => isOver(phase))
      .map(([name]) => name),
  ).toEqual(['complete', 'error', 'cancelled']);
});

const anyEvent = fc.constantFrom<PhaseEvent>(...Object.values(events));
const afterAll = (from: Phase, said: readonly PhaseEvent[]): Phase => said.reduce((phase, event) => nextPhase(phase, event) ?? phase, from);
const fromJobs = new Set(['interrupt', 'all_sent', 'finish', 'fail']);

test('whatever happens in whatever order: complete stays complete, and only a person brings back what is over', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (said) => {
      expect(afterAll(phases.complete, said)).toBe(phases.complete);
      const byJobs = said.filter(({ type }) => fromJobs.has(type));
      for (const phase of [phases.error, phases.cancelled]) expect(afterAll(phase, byJobs)).toBe(phase);
    }),
  );
});

test('whatever happened, a cancel ends what is not over, and after a pause nothing starts before it is resumed', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), fc.array(anyEvent, { maxLength: 30 }), (before, after) => {
      const phase = afterAll(phases.queued, before);
      expect(isOver(afterAll(phase, [events.cancel]))).toBe(true);
      if (phase.state !== 'queued') return;
      const quiet = after.filter(({ type }) => !['resume', 'retry', 'finalize', 'more'].includes(type));
      expect(afterAll(phase, [events.pause, ...quiet]).state).not.toBe('transferring');
    }),
  );
});
