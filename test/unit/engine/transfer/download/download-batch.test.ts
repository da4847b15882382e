import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BatchGetRequests } from '#client/batch-get.ts';
import { joinedDigests } from '#client/chunks.ts';
import { TransferError } from '#client/errors.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { Gate, RangeReceiver } from '#client/ports.ts';
import { createSafeRoot } from '#engine/folders/safe-root.ts';
import { blake3Hex } from '#engine/io/digests.ts';
import type { ObjectSink } from '#engine/io/sink.ts';
import type { FolderFlush } from '#engine/io/sync-folder.ts';
import { createFlush } from '#engine/io/whole-file.ts';
import { systemClock as clock } from '#engine/ports.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import { createActivity } from '#engine/transfer/activity.ts';
import { createWeightedSemaphore } from '#engine/transfer/concurrency/weighted-semaphore.ts';
import { downloadBatch, downloadRules } from '#engine/transfer/download/download-batch.ts';
import { createMovements } from '#engine/transfer/movements.ts';
import { plan } from '#engine/transfer/pipeline/plan.ts';
import type { Outcomes } from '#engine/transfer/pipeline/settle.ts';
import type { DownloadRecord, FileRecord, NewFile } from '#engine/transfer/record.ts';
import { createTransferRegistry } from '#engine/transfer/transfer-registry.ts';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A group of small files, and a power cut at each flush of its folders. */

let folder: Awaited<ReturnType<typeof tempFolder>>;
let root: string;
let store: Store;

const open = (): Store => openStore(openDatabase(join(folder.path, 'agent'), { now: 0 }), sealerOf(Buffer.alloc(32)), clock);

beforeEach(async () => {
  folder = await tempFolder();
  root = join(folder.path, 'target');
  mkdirSync(root);
  store = open();
});
afterEach(async () => {
  store.close();
  await folder.remove();
});

const contents = { 'one.txt': '1', 'a/two.txt': '22', 'a/three.txt': '333', 'b/four.txt': '4444' };

const record: DownloadRecord = {
  id: 'd',
  kind: 'download',
  phase: { state: 'transferring' },
  name: 'Many',
  priority: 'normal',
  position: 1,
  rateLimit: 0,
  bytes: 0,
  totalBytes: 0,
  files: 0,
  totalFiles: 0,
  createdAt: 1,
  updatedAt: 1,
  request: {
    serviceUrl: 'http://s',
    source: { kind: 'link', linkId: 'l', shownUrl: 'http://s/l' },
    dstFolder: '',
    fileIds: null,
    createPackageFolder: false,
  },
  facts: { packageId: 'p', root: '', planned: true },
  secrets: { linkSecret: '' },
};

const digestOf = (bytes: string): string => blake3Hex(Buffer.from(bytes));

/** The batch's files, recorded as those of a download that was planned. */
function planned(): FileRecord[] {
  createTransferRegistry({ store, clock, emit: () => {} }).add(record);
  const files = Object.entries(contents).map(
    ([local, bytes]): NewFile => ({
      kind: 'file',
      path: '',
      name: local,
      local,
      size: bytes.length,
      modifiedAt: 1_000,
      inode: '',
      remote: { state: 'stored', fileId: local, chunkSize: 100, digest: `blake3:${blake3Hex(joinedDigests([digestOf(bytes)]))}` },
    }),
  );
  store.writer.write(() => store.files.insert(record.id, files));
  return store.files.pending(record.id, 0, 100);
}

const at: Gate = (work) => work();

interface Fetching {
  /** From a storage that has no batch requests. */
  readonly byItself?: RangeReceiver<ObjectSink>;
  /** By a run after the first. */
  readonly resumes?: boolean;
  /** Called with each that comes in a request. */
  readonly onFetched?: (local: string) => void;
}

