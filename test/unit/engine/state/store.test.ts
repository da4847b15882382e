import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { transfersTable } from '#engine/state/transfers.ts';
import { type DownloadRecord, digestOfFile, type FileOutcome, type NewFile, type UploadRecord } from '#engine/transfer/record.ts';
import type { Phase } from '#engine/transfer/state-machine.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';
import { allTransfers } from '#test/support/engine/all-transfers.ts';
import { runs } from '#test/support/faults/seeds.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let store: Store;
const key = randomBytes(32);
const clock = createFakeClock();

const common = {
  name: 'Dailies',
  priority: 'high',
  position: 1,
  rateLimit: 250_000,
  bytes: 0,
  totalBytes: 0,
  files: 0,
  totalFiles: 0,
  createdAt: 1,
  updatedAt: 1,
} as const;
const upload: UploadRecord = {
  ...common,
  id: 'u',
  kind: 'upload',
  phase: { state: 'queued' },
  request: { serviceUrl: 'http://s', teamId: 't', paths: ['/a'], description: '', recipients: [], autoFinalize: true },
  added: [],
  facts: { scanned: false, package: { state: 'none' } },
  secrets: { password: 'sesame-open', packageToken: 'token-of-the-package' },
};
const download: DownloadRecord = {
  ...common,
  id: 'd',
  kind: 'download',
  phase: { state: 'error', failure: { code: 7, message: 'no', retryable: true } },
  request: {
    serviceUrl: 'http://s',
    source: { kind: 'link', linkId: 'l', shownUrl: 'http://s/d/l' },
    dstFolder: '/x',
    fileIds: ['1'],
    createPackageFolder: true,
  },
  facts: { packageId: 'p', root: '/x/p', planned: true },
  secrets: { linkSecret: 'secret-of-the-link' },
};

beforeEach(async () => {
  folder = await tempFolder();
  store = open();
});

afterEach(async () => {
  store.close();
  await folder.remove();
});

function open(): Store {
  return openStore(openDatabase(folder.path, { now: 0 }), sealerOf(key), clock);
}

function newFile(name: string, size: number, more: FileOutcome = { state: 'pending' }): NewFile {
  return { kind: 'file', path: 'p', name, local: `/a/${name}`, size, modifiedAt: 1.5, inode: '1:2', ...more };
}

function insert(...files: NewFile[]): void {
  store.writer.write(() => {
    store.transfers.insert(upload);
    store.files.insert('u', files);
  });
}

test('transfers come back as they went in, in every phase, and no secret stands in the file', () => {
  store.writer.write(() => {
    store.transfers.insert(upload);
    store.transfers.insert(download);
    store.transfers.update({ ...upload, phase: { state: 'complete', finishedAt: 5 }, bytes: 9 });
  });
  expect(store.transfers.nextPosition()).toBe(2);
  store.close();
  store = open();
  expect(allTransfers(store)).toEqual([{ ...upload, phase: { state: 'complete', finishedAt: 5 }, bytes: 9 }, download]);
  const bytes = Buffer.concat(['agent.db', 'agent.db-wal'].map((name) => readOr(join(folder.path, name))));
  for (const secret of ['sesame-open', 'token-of-the-package', 'secret-of-the-link']) expect(bytes.includes(secret)).toBe(false);
});

test('every state survives a restart, whatever came before', () => {
  const time = fc.integer({ min: 0, max: 4e12 });
  const phase = fc.oneof(
    fc.constantFrom<Phase>({ state: 'queued' }, { state: 'transferring' }, { state: 'idle' }),
    fc.record({ state: fc.constantFrom('complete', 'cancelled'), finishedAt: time }),
    fc.record({ state: fc.constant('paused' as const), since: time, until: fc.option(time) }),
    fc.record({
      state: fc.constant('error' as const),
      failure: fc.record({ code: fc.nat(), message: fc.string(), retryable: fc.boolean() }),
    }),
  );
  store.writer.write(() => store.transfers.insert(upload));
  fc.assert(
    fc.property(fc.array(phase as fc.Arbitrary<Phase>, { minLength: 1, maxLength: 5 }), (phases) => {
      for (const next of phases) store.writer.write(() => store.transfers.update({ ...upload, phase: next }));
      store.close();
      store = open();
      expect(allTransfers(store)).toEqual([{ ...upload, phase: phases.at(-1) }]);
    }),
    { numRuns: runs(15, 1_000) },
  );
});

test('paths that were added come back in their order', () => {
  store.writer.write(() => {
    store.transfers.insert(upload);
    store.transfers.addPaths('u', ['/z', '/a']);
    store.transfers.addPaths('u', ['/m']);
  });
  store.close();
  store = open();
  expect(allTransfers(store)).toEqual([{ ...upload, added: ['/z', '/a', '/m'] }]);
});

