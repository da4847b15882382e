import { expect, test } from 'vitest';
import type { EngineEvent } from '#engine/engine.ts';
import { createEvents, type Events } from '#engine/events.ts';

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
  const events = createEvents({ firstId: 1, kept: 2 });
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
