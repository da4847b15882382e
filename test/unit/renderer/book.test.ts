import { describe, expect, it } from 'vitest';
import { applyEvents, applyList, emptyBook, inOrder, type TransferBook } from '#renderer/transfers/book.ts';
import { sampleTransfer } from '#test/support/samples.ts';

const one = sampleTransfer({ id: 'a', position: 1 });
const two = sampleTransfer({ id: 'b', position: 2 });
const listOf = (...records: (typeof one)[]) => ({ records, finishedTotal: records.filter((record) => record.state === 'complete').length });
const loaded = (...records: (typeof one)[]): TransferBook => applyList(emptyBook, 0, listOf(...records));

describe('applyEvents', () => {
  it('adds, changes and removes in order', () => {
    const book = applyEvents(loaded(one), [
      { id: 1, type: 'transfer.added', transfer: two },
      { id: 2, type: 'transfer.changed', transfer: { ...one, bytes: 5 } },
      { id: 3, type: 'transfer.removed', transfer_id: 'b' },
    ]);
    expect([...book.byId.values()]).toEqual([{ ...one, bytes: 5 }]);
  });

  it('counts what comes to an end and what is removed after it', () => {
    const ended = applyEvents(loaded(one), [{ id: 1, type: 'transfer.changed', transfer: { ...one, state: 'complete' } }]);
    expect(ended.finishedTotal).toBe(1);
    const again = applyEvents(ended, [{ id: 2, type: 'transfer.changed', transfer: { ...one, state: 'complete', name: 'x' } }]);
    expect(again.finishedTotal).toBe(1);
    expect(applyEvents(again, [{ id: 3, type: 'transfer.removed', transfer_id: 'a' }]).finishedTotal).toBe(0);
  });

  it('gives the very same book when nothing in it changed', () => {
    const book = loaded(one);
    expect(applyEvents(book, [{ id: 1, type: 'session.changed', session: null }])).toBe(book);
  });
});

describe('applyList', () => {
  it('replaces what was there before it was asked for', () => {
    expect([...applyList(loaded(one), 0, listOf(two)).byId.keys()]).toEqual(['b']);
  });

  it.each([
    ['a change', { id: 1, type: 'transfer.changed', transfer: { ...one, bytes: 9 } } as const, [{ ...one, bytes: 9 }]],
    ['a removal', { id: 1, type: 'transfer.removed', transfer_id: 'a' } as const, []],
    ['an addition', { id: 1, type: 'transfer.added', transfer: two } as const, [one, two]],
  ])('never undoes %s that came while it was on its way', (_, event, expected) => {
    const before = loaded(one);
    const after = applyEvents(before, [event]);
    expect([...applyList(after, before.mark, listOf(one)).byId.values()]).toEqual(expected);
  });

  it('believes the list about changes that came before it was asked for', () => {
    const changed = applyEvents(loaded(one), [{ id: 1, type: 'transfer.changed', transfer: { ...one, bytes: 9 } }]);
    expect([...applyList(changed, changed.mark, listOf({ ...one, bytes: 20 })).byId.values()]).toEqual([{ ...one, bytes: 20 }]);
  });
});

describe('inOrder', () => {
  it('has the queue first and then what is over, newest first', () => {
    const done = (id: string, finished_at: string) => sampleTransfer({ id, state: 'complete', finished_at });
    const book = loaded(two, done('old', '2026-11-01T00:00:00.000Z'), one, done('new', '2026-11-02T00:00:00.000Z'));
    const { open, finished } = inOrder(book);
    expect(open.map((transfer) => transfer.id)).toEqual(['a', 'b']);
    expect(finished.map((transfer) => transfer.id)).toEqual(['new', 'old']);
  });
});
