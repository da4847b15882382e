import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { migrations } from '#engine/state/migrations/index.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import type { NewFile, UploadRecord } from '#engine/transfer/record.ts';
import type { TransferQuery } from '#protocol/agent/transfers.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The search through the history: contract/agent.md §5. */

function upload(number: number, change: Partial<UploadRecord> = {}): UploadRecord {
  return {
    id: `t${number}`,
    kind: 'upload',
    phase: { state: 'complete', finishedAt: number },
    name: `Reel ${number}`,
    priority: 'normal',
    position: number,
    rateLimit: 0,
    bytes: 0,
    totalBytes: 0,
    files: 0,
    totalFiles: 0,
    createdAt: number,
    updatedAt: number,
    request: { serviceUrl: 'http://s', teamId: 'team', paths: ['/'], description: '', recipients: [], autoFinalize: true },
    added: [],
    facts: { scanned: true, package: { state: 'none' } },
    secrets: {},
    ...change,
  };
}

const file = (name: string): NewFile => ({ kind: 'file', path: 'a', name, local: `/a/${name}`, size: 1, modifiedAt: 1, inode: '' });

let folder: Awaited<ReturnType<typeof tempFolder>>;
let store: Store;
const open = (): Store => openStore(openDatabase(folder.path, { now: 0 }), sealerOf(Buffer.alloc(32)), createFakeClock());
beforeEach(async () => {
  folder = await tempFolder();
  store = open();
});
afterEach(async () => {
  store.close();
  await folder.remove();
});

const add = (record: UploadRecord, ...names: readonly string[]): void =>
  store.writer.write(() => {
    store.transfers.insert(record);
    store.files.insert(record.id, names.map(file));
  });
const found = (search: string, query: Partial<TransferQuery> = {}): string[] =>
  store.lists.page({ page: 1, limit: 500, sort: '-created_at', search, ...query });

describe('a search through the history', () => {
  beforeEach(() => {
    const { request } = upload(0);
    add(upload(1, { request: { ...request, recipients: ['Post@Example.com'] } }), 'A001_C001.mov', 'Überblick 100%.pdf');
    add(upload(2, { request: { ...request, portal: { id: 'p', name: 'Northlight', sender: 'mia@b.c' } } }), 'A002_C001.mov');
    add(upload(3, { name: 'Ton', phase: { state: 'queued' } }), 'sound "final".wav', 'Übersee.wav');
  });

  it('finds by name, recipient, Portal and names of files, whatever the case', () => {
    expect(found('reel')).toEqual(['t2', 't1']);
    expect(found('POST@EXAMPLE')).toEqual(['t1']);
    expect(found('northl')).toEqual(['t2']);
    expect(found('c001.MOV')).toEqual(['t2', 't1']);
    expect(found('a001_')).toEqual(['t1']);
    expect(found('überse')).toEqual(['t3']);
    expect(found('nowhere')).toEqual([]);
  });

  it('takes what looks like a pattern or a query as it is', () => {
    expect(found('100%')).toEqual(['t1']);
    expect(found('a%1')).toEqual([]);
    expect(found('"final"')).toEqual(['t3']);
    expect(found('final OR mov')).toEqual([]);
    expect(found("'; DROP")).toEqual([]);
  });

  it('looks through names of transfers alone for less than three characters', () => {
    expect(found('to')).toEqual(['t3']);
    expect(found('mo')).toEqual([]);
  });

  it('goes with the other filters, and is counted', () => {
    expect(found('c001', { state: ['complete'], kind: 'upload', name: '1' })).toEqual(['t1']);
    expect(store.lists.states({ search: 'c001' })).toMatchObject({ complete: 2, queued: 0 });
    expect(store.lists.states({ search: 'übersee' })).toMatchObject({ complete: 0, queued: 1 });
  });

  it('follows what is changed and removed', () => {
    store.writer.write(() => {
      store.transfers.update(upload(1, { name: 'Slate', secrets: { links: [{ email: 'new@b.c', url: 'u' }] } }));
      store.files.removeAll('t2');
      store.transfers.remove('t3');
    });
    expect(found('slate')).toEqual(['t1']);
    expect(found('new@b')).toEqual(['t1']);
    expect(found('c001.mov')).toEqual(['t1']);
    expect(found('final')).toEqual([]);
  });

  it('is forgotten with a batch that is lost', () => {
    store.writer.flush();
    expect(() =>
      store.writer.write(() => {
        store.files.insert('t1', [file('never.mov')]);
        throw new Error('lost');
      }),
    ).toThrow();
    expect(found('never')).toEqual([]);
  });
});

