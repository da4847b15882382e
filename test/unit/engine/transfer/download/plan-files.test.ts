import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHostedClient } from '#client/hosted.ts';
import type { Fetcher } from '#client/ports.ts';
import { createSafeRoot } from '#engine/folders/safe-root.ts';
import { systemClock } from '#engine/ports.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { createActivity } from '#engine/transfer/activity.ts';
import { planFiles } from '#engine/transfer/download/plan-files.ts';
import type { JobContext, JobPorts } from '#engine/transfer/job.ts';
import type { Collision, DownloadRecord, FileRecord } from '#engine/transfer/record.ts';
import { createTransferRegistry } from '#engine/transfer/transfer-registry.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { File } from '#protocol/hosted/files.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A plan is stored while its first files come already, and goes on after a crash. */

const id = 'download';
let folder: Awaited<ReturnType<typeof tempFolder>>;
let root: string;
let store: Store;
let ports: JobPorts;
let stop: AbortController;

beforeEach(async () => {
  folder = await tempFolder();
  root = join(folder.path, 'target');
  mkdirSync(root);
  const clock = systemClock;
  store = openStore(openDatabase(folder.path, { now: 0 }), sealerOf(randomBytes(32)), clock);
  const registry = createTransferRegistry({ store, clock, emit: () => {} });
  ports = { store, registry, fileSystem: nodeFileSystem } as unknown as JobPorts;
  stop = new AbortController();
});
afterEach(async () => {
  store.close();
  await folder.remove();
});

function add(planned: DownloadRecord['facts']['planned'], collision: Collision = 'keep_both'): void {
  const counts = { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0 };
  const request = { serviceUrl: 'http://s', source: { kind: 'link', linkId: 'l', shownUrl: 'http://s/d/l' } } as const;
  ports.registry.add({
    ...counts,
    id,
    kind: 'download',
    name: 'Dailies',
    priority: 'normal',
    position: 1,
    rateLimit: 0,
    createdAt: 1,
    updatedAt: 1,
    phase: { state: 'transferring' },
    request: { ...request, dstFolder: root, fileIds: null, createPackageFolder: true, collision },
    facts: { packageId: 'p', root, planned },
    secrets: {},
  } as unknown as DownloadRecord);
}

const record = (): DownloadRecord => ports.registry.get(id) as DownloadRecord;
const rows = (): FileRecord[] => store.files.after(id, 0, 1_000_000);

const file = (name: string, path = ''): File => ({
  ...{ id: `id of ${path}/${name}`, kind: 'file', path, name, size: 2, chunk_size: 5_242_880 },
  ...{ last_modified: '2026-01-01T00:00:00.000Z', virus_detected: false },
});
const listed = (count: number): File[] => Array.from({ length: count }, (_, n) => file(`${n}.bin`, `folder ${n % 7}`));

/** Begins the plan as a run of the agent does. */
function plan(listing: readonly File[]) {
  const fetcher: Fetcher = () => Promise.reject(new Error('Nothing else is asked for.'));
  const stream = async (_: unknown, take: (piece: Uint8Array, length: number) => Promise<void>) => {
    const bytes = Buffer.from(JSON.stringify(listing));
    for (let at = 0; at < bytes.length; at += 65_536) await take(bytes.subarray(at, at + 65_536), bytes.length);
    return { status: 200, headers: {}, text: 'null' };
  };
  const activity = createActivity({ bytes: 0, files: 0, now: () => 0, changed: () => {} });
  const context = {
    activity,
    clock: systemClock,
    sleep: () => Promise.reject(new Error('Nothing is tried again.')),
    random: () => 0,
    signal: stop.signal,
  } as unknown as JobContext;
  const client = (own: Fetcher) => createHostedClient({ baseUrl: 'http://s', fetcher: own });
  const withTransport = { ...ports, transport: { fetcher, stream } } as unknown as JobPorts;
  return planFiles(withTransport, record, createSafeRoot(root), client as never, context);
}

