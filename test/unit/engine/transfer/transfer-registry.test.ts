import { copyFileSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealerOf } from '#engine/secrets/seal.ts';
import { type OpenedDatabase, openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import type { UploadRecord } from '#engine/transfer/record.ts';
import type { Phase } from '#engine/transfer/state-machine.ts';
import { createTransferRegistry, type TransferRegistry } from '#engine/transfer/transfer-registry.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

function upload(id: string, position: number, change: Partial<UploadRecord> = {}): UploadRecord {
  return {
    id,
    kind: 'upload',
    phase: { state: 'queued' },
    name: `Reel ${id}`,
    priority: 'normal',
    position,
    rateLimit: 0,
    bytes: 0,
    totalBytes: 100,
    files: 0,
    totalFiles: 1,
    createdAt: position,
    updatedAt: 1,
    request: { serviceUrl: 'http://s', teamId: 'team', paths: ['/a'], description: '', recipients: [], autoFinalize: true },
    added: [],
    facts: { scanned: true, package: { state: 'open', id: 'p' } },
    secrets: {},
    ...change,
  };
}

/** Milliseconds until progress is shown. */
const tick = 400;

const none = { queued: 0, transferring: 0, paused: 0, idle: 0, complete: 0, error: 0, cancelled: 0 };
const failed: Phase = { state: 'error', failure: { code: 1, message: 'no', retryable: true } };

let folder: Awaited<ReturnType<typeof tempFolder>>;
let clock: FakeClock;
let opened: OpenedDatabase;
let store: Store;
let registry: TransferRegistry;
let events: string[];
/** What an event is told with is what whoever asks then is answered. */
let asked: (id: string) => void;

beforeEach(async () => {
  folder = await tempFolder();
  clock = createFakeClock();
  asked = () => {};
  events = [];
  open();
});
afterEach(async () => {
  store.close();
  await folder.remove();
});

function open(): void {
  opened = openDatabase(folder.path, { now: 0 });
  store = openStore(opened, sealerOf(Buffer.alloc(32)), clock);
  registry = createTransferRegistry({
    store,
    clock,
    emit(event) {
      if (event.type === 'transfer.added' || event.type === 'transfer.changed') {
        const { id, state } = event.transfer;
        events.push(`${event.type} ${id} ${state}`);
        expect(registry.view(id).state).toBe(state);
        expect(list([state])).toContain(id);
        expect(registry.summary({ state: [state] }).states).toEqual({ ...none, [state]: list([state]).length });
      } else events.push(`${event.type} ${'transfer_id' in event ? event.transfer_id : ''}`);
      if ('transfer_id' in event) asked(event.transfer_id);
    },
  });
}

/** What another agent finds in the file as it is on the disk now. */
function afterKill<T>(look: (registry: TransferRegistry) => T): T {
  const left = mkdtempSync(join(folder.path, 'killed-'));
  for (const name of ['agent.db', 'agent.db-wal']) copyFileSync(join(folder.path, name), join(left, name));
  const next = openStore(openDatabase(left, { now: 0 }), sealerOf(Buffer.alloc(32)), clock);
  try {
    return look(createTransferRegistry({ store: next, clock, emit: () => {} }));
  } finally {
    next.close();
  }
}

const list = (state: UploadRecord['phase']['state'][] = []): string[] => {
  const { total, records } = registry.list({ page: 1, limit: 50, state, sort: 'position' });
  expect(total).toBe(records.length);
  return records.map(({ id }) => id);
};

describe('the registry of transfers', () => {
  it('tells of what becomes of a transfer in order, and every list says the same in that moment', () => {
    registry.add(upload('a', 1));
    registry.add(upload('b', 2, { phase: { state: 'paused', since: 1, until: null } }));
    registry.follow('a');
    registry.apply('a', { type: 'start' });
    registry.apply('b', { type: 'resume' });
    registry.apply('a', { type: 'finish', at: 5 });
    registry.unfollow('a');
    registry.apply('b', { type: 'cancel', at: 6 });
    asked = (id) => expect([registry.find(id), list()]).toEqual([null, ['b']]);
    registry.remove('a');
    expect(events).toEqual([
      'transfer.added a queued',
      'transfer.added b paused',
      'transfer.changed a transferring',
      'transfer.changed b queued',
      'transfer.changed a complete',
      'transfer.changed b cancelled',
      'transfer.removed a',
    ]);
    expect(registry.states()).toEqual({ ...none, cancelled: 1 });
  });

  it('counts what runs as it stands now, and what does not as it was written down', () => {
    store.writer.write(() => store.transfers.insert(upload('quiet', 1, { bytes: 40 })));
    registry.add(upload('moves', 2));
    store.writer.write(() => store.files.insert('moves', [newFile(100)]));
    const activity = registry.follow('moves');
    registry.apply('moves', { type: 'start' });
    const [file] = store.files.pending('moves', 0, 1);
    activity.beginFile(file!, 0).add(30);
    clock.advance(tick);
    expect(registry.summary({}).bytes_left).toBe(60 + 70);
    expect(registry.summary({}).upload_bps).toBeGreaterThan(0);
    const over = activity.wait({ reason: 'Nobody answers.', until: null });
    expect(registry.summary({}).upload_bps).toBe(0);
    over();
    expect(registry.summary({ name: 'MOVES' })).toMatchObject({ bytes_left: 70, states: { ...none, transferring: 1 } });
    expect(registry.list({ page: 1, limit: 9, name: 'moves' }).records).toMatchObject([{ bytes: 30 }]);
    expect(registry.summary({ kind: 'download' })).toMatchObject({ bytes_left: 0, upload_bps: 0, states: none });
    store.writer.flush();
    expect(registry.view('moves')).toMatchObject({ bytes: 30, state: 'transferring' });
    registry.unfollow('moves');
    expect(registry.summary({}).bytes_left).toBe(60 + 70);
  });

  it('goes on from what was shown before, and from what counts where some of it was thrown away', () => {
    registry.add(upload('again', 1, { bytes: 40 }));
    store.writer.write(() => store.files.insert('again', [newFile(100)]));
    const [file] = store.files.pending('again', 0, 1);
    const progress = registry.follow('again').beginFile(file!, 0);
    progress.begin();
    progress.add(30);
    expect(registry.view('again').bytes).toBe(40);
    progress.add(30);
    registry.unfollow('again');
    expect([registry.view('again').bytes, registry.follow('again').bytes]).toEqual([60, 60]);
    registry.unfollow('again');
    registry.recountDone('again');
    expect([registry.view('again').bytes, registry.follow('again').bytes]).toEqual([0, 0]);
  });

  it('shows no less of a transfer than before where the agent starts again', () => {
    registry.add(upload('a', 1));
    store.writer.write(() => store.files.insert('a', [newFile(100)]));
    const [file] = store.files.pending('a', 0, 1);
    registry.apply('a', { type: 'start' });
    registry.follow('a').beginFile(file!, 0).add(80);
    clock.advance(tick);
    expect(registry.view('a').share).toBe(0.8);
    // Its file has become larger since it was counted.
    store.writer.write(() => store.files.insert('a', [newFile(60)]));
    registry.recount('a');
    expect(registry.view('a')).toMatchObject({ total_bytes: 160, share: 0.8 });
    registry.unfollow('a');
    store.close();
    open();
    expect(registry.view('a')).toMatchObject({ bytes: 80, share: 0.8 });
    registry.follow('a');
    registry.publish('a');
    expect(registry.view('a').share).toBe(0.8);
    registry.unfollow('a');
    expect(list()).toEqual(['a']);
  });

  it('shows no less after a kill at any moment than was ever shown or told before it', () => {
    registry.add(upload('a', 1));
    store.writer.write(() => store.files.insert('a', [newFile(100)]));
    const [file] = store.files.pending('a', 0, 1);
    registry.apply('a', { type: 'start' });
    const progress = registry.follow('a').beginFile(file!, 0);
    progress.begin();
    for (let bytes = 1; bytes <= 12; bytes++) {
      progress.add(1);
      clock.advance(tick / 2);
      // By turns amid two ticks, and at one.
      expect(registry.view('a').bytes).toBe(bytes - (bytes % 2));
      const shown = afterKill((next) => next.view('a'));
      expect(shown.bytes).toBeGreaterThanOrEqual(registry.view('a').bytes);
    }
    registry.activity('a')!.recount({ bytes: 3, files: 0 });
    clock.advance(tick);
    expect([registry.view('a').bytes, afterKill((next) => next.view('a').bytes)]).toEqual([3, 3]);
    registry.unfollow('a');
    registry.recountDone('a');
    store.writer.flush();
    expect([registry.view('a').bytes, afterKill((next) => next.view('a').bytes)]).toEqual([0, 0]);
  });

  it('shows nothing that a full disk did not take', () => {
    registry.add(upload('a', 1));
    store.writer.write(() => store.files.insert('a', [newFile(100)]));
    const [file] = store.files.pending('a', 0, 1);
    registry.apply('a', { type: 'start' });
    store.writer.flush();
    const progress = registry.follow('a').beginFile(file!, 0);
    progress.add(10);
    opened.db.pragma('query_only = ON');
    clock.advance(tick);
    expect(registry.view('a').bytes).toBe(0);
    opened.db.pragma('query_only = OFF');
    progress.add(10);
    clock.advance(tick);
    expect(registry.view('a').bytes).toBe(20);
  });

  it('knows who needs a person: what failed, and what runs and waits for somebody, for as long as it does', () => {
    registry.add(upload('failed', 1, { phase: failed }));
    registry.add(upload('full', 2));
    registry.add(upload('soon', 3));
    registry.add(upload('queued', 4));
    const wait = (id: string, needsPerson: boolean) => {
      registry.apply(id, { type: 'start' });
      const activity = registry.follow(id);
      activity.begin();
      return activity.wait({ reason: 'It waits.', until: null, advice: { cause: 'disk_full', remedy: 'free_space', needsPerson } });
    };
    const goOn = wait('full', true);
    wait('soon', false);
    const named = (needs_person: boolean) => {
      const { total, records } = registry.list({ page: 1, limit: 9, sort: 'position', needs_person });
      expect(total).toBe(records.length);
      return records.map(({ id }) => id);
    };
    expect([named(true), named(false)]).toEqual([
      ['failed', 'full'],
      ['soon', 'queued'],
    ]);
    expect(registry.summary({}).needs_person).toBe(2);
    expect(registry.summary({ name: 'full', needs_person: true })).toMatchObject({ needs_person: 1, states: { ...none, transferring: 1 } });
    expect(store.lists.all(registry.resolved({ needs_person: true })).toSorted()).toEqual(['failed', 'full']);
    goOn();
    expect(named(true)).toEqual(['failed']);
    expect(registry.summary({}).needs_person).toBe(1);
    registry.apply('failed', { type: 'retry' });
    expect([named(true), registry.summary({}).needs_person]).toEqual([[], 0]);
  });

  it('says how many uploads are not looked through yet, whether they queue or run', () => {
    const unknown = { totalBytes: 0, totalFiles: 0 };
    registry.add(upload('known', 1));
    registry.add(upload('queues', 2, unknown));
    registry.add(upload('paused', 3, { ...unknown, phase: { state: 'paused', since: 1, until: null } }));
    registry.add(upload('over', 4, { ...unknown, phase: { state: 'cancelled', finishedAt: 1 } }));
    registry.add(upload('looks', 5, { totalBytes: 40, facts: { ...upload('x', 1).facts, scanned: false } }));
    registry.follow('looks');
    registry.apply('looks', { type: 'start' });
    expect(registry.summary({})).toMatchObject({ bytes_left: 140, unmeasured: 3 });
    expect(registry.summary({ name: 'queues' })).toMatchObject({ bytes_left: 0, unmeasured: 1 });
    expect(registry.summary({ kind: 'download' })).toMatchObject({ unmeasured: 0 });
  });

  it('says where the time of a transfer went whether it runs or not', () => {
    registry.add(upload('a', 1));
    expect(registry.view('a').time_spent).toBeUndefined();
    registry.follow('a').times.begin();
    expect(registry.view('a').time_spent).toBeDefined();
    registry.unfollow('a');
    const spent = registry.view('a').time_spent;
    store.writer.flush();
    expect(registry.view('a').time_spent).toEqual(spent);
    expect(spent).toBeDefined();
  });

  it('takes back whatever a full disk never took, and has all as the file has it', async () => {
    registry.add(upload('there', 1));
    registry.add(upload('gone', 4, { phase: failed }));
    registry.follow('there');
    registry.apply('there', { type: 'start' });
    store.writer.flush();
    events.length = 0;
    const pages = Number(opened.db.pragma('page_count', { simple: true }));
    registry.add(upload('new', 2));
    registry.apply('there', { type: 'pause', since: 1, until: null });
    registry.addTotals('there', { bytes: 900, files: 9 }, { lastScanned: 'far' });
    registry.remove('gone');
    const told = store.writer.committed();
    told.catch(() => undefined);
    opened.db.pragma(`max_page_count = ${pages}`);
    expect(() => store.writer.write(() => store.settings.set('large', 'x'.repeat(200_000)))).toThrow('full');
    await expect(told).rejects.toThrow('full');
    expect(events.slice(-3)).toEqual(['transfer.removed new', 'transfer.changed there transferring', 'events.lost ']);
    expect(registry.get('there')).toMatchObject({ totalBytes: 100, totalFiles: 1, facts: { package: { state: 'open', id: 'p' } } });
    expect(registry.get('there').facts).not.toHaveProperty('lastScanned');
    expect([registry.find('new'), list(), registry.states()]).toEqual([null, ['there', 'gone'], { ...none, transferring: 1, error: 1 }]);

    opened.db.pragma(`max_page_count = ${pages + 1_000}`);
    registry.add(upload('later', 3));
    store.writer.flush();
    registry.unfollow('there');
    store.close();
    open();
    expect([list(['transferring']), list(['queued']), list(['error'])]).toEqual([['there'], ['later'], ['gone']]);
  });

  it('says how it stands with those that failed and were tried again', () => {
    registry.add(upload('a', 1, { phase: failed }));
    expect(registry.states()).toEqual({ ...none, error: 1 });
    registry.apply('a', { type: 'retry' });
    expect(registry.states()).toEqual({ ...none, queued: 1 });
    expect(registry.apply('a', { type: 'retry' })).toBe(false);
    expect(registry.apply('nobody', { type: 'retry' })).toBe(false);
    expect(() => registry.get('nobody')).toThrow(expect.objectContaining({ error: 'not_found' }));
  });
});

const newFile = (size: number) => ({
  kind: 'file' as const,
  path: '',
  name: 'a',
  local: '/a',
  size,
  modifiedAt: 1,
  inode: '1:1',
});