function readOr(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

const upload10 = { fileId: 'r', uploadId: 'up', chunkSize: 10, chunkChecksum: 'blake3' } as const;

test('files: pending in order, counted with the chunks that are through, complete, failed, left out', () => {
  insert(
    newFile('a', 25),
    newFile('b', 10),
    newFile('c', 5),
    newFile('link', 0, { state: 'skipped', error: { code: 1, message: 'a link' } }),
  );
  const [a, b, c] = store.files.pending('u', 0, 10);
  expect([a!.name, b!.name, c!.name]).toEqual(['a', 'b', 'c']);
  expect(store.files.pending('u', a!.id, 1)).toEqual([b]);
  store.writer.write(() => {
    store.files.started(a!.id, upload10);
    store.files.chunkDone(a!.id, 0, { etag: 'e0', blake3: 'b0' });
    store.files.chunkDone(a!.id, 2, { etag: 'e2', blake3: 'b2' });
    store.files.completed(b!.id, 'blake3:x');
    store.files.failed(c!.id, { code: 3, message: 'gone' });
  });
  expect(store.files.counts('u')).toEqual({ files: 1, totalFiles: 3, bytes: 10 + 5 + 10, totalBytes: 40 });
  expect(store.files.failures('u')).toMatchObject({ count: 1, first: { name: 'c', error: { message: 'gone' } } });
  expect(store.files.pending('u', 0, 10)).toEqual([{ ...a, remote: { state: 'open', ...upload10 } }]);
  expect([...store.files.chunks(a!.id)]).toEqual([
    [0, { etag: 'e0', blake3: 'b0' }],
    [2, { etag: 'e2', blake3: 'b2' }],
  ]);
  const page = store.files.page('u', 1, 2);
  expect([page.total, page.records.map((file) => [file.name, file.bytes, digestOfFile(file)])]).toEqual([
    4,
    [
      ['b', 10, 'blake3:x'],
      ['c', 0, undefined],
    ],
  ]);
});

test('chunks are forgotten one by one, or with all that was known of the upload', () => {
  insert(newFile('a', 25));
  const { id } = store.files.pending('u', 0, 1)[0]!;
  store.writer.write(() => {
    store.files.started(id, upload10);
    for (const number of [0, 1, 2]) store.files.chunkDone(id, number, { etag: 'e', blake3: 'b' });
    store.files.chunksForgotten(id, [1]);
  });
  expect([...store.files.chunks(id).keys()]).toEqual([0, 2]);
  store.writer.write(() => store.files.chunksForgotten(id, 'all'));
  expect(store.files.chunks(id).size).toBe(0);
  expect(store.files.pending('u', 0, 1)[0]).toMatchObject({ remote: { state: 'none' } });
});

test('a transfer that goes takes its files and chunks along', () => {
  insert(newFile('a', 25));
  const { id } = store.files.pending('u', 0, 1)[0]!;
  store.writer.write(() => {
    store.files.chunkDone(id, 0, { etag: 'e', blake3: 'b' });
    store.transfers.remove('u');
  });
  expect([store.files.page('u', 0, 10).total, store.files.chunks(id).size]).toEqual([0, 0]);
});

test('files go some at a time, each with its chunks, however many those are', () => {
  insert(newFile('a', 30_000), newFile('b', 30_000), newFile('c', 1));
  const ids = store.files.pending('u', 0, 9).map(({ id }) => id);
  store.writer.write(() => {
    for (const id of ids.slice(0, 2))
      for (let number = 0; number < 3_000; number++) store.files.chunkDone(id, number, { etag: 'e', blake3: 'b' });
  });
  const left = (): string[] => store.files.after('u', 0, 9).map(({ name }) => name);
  const seen: string[][] = [];
  while (store.writer.write(() => store.files.removeSome('u', 500))) seen.push(left());
  expect(seen).toEqual([['b', 'c'], ['c'], []]);
  expect(ids.map((id) => store.files.chunks(id).size)).toEqual([0, 0, 0]);
});

test('files that came as the list of their package says are complete by their ids, with the digests it has said', () => {
  const stored = (name: string): NewFile => ({
    ...newFile(name, 5),
    remote: { state: 'stored', fileId: name, chunkSize: 10, digest: `blake3:${name}` },
  });
  insert(stored('a'), stored('b'), stored('c'));
  const [a, , c] = store.files.pending('u', 0, 9);
  store.writer.write(() => store.files.completedAsListed([a!.id, c!.id]));
  store.writer.write(() => store.files.completedAsListed([]));
  expect(store.files.after('u', 0, 9).map((file) => [file.name, file.state, digestOfFile(file)])).toEqual([
    ['a', 'complete', 'blake3:a'],
    ['b', 'pending', 'blake3:b'],
    ['c', 'complete', 'blake3:c'],
  ]);
});

test('files begin anew some at a time, but for those left out on purpose', () => {
  insert(newFile('a', 25), newFile('b', 1), newFile('c', 1), newFile('d', 1));
  const ids = store.files.pending('u', 0, 9).map(({ id }) => id);
  store.writer.write(() => {
    store.files.started(ids[0]!, upload10);
    store.files.chunkDone(ids[0]!, 0, { etag: 'e', blake3: 'b' });
    store.files.completed(ids[1]!, 'blake3:x');
    store.files.skipped(ids[2]!, { code: 1, message: 'why' });
    store.files.failed(ids[3]!, { code: 1, message: 'why' });
  });
  const steps: (number | null)[] = [];
  for (let last: number | null = 0; last !== null; steps.push(last)) last = store.files.resetSome('u', last, 3);
  expect(steps).toEqual([ids[2], ids[3], null]);
  expect(store.files.after('u', 0, 9).map((file) => [file.state, file.remote.state, digestOfFile(file)])).toEqual([
    ['pending', 'none', undefined],
    ['pending', 'none', undefined],
    ['skipped', 'none', undefined],
    ['pending', 'none', undefined],
  ]);
  expect(store.files.chunks(ids[0]!).size).toBe(0);
});

test('files that have another name here than in the package are counted, and the first of them named', () => {
  const complete = { state: 'complete', digest: 'blake3:x' } as const;
  insert(
    { ...newFile('same', 1, complete), local: 'p/same' },
    { ...newFile('A', 1, complete), local: 'p/A (2)' },
    { ...newFile('top', 1, complete), path: '', local: 'top' },
    { ...newFile('B', 1, complete), local: 'p/B (2)' },
    { ...newFile('half', 1), local: 'p/half (2)' },
  );
  expect(store.files.renamed('u', 1)).toEqual({ total: 2, first: [{ from: 'p/A', to: 'p/A (2)' }] });
});

test('one that leaves the list is not found again, and waits to be deleted', () => {
  insert(newFile('a', 1));
  store.writer.write(() => store.transfers.hide('u'));
  expect([allTransfers(store), store.transfers.hidden()]).toEqual([[], ['u']]);
});

test('where the time went is kept; a damaged word of it costs nothing else', () => {
  const timeSpent = {
    reading: 1,
    hashing: 2,
    writing: 3,
    network: 4,
    limit: 5,
    server: 6,
    waiting: 7,
    elapsed: 28,
    slowest: 'waiting',
  } as const;
  insert(newFile('a', 1));
  store.writer.write(() => store.transfers.update({ ...allTransfers(store)[0]!, timeSpent }));
  expect(allTransfers(store)[0]!.timeSpent).toEqual(timeSpent);
  store.close();
  const db = new Database(join(folder.path, 'agent.db'));
  for (const damaged of ['{"reading":1}', '{"rea', '7']) {
    db.prepare('UPDATE transfers SET time_spent = ?').run(damaged);
    const record = transfersTable(db, sealerOf(key)).get('u');
    expect(record).toMatchObject({ id: 'u' });
    expect(record).not.toHaveProperty('timeSpent');
  }
  db.close();
  store = open();
});

test('writes share a commit after 20 ms, or after 2 ms where somebody waits', async () => {
  const timers = clock.pending;
  store.writer.write(() => store.settings.set('a', '1'));
  store.writer.write(() => store.settings.set('b', '2'));
  expect(clock.pending).toBe(timers + 1);
  clock.advance(19);
  let through = false;
  const waiting = store.writer.committed().then(() => {
    through = true;
  });
  await Promise.resolve();
  expect(through).toBe(false);
  clock.advance(2);
  await waiting;
  expect(clock.pending).toBe(timers);
  await store.writer.committed();
});

describe('a change that fails', () => {
  const fails = (): void => store.writer.write(() => store.files.insert('nobody', [newFile('x', 1)]));

  test('takes its batch with it, and all who hold something of it are told before those who wait', async () => {
    store.writer.write(() => store.settings.set('kept', '1'));
    store.writer.flush();
    const told: string[] = [];
    store.writer.onEnd((lost) => {
      told.push(lost ? `lost: ${store.settings.get('a')}` : 'saved');
    });
    store.writer.onEnd(() => {
      throw new Error('It could not read anew.');
    });
    store.writer.onEnd((lost) => {
      told.push(lost ? 'lost too' : 'saved too');
    });
    store.writer.write(() => store.settings.set('a', '1'));
    const waiting = store.writer.committed().catch((error: Error) => told.push(error.message));
    expect(fails).toThrow(/FOREIGN KEY/);
    await waiting;
    expect(told).toEqual(['lost: null', 'lost too', 'FOREIGN KEY constraint failed']);
    expect(store.settings.get('kept')).toBe('1');
    store.writer.write(() => store.settings.set('b', '2'));
    store.writer.flush();
    expect(told.slice(3)).toEqual(['saved', 'saved too']);
    expect(store.settings.get('b')).toBe('2');
  });

  test('leaves nothing of the change around it, even where that goes on', () => {
    expect(() =>
      store.writer.write(() => {
        store.settings.set('before', '1');
        expect(fails).toThrow(/FOREIGN KEY/);
        expect(() => store.writer.write(() => store.settings.set('after', '1'))).toThrow(/FOREIGN KEY/);
      }),
    ).toThrow(/FOREIGN KEY/);
    store.writer.flush();
    expect([store.settings.get('before'), store.settings.get('after')]).toEqual([null, null]);
    store.writer.write(() => store.settings.set('later', '1'));
    expect(store.settings.get('later')).toBe('1');
  });
});
