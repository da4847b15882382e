import { expect, it } from 'vitest';
import type { AgentClient } from '#client/agent.ts';
import type { TransferSummary } from '#protocol/agent/transfer-actions.ts';
import { createFeed } from '#renderer/transfers/feed.ts';
import { createListStore } from '#renderer/transfers/list/list-store.ts';
import { wholeView } from '#renderer/transfers/list/list-view.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const none = { queued: 0, transferring: 0, paused: 0, idle: 0, complete: 0, error: 0, cancelled: 0 };
const summary = (states: Partial<TransferSummary['states']>): TransferSummary => ({
  states: { ...none, ...states },
  bytes_left: 0,
  upload_bps: 0,
  download_bps: 0,
});

/** A list over an agent whose answers come when the test gives them. */
function setUp() {
  const feed = createFeed();
  const asked: ((answer: TransferSummary) => void)[] = [];
  const later: (() => void)[] = [];
  const call = (name: string) =>
    name === 'summarizeTransfers'
      ? new Promise<TransferSummary>((resolve) => asked.push(resolve))
      : Promise.resolve({ records: [], metadata: { total: 0 } });
  const store = createListStore(wholeView, {
    client: { call } as unknown as AgentClient,
    feed,
    after(_, work) {
      later.push(work);
      return () => void later.splice(later.indexOf(work), 1);
    },
  });
  store.subscribe(() => {});
  return { feed, store, asked, later };
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
