import { describe, expect, it } from 'vitest';
import { cloudTransferStates } from '#protocol/hosted/transfers.ts';
import { activeStates, transferEvents, transition } from '#service/transfers/state-machine.ts';

/** Each state, and where each event leads; `-`: refused. */
const table = `
            start    postpone  complete  fail   cancel     retry
pending     started  pending   -         -      cancelled  -
started     started  pending   complete  error  cancelled  -
complete    -        -         -         -      -          -
cancelled   -        -         -         -      -          pending
error       -        -         -         -      -          pending
`;

const [events, ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));

describe('the states of a transfer', () => {
  it('are all in the table, with all events', () => {
    expect(events).toEqual([...transferEvents]);
    expect(rows.map(([state]) => state).toSorted()).toEqual([...cloudTransferStates].toSorted());
  });

  it.each(rows.flatMap(([from, ...to]) => to.map((after, index) => [from!, transferEvents[index]!, after] as const)))(
    '%s, %s: %s',
    (from, event, after) => {
      const move = transition(from as (typeof cloudTransferStates)[number], event);
      if (after === '-') expect(move).toEqual({ outcome: 'refused', detail: expect.stringMatching(/\.$/) });
      else expect(move.outcome === 'moves' ? move.to : move.outcome === 'stays' ? from : null).toBe(after);
    },
  );

  it('read their package while they can still be cancelled', () => {
    expect(cloudTransferStates.filter((state) => transition(state, 'cancel').outcome === 'moves')).toEqual([...activeStates]);
  });
});