describe('a page by key', () => {
  it('goes on where the last ended, whatever comes meanwhile', () => {
    for (let number = 1; number <= 7; number++) add(upload(number, { createdAt: Math.ceil(number / 2) }), 'clip.mov');
    const next = (query: Partial<TransferQuery>) => store.lists.page({ page: 1, limit: 3, sort: '-created_at', ...query });
    expect(next({})).toEqual(['t7', 't6', 't5']);
    add(upload(8, { createdAt: 9 }), 'clip.mov');
    expect(next({ after: '3_5' })).toEqual(['t4', 't3', 't2']);
    expect(next({ after: '3_5', search: 'clip' })).toEqual(['t4', 't3', 't2']);
    expect(next({ after: '1_2' })).toEqual(['t1']);
  });
});

it('leaves out what was over before a moment', () => {
  add(upload(1, { phase: { state: 'complete', finishedAt: 1_000 } }));
  add(upload(2, { phase: { state: 'cancelled', finishedAt: 3_000 } }));
  add(upload(3, { phase: { state: 'queued' } }));
  add(upload(4, { phase: { state: 'error', failure: { code: 1, message: 'no', retryable: true } } }));
  const since = { over_since: new Date(2_000).toISOString() };
  for (const sort of ['queue', '-created_at', 'name'] as const) {
    expect(store.lists.page({ page: 1, limit: 9, sort, ...since }).sort()).toEqual(['t2', 't3', 't4']);
  }
  expect(store.lists.states(since)).toMatchObject({ complete: 0, cancelled: 1, queued: 1, error: 1 });
  expect(store.lists.all(since).sort()).toEqual(['t2', 't3', 't4']);
});

it('learns the names of files that an older agent has noted, in steps', async () => {
  store.close();
  await folder.remove();
  folder = await tempFolder();
  const before = openDatabase(folder.path, { now: 0, migrations: migrations.filter(({ version }) => version < 15) });
  const old = openDatabaseRows(before.db);
  old('t1', 'first.mov', 'second.mov', 'third.mov');
  before.db.close();
  store = open();
  expect(found('third')).toEqual([]);
  expect(found('old reel')).toEqual(['t1']);
  // Files that come and go meanwhile.
  store.writer.write(() => store.files.remove(3));
  store.writer.write(() => store.files.insert('t1', [file('fourth.mov')]));
  const steps: boolean[] = [];
  do steps.push(store.writer.write(() => store.search.addNames(2)));
  while (steps.at(-1));
  expect(steps.length).toBeGreaterThan(2);
  expect(store.writer.write(() => store.search.addNames(2))).toBe(false);
  expect(['first', 'second', 'third', 'fourth'].map((name) => found(name))).toEqual([['t1'], ['t1'], [], ['t1']]);
});

/** Writes rows as the version before the search did. */
function openDatabaseRows(db: ReturnType<typeof openDatabase>['db']) {
  return (id: string, ...names: readonly string[]): void => {
    db.prepare(
      `INSERT INTO transfers (id, kind, state, name, priority, position, request, facts, secrets, created_at, updated_at, finished_at)
       VALUES (?, 'upload', 'complete', 'Old reel', 1, 1, '{}', '{}', '', 1, 1, 1)`,
    ).run(id);
    for (const name of names) {
      db.prepare(`INSERT INTO files (transfer_id, kind, path, name, local, size, modified_at) VALUES (?, 'file', '', ?, '/x', 1, 1)`).run(
        id,
        name,
      );
    }
  };
}
