import { expect, test } from 'vitest';
import { isOver, nextPhase, type Phase, type PhaseEvent } from '#engine/transfer/states.ts';

const failure = { code: 1, message: 'no', retryable: false };

const phases = {
  queued: { state: 'queued' },
  transferring: { state: 'transferring' },
  paused: { state: 'paused' },
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
} satisfies Record<string, PhaseEvent>;

type Name = keyof typeof phases;

/** Row: from. Column, in the order of `events`: to, or null where the event means nothing. */
const table: Record<Name, readonly (Name | null)[]> = {
  //             start     interrupt all_sent  finish      fail     cancel
  queued: ['transferring', null, null, null, 'error', 'cancelled'],
  transferring: [null, 'queued', 'idle', 'complete', 'error', 'cancelled'],
  paused: [null, null, null, null, null, 'cancelled'],
  idle: [null, null, null, null, null, 'cancelled'],
  complete: [null, null, null, null, null, null],
  error: [null, null, null, null, null, null],
  cancelled: [null, null, null, null, null, null],
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
});

test('complete, failed and cancelled are over; nothing else is', () => {
  expect(
    Object.entries(phases)
      .filter(([, phase]) => isOver(phase))
      .map(([name]) => name),
  ).toEqual(['complete', 'error', 'cancelled']);
});
