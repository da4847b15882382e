import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AutomationRecord } from '#engine/automations/record.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof diskFolder>>;
let store: Store;
let unreadable: string[];
const open = (key = 1): Store => {
  unreadable = [];
  return openStore(openDatabase(folder.path, { now: 0 }), sealerOf(Buffer.alloc(32, key)), createFakeClock(), undefined, (name) =>
    unreadable.push(name),
  );
};
beforeEach(async () => {
  folder = await diskFolder();
  store = open();
});
afterEach(async () => {
  store.close();
  await folder.remove();
});

const record = (id: string, name: string): AutomationRecord => ({
  id,
  kind: 'portal_upload',
  fields: {
    name,
    active: true,
    folder: '/media/cart',
    recursive: true,
    settle_seconds: 30,
    package_per: 'entry',
    growing: false,
    growing_idle_seconds: 60,
    by_content: false,
    existing: false,
    after: 'keep',
    subdomain: 'northlight',
    sender: 'mia@example.com',
  },
  facts: { counter: 0 },
  secrets: { accessCode: 'harbour-12' },
  restricted: true,
  createdAt: 1,
  updatedAt: 2,
  lastRunAt: null,
});

it('keeps automations over restarts, with sealed secrets', () => {
  store.writer.write(() => store.automations.records.insert(record('a', 'Cart')));
  store.writer.write(() => store.automations.records.update({ ...record('a', 'Cart 2'), lastRunAt: 9 }));
  store.close();
  store = open();
  expect(store.automations.records.all()).toEqual([{ ...record('a', 'Cart 2'), lastRunAt: 9 }]);
  store.close();
  store = open(2);
  expect([store.automations.records.all(), unreadable]).toEqual([[], ['Cart 2']]);
});

it('has one row for a key, and finds it by what it was', () => {
  const { records, ledger } = store.automations;
  store.writer.write(() => {
    records.insert(record('a', 'Cart'));
    ledger.put('a', [
      { key: 'x/1.mov', path: 'x/1.mov', size: 5, modifiedAt: 1.5, identity: '7:8', state: 'sending', transferId: 't', at: 1 },
      { key: '2.mov', path: '2.mov', size: 6, modifiedAt: 2, state: 'sent', blake3: 'blake3:aa', at: 1 },
    ]);
    ledger.put('a', [{ key: '2.mov', path: '2.mov', size: 7, modifiedAt: 3, state: 'sending', transferId: 't', at: 2 }]);
  });
  expect(ledger.byKey('a', '2.mov')).toMatchObject({ id: 2, size: 7, modifiedAt: 3, blake3: '', state: 'sending', transferId: 't' });
  expect(ledger.byIdentity('a', '7:8').map(({ key }) => key)).toEqual(['x/1.mov']);
  expect([ledger.byIdentity('a', ''), ledger.byContent('a', 'blake3:aa'), ledger.byKey('b', '2.mov')]).toEqual([[], [], null]);
  expect(ledger.openTransfers('a')).toEqual(['t']);
  store.writer.write(() => ledger.moveTransfer('t', ['sending'], { state: 'failed', message: 'It was cancelled.', at: 3 }));
  expect(ledger.counts('a')).toMatchObject({ failed: 2, sending: 0 });
  expect(ledger.page('a', { afterId: null, limit: 1, search: '' })).toMatchObject({ total: 2, records: [{ key: '2.mov' }] });
  expect(ledger.page('a', { afterId: 2, limit: 9, search: '1.M' })).toMatchObject({ total: 1, records: [{ key: 'x/1.mov' }] });
  expect(ledger.page('a', { afterId: null, limit: 9, search: '%' }).total).toBe(0);
});

it('forgets nothing that is under way', () => {
  const { records, ledger } = store.automations;
  const row = { path: 'p', size: 0, modifiedAt: 0, at: 0 };
  const forgotten = store.writer.write(() => {
    records.insert(record('a', 'Cart'));
    ledger.put('a', [
      { ...row, key: 'one', state: 'sending' },
      { ...row, key: 'two', state: 'sent' },
      { ...row, key: 'three', state: 'failed' },
    ]);
    return [ledger.forget('a', [1, 2, 99]), ledger.forget('b', [3]), ledger.forget('a', null)];
  });
  expect(forgotten).toEqual([1, 0, 1]);
  expect(ledger.counts('a')).toMatchObject({ sending: 1, sent: 0, failed: 0 });
});

it('keeps the last hundred results, and asks once about an entry', () => {
  const { records, results, questions } = store.automations;
  store.writer.write(() => {
    records.insert(record('a', 'Cart'));
    for (let at = 1; at <= 130; at++) results.add('a', { at, kind: 'sent', name: `day ${at}`, transferId: '', message: '' });
    questions.ask('a', { id: 'q', entry: 'A001', fields: [], askedAt: 1 });
    questions.answer('a', 'q', { camera: { value: 'A' } });
    questions.ask('a', { id: 'other', entry: 'A001', fields: [], askedAt: 2 });
  });
  expect(results.last('a', 200)).toHaveLength(100);
  expect(results.last('a', 1)).toMatchObject([{ at: 130 }]);
  expect(questions.all('a')).toEqual([{ id: 'q', entry: 'A001', fields: [], answers: { camera: { value: 'A' } }, askedAt: 1 }]);
  expect(questions.open('a')).toBe(0);
});

it('gives a removed name free at once, and deletes its data in steps', () => {
  const { records, ledger } = store.automations;
  store.writer.write(() => {
    records.insert(record('a', 'Cart'));
    for (let key = 0; key < 10; key++) ledger.put('a', [{ key: `${key}`, path: '', size: 0, modifiedAt: 0, state: 'sent', at: 0 }]);
    records.hide('a');
    records.insert(record('b', 'Cart'));
  });
  let steps = 0;
  while (store.writer.write(() => records.removeSome(4))) steps++;
  expect(steps).toBe(4);
  expect([ledger.counts('a').sent, records.all().map(({ id }) => id)]).toEqual([0, ['b']]);
});