/** Fetches them from a storage that gives each at once. */
async function fetched(
  files: readonly FileRecord[],
  flushFolder: FolderFlush,
  { byItself, resumes = false, onFetched = () => {} }: Fetching = {},
): Promise<Outcomes> {
  const now = (): number => clock.now();
  const sleep = async (): Promise<void> => {};
  const call = async (_: string, { body }: { body: { file_ids: string[]; one_address?: boolean } }) =>
    body.one_address
      ? { files: body.file_ids.map((object) => ({ object })), objects_url: 'for all' }
      : { files: body.file_ids.map((url) => ({ url })) };
  const requests: BatchGetRequests<ObjectSink> = {
    allowed: true,
    async fetch(objects, at) {
      if (!at || !('shared' in at)) throw new Error('They were to share an address.');
      for (const { from, sink, onReceived: came } of objects) {
        if (!('position' in from)) throw new Error('This one has an address of its own.');
        const local = at.keys[from.position] as keyof typeof contents;
        const bytes = contents[local];
        onFetched(local);
        await sink.write([Buffer.from(bytes)], 0);
        came({ blake3: digestOf(bytes) });
      }
    },
  };
  const context = {
    activity: createActivity({ bytes: 0, files: 0, now, changed: () => {} }),
    clock,
    random: () => 0,
    signal: new AbortController().signal,
    sleep,
    retries: { sleep, random: () => 0, now },
    through: <G>(gate: G): G => gate,
    movements: createMovements(clock),
  };
  return downloadBatch(
    {
      ports: {
        store,
        fileSemaphore: createWeightedSemaphore(16),
        fileSystem: nodeFileSystem,
        gates: { small: at, large: at },
        transport: { receive: byItself!, isQuickForBatchGet: () => true },
      },
      api: { call } as unknown as HostedClient,
      requests: byItself ? null : requests,
      onRecorded: () => {},
      flush: createFlush(),
      flushFolder,
      safeRoot: createSafeRoot(root),
      guard: null,
      resumes,
      context,
    },
    record,
    files,
  );
}

/** Another agent with the same state. */
function restart(): void {
  store.writer.flush();
  store.close();
  store = open();
}

/** What an agent that is started after a power cut takes for complete. */
function completeAfterwards(): string[] {
  restart();
  const pending = new Set(store.files.pending(record.id, 0, 100).map(({ local }) => local));
  return Object.keys(contents).filter((local) => !pending.has(local));
}

const folderOf = (local: string): string => dirname(join(root, local));

test('a group counts as complete once each of its folders is flushed, with all names in it', async () => {
  const files = planned();
  expect(
    plan(
      files,
      downloadRules({ maxFiles: 1_000, batchGetUrl: '/' }, () => false),
    ),
  ).toEqual([{ sizeClass: 'small', files }]);
  const flushed: { readonly path: string; readonly named: boolean; readonly pending: number }[] = [];
  const came = await fetched(files, async (path) => {
    const here = Object.keys(contents).filter((local) => folderOf(local) === path);
    const named = here.every((local) => existsSync(join(root, local)));
    flushed.push({ path, named, pending: store.files.pending(record.id, 0, 100).length });
  });
  expect(flushed.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
    [root, join(root, 'a'), join(root, 'b')].map((path) => ({ path, named: true, pending: 4 })),
  );
  expect(came).toEqual({ files: files.map((file) => ({ file, is: 'done' })), lost: null });
  for (const [local, bytes] of Object.entries(contents)) expect(readFileSync(join(root, local), 'utf8')).toBe(bytes);
  expect(completeAfterwards()).toHaveLength(4);
});

test('from a storage without batch requests each comes by itself, also in pieces; one that fails takes no other with it', async () => {
  const files = planned();
  const refused = new TransferError('storage_busy', 'Busy.');
  const [, second] = files;
  const came = await fetched(files, async () => {}, {
    async byItself(url, sink, _, { onBytes }) {
      if (url === second!.local) throw refused;
      const bytes = Buffer.from(contents[url as keyof typeof contents]);
      for (const [position, byte] of bytes.entries()) await sink.write([Buffer.of(byte)], position);
      onBytes(bytes.length);
      return { blake3: digestOf(bytes.toString()) };
    },
  });
  const outcomes = files.map((file) => (file === second ? { file, is: 'failed', error: refused } : { file, is: 'done' }));
  expect(came).toEqual({ files: outcomes, lost: null });
  for (const [local, bytes] of Object.entries(contents)) {
    if (local === second!.local) expect(existsSync(join(root, local))).toBe(false);
    else expect(readFileSync(join(root, local), 'utf8')).toBe(bytes);
  }
});

