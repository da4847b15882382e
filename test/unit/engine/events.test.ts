import { describe, expect, test } from 'vitest';
import type { EngineEvent } from '#engine/engine.ts';
import { type EarlierEvent, openEventReplay } from '#engine/event-replay.ts';
import { createEvents, type Events } from '#engine/events.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';

const removed = (events: Events, ...ids: string[]): void => {
  for (const transfer_id of ids) events.emit({ type: 'transfer.removed', transfer_id });
};

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function read(events: Events, afterId: number | null, then: () => void = () => {}): Promise<EngineEvent[]> {
  const stop = new AbortController();
  const got: EngineEvent[] = [];
  const reading = (async () => {
    for await (const event of events.subscribe(afterId, stop.signal)) got.push(event);
  })();
  await settle();
  then();
  await settle();
  stop.abort();
  await reading;
  return got;
}

test('new ones come in order with growing ids; without an id nothing is replayed', async () => {
  const events = createEvents({ firstId: 100 });
  removed(events, 'old');
  const got = await read(events, null, () => removed(events, 'a', 'b'));
  expect(got).toEqual([
    { id: 101, type: 'transfer.removed', transfer_id: 'a' },
    { id: 102, type: 'transfer.removed', transfer_id: 'b' },
  ]);
});

test('those after an id are replayed, then new ones come, none twice', async () => {
  const events = createEvents({ firstId: 1 });
  removed(events, 'a', 'b', 'c');
  const got = await read(events, 1, () => removed(events, 'd'));
  expect(got.map((event) => event.id)).toEqual([2, 3, 4]);
  expect(await read(events, 4)).toEqual([]);
});

test.each([
  ['is no longer kept', 1],
  ['is of an earlier run', 0],
  ['has never been given', 99],
])('after an id that %s it says that events are lost', async (_what, afterId) => {
  const events = createEvents({ firstId: 1, maxReplay: 2 });
  removed(events, 'a', 'b', 'c', 'd');
  const got = await read(events, afterId, () => removed(events, 'e'));
  expect(got).toEqual([
    { id: 4, type: 'events.lost' },
    { id: 5, type: 'transfer.removed', transfer_id: 'e' },
  ]);
});

test('who does not read falls behind no further than the bound', async () => {
  const events = createEvents({ firstId: 1, backlog: 3 });
  const stop = new AbortController();
  const reader = events.subscribe(null, stop.signal)[Symbol.asyncIterator]();
  const first = reader.next();
  removed(events, 'a');
  await first;
  removed(events, 'b', 'c', 'd', 'e', 'f');
  expect([(await reader.next()).value, (await reader.next()).value]).toEqual([
    { id: 5, type: 'events.lost' },
    { id: 6, type: 'transfer.removed', transfer_id: 'f' },
  ]);
  stop.abort();
  expect((await reader.next()).done).toBe(true);
});

describe('after the agent was started again', () => {
  const happening = (transferId: string): EarlierEvent => ({ id: 0, type: 'transfer.removed', transferId });
  const again = (ids: readonly string[], maxReplay?: number) =>
    createEvents({
      firstId: 1_000,
      ...(maxReplay === undefined ? {} : { maxReplay }),
      earlier: {
        events: ids.map((id, index) => ({ ...happening(id), id: 51 + index })),
        now: ({ transferId }) => (transferId === 'gone' ? null : { type: 'transfer.removed', transfer_id: transferId }),
      },
    });

  test('who missed the last ones gets the newest of each, then what came since', async () => {
    const events = again(['a', 'b', 'a', 'gone', 'c']);
    removed(events, 'd');
    const got = async (afterId: number) =>
      (await read(events, afterId)).map((event) => [event.id, 'transfer_id' in event && event.transfer_id]);
    expect(await got(50)).toEqual([
      [52, 'b'],
      [53, 'a'],
      [55, 'c'],
      [1_000, 'd'],
    ]);
    expect(await got(53)).toEqual([
      [55, 'c'],
      [1_000, 'd'],
    ]);
    // Who had them all misses nothing.
    expect(await got(55)).toEqual([[1_000, 'd']]);
  });

  test.each([
    ['fell before what is kept', ['a'], 49],
    ['is none of those that were given', ['a'], 52],
    ['is of a run that crashed', [], 55],
  ])('who comes with an id that %s is told that events are lost', async (_what, ids, afterId) => {
    const events = again(ids);
    removed(events, 'd');
    expect(await read(events, afterId)).toEqual([{ id: 1_000, type: 'events.lost' }]);
  });

  test('nothing of before is replayed once the newer ones have begun to go', async () => {
    const events = again(['a', 'b'], 2);
    removed(events, 'd', 'e', 'f');
    expect(await read(events, 51)).toEqual([{ id: 1_002, type: 'events.lost' }]);
  });
});

describe('what outlives the agent', () => {
  const values = new Map<string, string>();
  const settings = {
    get: (name: string) => values.get(name) ?? null,
    set: (name: string, value: string) => void values.set(name, value),
    delete: (name: string) => void values.delete(name),
  };
  const writer = {
    write: <T>(change: () => T) => change(),
    committed: async () => undefined,
    flush: () => undefined,
    onEnd: () => undefined,
  };
  const open = (now: number) => openEventReplay(settings, writer, now);

  test('ids only grow, even when the clock was set back, the agent crashed, and very many were given', () => {
    const first = open(5_000);
    expect([first.firstId, first.earlier]).toEqual([5_000_000, []]);
    const crashed = open(4_000);
    expect(crashed.firstId).toBeGreaterThan(5_000_000);
    const last = crashed.firstId + 5_000_000;
    crashed.giving(last);
    const after = open(4_000);
    expect(after.firstId).toBeGreaterThan(last);
    after.keep([], after.firstId + 3);
    expect(open(4_000).firstId).toBe(after.firstId + 3);
  });

  test('the last events are kept without what stands in them, and only for the next run', () => {
    values.clear();
    const memory = open(1);
    const transfer = { id: 't1', url: 'https://s.example/d/x?secret=heron' } as AgentTransfer;
    memory.keep(
      [
        { id: 1_000, type: 'transfer.changed', transfer },
        { id: 1_001, type: 'session.changed', session: null },
      ],
      1_002,
    );
    expect(values.get('events')).not.toContain('heron');
    expect(open(0).earlier).toEqual([
      { id: 1_000, type: 'transfer.changed', transferId: 't1' },
      { id: 1_001, type: 'session.changed', transferId: '' },
    ]);
    expect(open(0).earlier).toEqual([]);
  });
});
