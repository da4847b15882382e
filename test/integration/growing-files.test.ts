import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Engine } from '#engine/engine.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { automationWhen, sentBy } from '#test/support/engine/automation-when.ts';
import { startTestEngine, transferWhen } from '#test/support/engine/start-engine.ts';
import { type StorageProxy, startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { startWriter, type Writer } from '#test/support/system/writer.ts';

/** Files that another program writes are sent while they grow, by a real engine to a real service. */

const mebibyte = 1024 * 1024;
/** The smallest chunk, since the service takes no larger one here. */
const chunk = 5 * mebibyte;
/** What makes a package begin: a file of this size that becomes larger. */
const first = 9 * mebibyte;

let service: TestService;
let storage: StorageProxy;
let own: Awaited<ReturnType<typeof tempFolder>>;
let engine: Engine;
let writer: Writer;
let hot: string;
/** What the storage had got before the test. */
let before: number;

beforeAll(async () => {
  storage = await startStorageProxy();
  service = await startTestService({ storageMaxBody: chunk, storagePublicUrl: storage.url });
  storage.upstream = service.storageUrl;
});
afterAll(async () => {
  await service?.close();
  await storage?.close();
});
beforeEach(async () => {
  own = await tempFolder();
  hot = join(own.path, 'hot');
  mkdirSync(hot);
  engine = await start();
  writer = startWriter();
  before = storage.passages.length;
});
afterEach(async () => {
  await writer?.end();
  await engine?.close();
  await own?.remove();
});

const start = (): Promise<Engine> => startTestEngine({ dataDir: join(own.path, 'agent'), serviceUrl: service.url, apiKey: service.apiKey });

const watchHot = async (fields: object = {}): Promise<string> => {
  const given = {
    name: 'Hot',
    active: true,
    folder: hot,
    team_id: service.teamId,
    recipients: [],
    settle_seconds: 1,
    existing: true,
    growing: true,
    growing_idle_seconds: 1,
    ...fields,
  };
  return (await engine.automations.create('team_upload', given)).id;
};
const uploads = async () => (await engine.transfers.list('upload', { page: 1, limit: 50, sort: 'created_at' })).records;
const messages = (id: string) =>
  Object.fromEntries(engine.automations.ledger(id, { limit: 100 }).records.map(({ path, state, message }) => [path, message ?? state]));

/** Has a file grow until its package has begun; nothing else waits. */
async function recordUntilSent(id: string, path: string): Promise<AgentTransfer> {
  const known = (await uploads()).length;
  await writer.append(path, first, 1);
  await automationWhen(engine, id, ({ counts }) => counts.waiting > 0);
  await writer.append(path, mebibyte, 2);
  await expect.poll(async () => (await uploads()).length, { timeout: 60_000 }).toBe(known + 1);
  const { id: transfer } = (await uploads()).at(-1)!;
  return transferWhen(engine, transfer, ({ bytes }) => bytes >= 2 * chunk);
}

/** Downloads the package of an upload, and compares it with what is in the watched folder. */
async function expectArrived({ url }: AgentTransfer, entry = ''): Promise<void> {
  const target = join(own.path, `got-${Math.random()}`);
  const { id } = await engine.transfers.download({ url, dst_folder: target, create_package_folder: false });
  expect((await transferWhen(engine, id)).state).toBe('complete');
  const [there, here] = [join(target, entry), join(hot, entry)];
  if (statSync(here).isFile()) return expect(readFileSync(there).equals(readFileSync(here))).toBe(true);
  const names = readdirSync(here, { recursive: true }).map(String);
  expect(readdirSync(there, { recursive: true }).map(String).toSorted()).toEqual(names.toSorted());
  for (const name of names) {
    if (statSync(join(here, name)).isFile())
      expect(readFileSync(join(there, name)).equals(readFileSync(join(here, name))), name).toBe(true);
  }
}

/** Digests of the chunks that the storage has confirmed in this test. */
const sentChunks = (): string[] =>
  storage.passages
    .slice(before)
    .filter(({ method }) => method === 'PUT')
    .map(({ what }) => what);
/** Of bytes that were sent more than once. */
const sentTwice = (): string[] => sentChunks().filter((what, index, all) => all.indexOf(what) !== index);

it('a recording is sent while it is written, and once its header is rewritten only that chunk again', async () => {
  const id = await watchHot();
  const clip = join(hot, 'clip.mov');
  const begun = await recordUntilSent(id, clip);
  expect(begun).toMatchObject({ state: 'transferring', name: 'clip.mov', bytes: 2 * chunk, total_bytes: 10 * mebibyte });
  await writer.append(clip, 7 * mebibyte, 3);
  await transferWhen(engine, begun.id, ({ bytes }) => bytes === 3 * chunk);
  await writer.write(clip, 8, 'the header');
  await writer.close(clip);
  const done = await transferWhen(engine, begun.id);
  expect(done).toMatchObject({ state: 'complete', bytes: 17 * mebibyte, total_bytes: 17 * mebibyte, files: 1, total_files: 1 });
  // Three that were whole, the first anew, and what was left.
  expect(sentChunks()).toHaveLength(5);
  await sentBy(engine, id, 1);
  await expectArrived(done, 'clip.mov');
  expect(sentTwice()).toEqual([]);
  expect(await uploads()).toHaveLength(1);
});

it('the files of a folder grow beside each other, others join them, and all are one package', async () => {
  const id = await watchHot();
  const card = join(hot, 'card');
  mkdirSync(join(card, 'a'), { recursive: true });
  mkdirSync(join(card, 'empty'));
  const [one, two] = [join(card, 'a/1.mxf'), join(card, '2.mxf')];
  const begun = await recordUntilSent(id, one);
  writeTree(card, { 'a/notes.txt': 'small' });
  await writer.append(two, 6 * mebibyte, 4);
  // The small one is there, the second one has joined, and its whole chunk too.
  const both = await transferWhen(engine, begun.id, ({ files, bytes }) => files === 1 && bytes > 3 * chunk);
  expect(both).toMatchObject({ state: 'transferring', name: 'card', total_files: 3 });
  await writer.close(one);
  await transferWhen(engine, begun.id, ({ files }) => files === 2);
  await writer.write(two, 0, 'header');
  await writer.append(two, 6 * mebibyte, 5);
  await writer.close(two);
  const done = await transferWhen(engine, begun.id);
  expect(done).toMatchObject({ state: 'complete', files: 4, total_files: 4 });
  await sentBy(engine, id, 3);
  await expectArrived(done, 'card');
  expect(sentTwice()).toEqual([]);
  expect(await uploads()).toHaveLength(1);
});

it('a file that is cut or replaced while it grows is begun again, and arrives as it is in the end', async () => {
  const id = await watchHot();
  const clip = join(hot, 'clip.mov');
  const begun = await recordUntilSent(id, clip);
  await writer.truncate(clip, mebibyte);
  const cut = await transferWhen(engine, begun.id, ({ total_bytes }) => total_bytes === mebibyte);
  expect(cut.bytes).toBe(0);
  await writer.append(clip, 6 * mebibyte, 6);
  await transferWhen(engine, begun.id, ({ bytes }) => bytes === chunk);
  const other = join(own.path, 'other.mov');
  await writer.append(other, 12 * mebibyte, 7);
  renameSync(other, clip);
  await transferWhen(engine, begun.id, ({ bytes }) => bytes === 2 * chunk);
  await writer.close(other);
  const done = await transferWhen(engine, begun.id);
  expect(done).toMatchObject({ state: 'complete', bytes: 12 * mebibyte, total_bytes: 12 * mebibyte });
  await sentBy(engine, id, 1);
  await expectArrived(done, 'clip.mov');
});

it('a file that goes away while it grows is left out in words, and the others arrive', async () => {
  const id = await watchHot({ package_per: 'batch' });
  const clip = join(hot, 'clip.mov');
  const begun = await recordUntilSent(id, clip);
  writeTree(hot, { 'notes.txt': 'small' });
  await transferWhen(engine, begun.id, ({ total_files }) => total_files === 2);
  rmSync(clip);
  const done = await transferWhen(engine, begun.id);
  expect(done).toMatchObject({ state: 'complete', files: 1, total_files: 1, total_bytes: 5 });
  await sentBy(engine, id, 1);
  expect(engine.automations.get(id)).toMatchObject({ state: 'watching', counts: { failed: 0 } });
  expect(messages(id)).toEqual({ 'notes.txt': 'sent', 'clip.mov': `${clip} was left out: it went away while it was being written.` });
  await expectArrived(done);
});

it('what is not seen to grow goes the usual way, and a file that is open for writing waits', async () => {
  const id = await watchHot();
  const clip = join(hot, 'clip.mov');
  const elsewhere = join(own.path, 'clip.mov');
  await writer.append(elsewhere, first, 8);
  renameSync(elsewhere, clip);
  await automationWhen(engine, id, ({ waiting_for }) => waiting_for === 'clip.mov: Another program has it open for writing.');
  expect(await uploads()).toEqual([]);
  await writer.close(elsewhere);
  await sentBy(engine, id, 1);
  expect(sentTwice()).toEqual([]);
  await expectArrived((await uploads())[0]!, 'clip.mov');
});

it('an automation that rests finishes what grows, and takes up nothing new', async () => {
  const id = await watchHot({ package_per: 'batch' });
  const clip = join(hot, 'clip.mov');
  const begun = await recordUntilSent(id, clip);
  await engine.automations.pause(id);
  writeTree(hot, { 'late.mov': 'late' });
  await writer.close(clip);
  expect(await transferWhen(engine, begun.id)).toMatchObject({ state: 'complete', total_files: 1 });
  await engine.automations.resume(id);
  await sentBy(engine, id, 2);
  expect((await uploads()).map(({ total_files }) => total_files)).toEqual([1, 1]);
});