test.each([1, 2, 3])('after a power cut at flush %i nothing counts as complete whose name may be lost', async (at) => {
  const flushed = new Set<string>();
  let flushes = 0;
  const fetching = fetched(planned(), async (path) => {
    if (++flushes >= at) throw Object.assign(new Error('the power is gone'), { code: 'EIO', syscall: 'fsync' });
    flushed.add(path);
  });
  await expect(fetching).rejects.toMatchObject({ code: 'target_unwritable' });
  for (const local of completeAfterwards()) expect(flushed).toContain(folderOf(local));
});

const killed = Object.assign(new Error('the agent was killed'), { code: 'EIO', syscall: 'fsync' });

/** Names below the root. */
const names = (): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(root, name)).isFile())
    .toSorted();

test('what had its name when an agent was killed, and was not noted, is known by its digest: nothing comes twice', async () => {
  const killing = fetched(planned(), async () => {
    throw killed;
  });
  await expect(killing).rejects.toMatchObject({ code: 'target_unwritable' });
  const before = new Map(names().map((name) => [name, statSync(join(root, name)).ino]));
  expect(before.size).toBeGreaterThan(0);
  restart();
  const left = store.files.pending(record.id, 0, 100);
  expect(left).toHaveLength(4);
  const flushed: string[] = [];
  const again: string[] = [];
  const came = await fetched(left, async (path) => void flushed.push(path), { resumes: true, onFetched: (local) => again.push(local) });
  expect(came).toEqual({ files: left.map((file) => ({ file, is: 'done' })), lost: null });
  expect(again.filter((local) => before.has(local))).toEqual([]);
  expect(new Set(flushed)).toEqual(new Set([root, join(root, 'a'), join(root, 'b')]));
  expect(names()).toEqual(Object.keys(contents).toSorted());
  for (const [name, ino] of before) expect(statSync(join(root, name)).ino, name).toBe(ino);
  expect(completeAfterwards()).toHaveLength(4);
});

describe('a file that has the name of one that is to come', () => {
  const put = (bytes: string, mtimeSeconds: number): void => {
    writeFileSync(join(root, 'one.txt'), bytes);
    utimesSync(join(root, 'one.txt'), mtimeSeconds, mtimeSeconds);
  };
  const outcomeOf = async (resumes: boolean) => {
    const [one] = planned();
    const came = await fetched([one!], async () => {}, { resumes });
    return came.files[0]!.is;
  };
  test.each([
    ['the same, in a run after the first', '1', 1, true, 'done'],
    ['the same, in the first run, in which nobody else can have put it there but another program', '1', 1, false, 'missed'],
    ['of other bytes', '2', 1, true, 'missed'],
    ['of another time', '1', 60, true, 'missed'],
    ['longer', '11', 1, true, 'missed'],
  ])('%s', async (_, bytes, mtimeSeconds, resumes, is) => {
    put(bytes, mtimeSeconds);
    expect(await outcomeOf(resumes)).toBe(is);
    expect(readFileSync(join(root, 'one.txt'), 'utf8')).toBe(bytes);
  });
});

test('no file is asked for before the rows of its plan are committed', async () => {
  const files = planned();
  let committed = false;
  const { writer } = store;
  const noted = writer.committed().then(() => {
    committed = true;
  });
  const seen: boolean[] = [];
  await fetched(files, async () => {}, { onFetched: () => seen.push(committed) });
  await noted;
  expect(seen).toEqual([true, true, true, true]);
});