test('the first files can be fetched while the others are stored, and the totals are known by then', async () => {
  add(false);
  const storing = await plan(listed(5_000));
  expect(record()).toMatchObject({ totalFiles: 5_000, totalBytes: 10_000, facts: { planned: 'partly' } });
  expect(rows().length).toBeLessThan(5_000);
  let pages = 0;
  while (await storing.more()) pages += 1;
  expect(pages).toBeGreaterThan(1);
  expect(record()).toMatchObject({ totalFiles: 5_000, totalBytes: 10_000, facts: { planned: true } });
  expect(rows()).toHaveLength(5_000);
});

test('what a crash left of a plan goes on: files keep their rows and names, and no other file gets one of those', async () => {
  const listing = [file('A'), file('b'), file('a'), file('c'), file('B')];
  add(false);
  await (await plan(listing)).ended;
  const whole = rows().map(({ local }) => local);
  // As an agent that was killed amid it: two are stored, and one of them has its name.
  for (const { id: row } of rows().slice(2)) store.writer.write(() => store.files.remove(row));
  const [first, second] = rows() as [FileRecord, FileRecord];
  store.writer.write(() => store.files.completed(first.id, 'blake3:00'));
  writeFileSync(join(root, first.local), 'ab');
  ports.registry.changeDownload(id, { facts: { ...record().facts, planned: 'partly' } });

  const storing = await plan(listing);
  expect(record()).toMatchObject({ totalFiles: 5, totalBytes: 10 });
  await storing.ended;
  expect(rows().map(({ local }) => local)).toEqual(whole);
  expect(rows().slice(0, 2)).toMatchObject([
    { id: first.id, state: 'complete' },
    { id: second.id, state: 'pending' },
  ]);
  expect(record()).toMatchObject({ totalFiles: 5, totalBytes: 10, facts: { planned: true } });
});

test('a number that a file has from before the crash goes to no other', async () => {
  add('partly');
  const other = { ...file('x (2)'), id: 'older' };
  store.writer.write(() =>
    store.files.insert(id, [
      {
        ...{ kind: 'file', path: '', name: 'x', local: 'x (2)', size: 2, modifiedAt: 0, inode: '' },
        remote: { state: 'stored', fileId: 'of the other folder', chunkSize: 5_242_880 },
      },
    ]),
  );
  await (await plan([other])).ended;
  expect(rows().map(({ local }) => local)).toEqual(['x (2)', 'x (2) (2)']);
});

test('rows of a plan that was given up are no part of a new one', async () => {
  add('partly');
  await (await plan(listed(300))).ended;
  ports.registry.changeDownload(id, { facts: { ...record().facts, planned: false } });
  const others = Array.from({ length: 200 }, (_, n) => file(`${n}.mov`));
  await (await plan(others)).ended;
  expect(rows().map(({ local }) => local)).toEqual(others.map(({ name }) => name));
});

test('where files that are there are left out, nothing is fetched before all are known: the disk has no room for them', async () => {
  add(false, 'skip');
  mkdirSync(join(root, 'folder 0'));
  writeFileSync(join(root, 'folder 0', '0.bin'), 'ab');
  await plan(listed(2_000));
  expect(rows()).toHaveLength(2_000);
  expect(record()).toMatchObject({ totalFiles: 1_999, totalBytes: 3_998, facts: { planned: true } });
});

test('a stop amid it is told to whoever waits for files, and nothing is stored any more', async () => {
  add(false);
  const storing = await plan(listed(20_000));
  stop.abort(new Error('stopped'));
  await expect(
    (async () => {
      while (await storing.more());
    })(),
  ).rejects.toThrow('stopped');
  await storing.ended;
  const stored = rows().length;
  expect(stored).toBeLessThan(20_000);
  expect(record().facts.planned).toBe('partly');
});
