import { afterEach, beforeEach, expect, it } from 'vitest';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { createEventLog } from '#engine/transfer/event-log.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let store: Store;
let clock: FakeClock;
beforeEach(async () => {
  folder = await tempFolder();
  clock = createFakeClock();
  const opened = openDatabase(folder.path, { now: 0 });
  store = openStore(opened, sealerOf(Buffer.alloc(32, 1)), clock);
  for (const id of ['one', 'two']) {
    opened.db.exec(`INSERT INTO transfers (id, kind, state, name, priority, position, request, facts, secrets, created_at, updated_at)
      VALUES ('${id}', 'upload', 'queued', 'n', 1, 1, '{}', '{}', '', 1, 1)`);
  }
});
afterEach(async () => {
  store.close();
  await folder.remove();
});

const told = (id: string) => store.log.of(id).map(({ event, detail }) => [event, detail]);

it('keeps the last 200 of each transfer, oldest first, and they go with it', () => {
  for (let at = 1; at <= 230; at++) store.log.note('one', { at, event: 'waiting', detail: `${at}` });
  store.log.note('two', { at: 1, event: 'added', detail: '' });
  expect(store.log.of('one')).toHaveLength(200);
  expect(store.log.of('one')[0]!.at).toBe(31);
  expect(store.log.of('two')).toEqual([{ at: 1, event: 'added', detail: '' }]);
  store.transfers.remove('one');
  expect(store.log.of('one')).toEqual([]);
});

it('tells the same reason to wait once, until it has gone on for longer than a moment', async () => {
  const eventLog = createEventLog(store, clock);
  const gone = { reason: 'The network is gone.', until: null };
  eventLog.waiting('one', gone);
  eventLog.waiting('one', null);
  await clock.advance(1_000);
  eventLog.waiting('one', gone);
  // Longer pauses for the same cause are no news.
  for (const seconds of [1, 2, 4]) eventLog.waiting('one', { reason: `The network is gone; trying again in ${seconds} s.`, until: 9 });
  eventLog.waiting('one', { reason: 'The disk is full.', until: 9 });
  eventLog.waiting('one', null);
  await clock.advance(5_000);
  eventLog.waiting('one', null);
  eventLog.waiting('one', gone);
  expect(told('one')).toEqual([
    ['waiting', 'The network is gone.'],
    ['waiting', 'The disk is full.'],
    ['going_on', ''],
    ['waiting', 'The network is gone.'],
  ]);
});

it('says why it failed and until when it is paused', () => {
  const eventLog = createEventLog(store, clock);
  eventLog.phase('two', { type: 'start' });
  eventLog.phase('two', { type: 'pause', since: 0, until: 3_600_000 });
  eventLog.phase('two', { type: 'fail', failure: { code: 1, message: 'There is no such file.', retryable: false } });
  expect(told('two')).toEqual([
    ['started', ''],
    ['paused', '1970-01-01T01:00:00.000Z'],
    ['failed', 'There is no such file.'],
  ]);
});
