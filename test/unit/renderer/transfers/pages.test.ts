import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '#protocol/agent/events.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { nearTo, noPages, pageSize, pagesOf, rowAt, shiftsBy, withAnswers, withEvents } from '#renderer/transfers/list/pages.ts';
import { sampleTransfer } from '#test/support/browser/samples.ts';

const some = (count: number, first = 0): AgentTransfer[] =>
  Array.from({ length: count }, (_, index) => sampleTransfer({ id: `t${first + index}`, position: first + index }));
const changed = (transfer: AgentTransfer): AgentEvent => ({ id: 1, type: 'transfer.changed', transfer });
const loaded = withAnswers(noPages, 0, [{ number: 0, total: 250, records: some(100) }]);

describe('a list of which the page holds a part', () => {
  it('finds a row by its place, and none where nothing is held', () => {
    expect(loaded.total).toBe(250);
    expect(rowAt(loaded, 99)?.id).toBe('t99');
    expect(rowAt(loaded, 100)).toBeUndefined();
    expect(pagesOf(99, 200)).toEqual([0, 1, 2]);
  });

  it('takes progress of what it holds into its place, and leaves the other rows the same values', () => {
    const moved = withEvents(loaded, [changed({ ...rowAt(loaded, 3)!, bytes: 5 })]);
    expect(rowAt(moved, 3)?.bytes).toBe(5);
    expect(rowAt(moved, 4)).toBe(rowAt(loaded, 4));
    expect(moved.stale).toBe(false);
  });

  it('is to be read again where order or number may be others, and not by progress out of sight', () => {
    expect(withEvents(loaded, [changed({ ...rowAt(loaded, 3)!, state: 'complete' })]).stale).toBe(true);
    expect(withEvents(loaded, [{ id: 1, type: 'transfer.removed', transfer_id: 't900' }]).stale).toBe(true);
    const heard = { ...withEvents(loaded, [changed(sampleTransfer({ id: 't900' }))]), stale: false };
    expect(withEvents(heard, [changed(sampleTransfer({ id: 't900', bytes: 1 }))]).stale).toBe(false);
    expect(withEvents(heard, [changed(sampleTransfer({ id: 't900', state: 'paused' }))]).stale).toBe(true);
  });

  it('lets no answer undo an event that came after it was asked for', () => {
    const askedAt = loaded.mark;
    const done = withEvents(loaded, [changed({ ...rowAt(loaded, 3)!, state: 'complete' })]);
    const late = withAnswers(done, askedAt, [{ number: 0, total: 250, records: some(100) }]);
    expect(rowAt(late, 3)?.state).toBe('complete');
    // It may stand somewhere else now.
    expect(late.stale).toBe(true);
    const fresh = withAnswers(done, done.mark, [{ number: 0, total: 249, records: some(99) }]);
    expect([fresh.stale, fresh.total]).toEqual([false, 249]);
  });

  it('lets pages go that are far from those in sight', () => {
    const whole = withAnswers(
      loaded,
      0,
      Array.from({ length: 12 }, (_, number) => ({ number, total: 1_200, records: some(pageSize, number * pageSize) })),
    );
    expect([...nearTo(whole, 6, 6).loaded.keys()]).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(nearTo(loaded, 0, 0)).toBe(loaded);
  });

  it('forgets what it heard before it grows without bound', () => {
    const changedOnes = withEvents(loaded, some(3_000, 5_000).map(changed));
    expect(changedOnes.latest.size).toBe(0);
    expect(changedOnes.stale).toBe(true);
  });

  it('knows how the counts change by what it holds, once for each, and leaves out what it only heard of', () => {
    const one = rowAt(loaded, 3)!;
    const events: AgentEvent[] = [
      changed({ ...one, bytes: 9 }),
      changed({ ...one, state: 'paused' }),
      changed({ ...one, state: 'complete' }),
      changed({ ...one, state: 'complete' }),
      { id: 2, type: 'transfer.removed', transfer_id: 't4' },
      changed(sampleTransfer({ id: 't900', state: 'complete' })),
    ];
    expect(Object.fromEntries(shiftsBy(loaded, events))).toEqual({ transferring: -2, paused: 0, complete: 1 });
    // What an earlier event told is where the next one begins.
    const next = withEvents(loaded, events);
    expect(Object.fromEntries(shiftsBy(next, [changed({ ...one, state: 'queued' })]))).toEqual({ complete: -1, queued: 1 });
  });

  it('stays the same where an event is about something else', () => {
    expect(withEvents(loaded, [{ id: 1, type: 'session.changed', session: null }])).toBe(loaded);
  });
});
