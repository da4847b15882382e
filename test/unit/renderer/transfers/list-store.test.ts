import { expect, it } from 'vitest';
import type { AgentClient } from '#client/agent.ts';
import type { TransferSummary } from '#protocol/agent/transfer-actions.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { createFeed } from '#renderer/transfers/feed.ts';
import { createListStore } from '#renderer/transfers/list/list-store.ts';
import { wholeView } from '#renderer/transfers/list/list-view.ts';
import { sampleTransfer } from '#test/support/browser/samples.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const none = { queued: 0, transferring: 0, paused: 0, idle: 0, complete: 0, error: 0, cancelled: 0 };
const summary = (states: Partial<TransferSummary['states']>): TransferSummary => ({
  states: { ...none, ...states },
  bytes_left: 0,
  upload_bps: 0,
  download_bps: 0,
});

/** A list over an agent whose answers come when the test gives them. */
function setUp(records: readonly AgentTransfer[] = []) {
  const feed = createFeed();
  const asked: ((answer: TransferSummary) => void)[] = [];
  const later: (() => void)[] = [];
  /** After how many milliseconds something is wanted, in the order in which it was. */
  const delays: number[] = [];
  const call = (name: string) =>
    name === 'summarizeTransfers'
      ? new Promise<TransferSummary>((resolve) => asked.push(resolve))
      : Promise.resolve({ records, metadata: { total: records.length } });
  const store = createListStore(wholeView, {
    client: { call } as unknown as AgentClient,
    feed,
    after(milliseconds, work) {
      delays.push(milliseconds);
      later.push(work);
      return () => void later.splice(later.indexOf(work), 1);
    },
  });
  store.subscribe(() => {});
  return { feed, store, asked, later, delays };
}

it('an answer that comes after a newer one does not count what is over as active', async () => {
  const { feed, store, asked } = setUp();
  feed.emit({ type: 'reset' });
  asked[1]!(summary({ complete: 1 }));
  await settle();
  asked[0]!(summary({ transferring: 1 }));
  await settle();
  expect(store.current().summary?.states).toEqual({ ...none, complete: 1 });
});

it.each(['queued', 'transferring'] as const)('counts are read again while something is %s', async (state) => {
  const { asked, later } = setUp();
  asked[0]!(summary({ [state]: 1 }));
  await settle();
  expect(later).toHaveLength(1);
  later[0]!();
  asked[1]!(summary({ complete: 1 }));
  await settle();
  expect([asked.length, later.length]).toEqual([2, 0]);
});

it.each(['upload_bps', 'download_bps'] as const)('a speed that was told in %s is read until it is none', async (speed) => {
  const { asked, later, store } = setUp();
  asked[0]!({ ...summary({ paused: 1 }), [speed]: 2_700_000 });
  await settle();
  expect(later).toHaveLength(1);
  later[0]!();
  asked[1]!(summary({ paused: 1 }));
  await settle();
  expect([store.current().summary?.[speed], later.length]).toEqual([0, 0]);
});

it('nothing is to go any more, and no speed is told, once the last is over', async () => {
  const one = sampleTransfer({ id: 't1', state: 'transferring' });
  const { feed, store, asked } = setUp([one]);
  asked[0]!({ ...summary({ transferring: 1 }), bytes_left: 87_000, upload_bps: 14_000_000, unmeasured: 1 });
  await settle();
  feed.emit({ type: 'events', events: [{ id: 1, type: 'transfer.changed', transfer: { ...one, state: 'complete' } }] });
  expect(store.current().summary).toEqual({ ...summary({ complete: 1 }), unmeasured: 0 });
});

it('totals are read again within a second where a transfer begins to wait, or stops to', async () => {
  const one = sampleTransfer({ id: 't1', state: 'transferring' });
  const { feed, asked, later, delays } = setUp([one]);
  asked[0]!({ ...summary({ transferring: 1 }), upload_bps: 14_000_000 });
  await settle();
  const tell = (waiting: AgentTransfer['waiting']) =>
    feed.emit({ type: 'events', events: [{ id: 1, type: 'transfer.changed', transfer: { ...one, bytes: 5, waiting } }] });
  tell(null);
  expect(delays).toEqual([2_000]);
  tell({ reason: 'The service cannot be reached.' });
  expect(delays).toHaveLength(2);
  expect(delays[1]).toBeLessThanOrEqual(1_000);
  later[1]!();
  expect(asked).toHaveLength(2);
});
