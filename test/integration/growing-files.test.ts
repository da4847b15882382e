import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { automationWhen, sentBy } from '#test/support/engine/automation-when.ts';
import { chunk, confirmedChunks, firstPart, growingFields, mebibyte } from '#test/support/engine/recording.ts';
import { transferWhen } from '#test/support/engine/start-engine.ts';
import { openWatchedFolder, type WatchedFolder } from '#test/support/engine/watched-folder.ts';
import { type StorageProxy, startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { inAll } from '#test/support/level.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { mount, noMounts, unmount } from '#test/support/system/mounts.ts';
import { startWriter, type Writer } from '#test/support/system/writer.ts';

/** Files that another program writes are sent while they grow, by a real engine to a real service. */

let service: TestService;
let storage: StorageProxy;
let at: WatchedFolder;
let writer: Writer;
let sent: ReturnType<typeof confirmedChunks>;

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
  at = await openWatchedFolder(service, growingFields);
  writer = startWriter();
  sent = confirmedChunks(storage);
});
afterEach(async () => {
  await writer?.end();
  await at?.close();
});

const messages = (id: string) => Object.fromEntries(at.ledger(id).map(({ path, state, message }) => [path, message ?? state]));

/** Has a file grow until its package has begun; nothing else waits. */
async function recordUntilSent(id: string, path: string): Promise<AgentTransfer> {
  const known = (await at.uploads()).length;
  await writer.append(path, firstPart, 1);
  await automationWhen(at.engine, id, ({ counts }) => counts.waiting > 0);
  await writer.append(path, mebibyte, 2);
  await expect.poll(async () => (await at.uploads()).length, { timeout: 60_000 }).toBe(known + 1);
  const { id: transfer } = (await at.uploads()).at(-1)!;
  return transferWhen(at.engine, transfer, ({ bytes }) => bytes >= 2 * chunk);
}

/** Compares what a link leads to with what is in the watched folder. */
async function expectArrived({ url }: { readonly url: string }, entry = ''): Promise<void> {
  const target = await at.download(url, { create_package_folder: false });
  const [there, here] = [join(target, entry), join(at.hot, entry)];
  if (statSync(here).isFile()) return expect(readFileSync(there).equals(readFileSync(here))).toBe(true);
  const names = readdirSync(here, { recursive: true }).map(String);
  expect(readdirSync(there, { recursive: true }).map(String).toSorted()).toEqual(names.toSorted());
  for (const name of names) {
    if (statSync(join(here, name)).isFile())
      expect(readFileSync(join(there, name)).equals(readFileSync(join(here, name))), name).toBe(true);
  }
}

it('a recording is sent while it is written, and once its header is rewritten only that chunk again', async () => {
  const id = await at.watch();
  const clip = join(at.hot, 'clip.mov');
  const begun = await recordUntilSent(id, clip);
  expect(begun).toMatchObject({ state: 'transferring', name: 'clip.mov', bytes: 2 * chunk, total_bytes: 10 * mebibyte });
  await writer.append(clip, 7 * mebibyte, 3);
  await transferWhen(at.engine, begun.id, ({ bytes }) => bytes === 3 * chunk);
  await writer.write(clip, 8, 'the header');
  await writer.close(clip);
  const done = await transferWhen(at.engine, begun.id);
  expect(done).toMatchObject({ state: 'complete', bytes: 17 * mebibyte, total_bytes: 17 * mebibyte, files: 1, total_files: 1 });
  // Three that were whole, the first anew, and what was left.
  expect(sent.all()).toHaveLength(5);
  await sentBy(at.engine, id, 1);
  await expectArrived(done, 'clip.mov');
  expect(sent.twice()).toEqual([]);
  expect(await at.uploads()).toHaveLength(1);
});

it(
  'the files of a folder grow beside each other, others join them, and all are one package',
  inAll('a recording that grows; a file that goes away while others grow; unit/engine/automations/growing'),
  async () => {
    const id = await at.watch();
    const card = join(at.hot, 'card');
    mkdirSync(join(card, 'a'), { recursive: true });
    mkdirSync(join(card, 'empty'));
    const [one, two] = [join(card, 'a/1.mxf'), join(card, '2.mxf')];
    const begun = await recordUntilSent(id, one);
    writeTree(card, { 'a/notes.txt': 'small' });
    await writer.append(two, 6 * mebibyte, 4);
    // The small one is there, the second one has joined, and its whole chunk too.
    const both = await transferWhen(at.engine, begun.id, ({ files, bytes }) => files === 1 && bytes > 3 * chunk);
    expect(both).toMatchObject({ state: 'transferring', name: 'card', total_files: 3 });
    await writer.close(one);
    await transferWhen(at.engine, begun.id, ({ files }) => files === 2);
    await writer.write(two, 0, 'header');
    await writer.append(two, 6 * mebibyte, 5);
    await writer.close(two);
    const done = await transferWhen(at.engine, begun.id);
    expect(done).toMatchObject({ state: 'complete', files: 4, total_files: 4 });
    await sentBy(at.engine, id, 3);
    await expectArrived(done, 'card');
    expect(sent.twice()).toEqual([]);
    expect(await at.uploads()).toHaveLength(1);
  },
);

it(
  'a file that is cut or replaced while it grows is begun again, and arrives as it is in the end',
  inAll('a header that is rewritten; unit/engine/transfer/upload/growing'),
  async () => {
    const id = await at.watch();
    const clip = join(at.hot, 'clip.mov');
    const begun = await recordUntilSent(id, clip);
    await writer.truncate(clip, mebibyte);
    const cut = await transferWhen(at.engine, begun.id, ({ total_bytes }) => total_bytes === mebibyte);
    expect(cut.bytes).toBe(0);
    await writer.append(clip, 6 * mebibyte, 6);
    await transferWhen(at.engine, begun.id, ({ bytes }) => bytes === chunk);
    const other = join(at.path, 'other.mov');
    await writer.append(other, 12 * mebibyte, 7);
    renameSync(other, clip);
    await transferWhen(at.engine, begun.id, ({ bytes }) => bytes === 2 * chunk);
    await writer.close(other);
    const done = await transferWhen(at.engine, begun.id);
    expect(done).toMatchObject({ state: 'complete', bytes: 12 * mebibyte, total_bytes: 12 * mebibyte });
    await sentBy(at.engine, id, 1);
    await expectArrived(done, 'clip.mov');
  },
);

it('a file that goes away while it grows is left out in words, and the others arrive', async () => {
  const id = await at.watch({ package_per: 'batch' });
  const clip = join(at.hot, 'clip.mov');
  const begun = await recordUntilSent(id, clip);
  writeTree(at.hot, { 'notes.txt': 'small' });
  await transferWhen(at.engine, begun.id, ({ total_files }) => total_files === 2);
  rmSync(clip);
  const done = await transferWhen(at.engine, begun.id);
  expect(done).toMatchObject({ state: 'complete', files: 1, total_files: 1, total_bytes: 5 });
  await sentBy(at.engine, id, 1);
  expect(at.engine.automations.get(id)).toMatchObject({ state: 'watching', counts: { failed: 0 } });
  expect(messages(id)).toEqual({ 'notes.txt': 'sent', 'clip.mov': `${clip} was left out: it went away while it was being written.` });
  await expectArrived(done);
});

it('what is not seen to grow goes the usual way, and a file that is open for writing waits', async () => {
  const id = await at.watch();
  const clip = join(at.hot, 'clip.mov');
  const elsewhere = join(at.path, 'clip.mov');
  await writer.append(elsewhere, firstPart, 8);
  renameSync(elsewhere, clip);
  await automationWhen(at.engine, id, ({ waiting_for }) => waiting_for === 'clip.mov: Another program has it open for writing.');
  expect(await at.uploads()).toEqual([]);
  await writer.close(elsewhere);
  await sentBy(at.engine, id, 1);
  expect(sent.twice()).toEqual([]);
  await expectArrived((await at.uploads())[0]!, 'clip.mov');
});

it('an automation that rests finishes what grows, and takes up nothing new', async () => {
  const id = await at.watch({ package_per: 'batch' });
  const clip = join(at.hot, 'clip.mov');
  const begun = await recordUntilSent(id, clip);
  await at.engine.automations.pause(id);
  writeTree(at.hot, { 'late.mov': 'late' });
  await writer.close(clip);
  expect(await transferWhen(at.engine, begun.id)).toMatchObject({ state: 'complete', total_files: 1 });
  await at.engine.automations.resume(id);
  await sentBy(at.engine, id, 2);
  expect((await at.uploads()).map(({ total_files }) => total_files)).toEqual([1, 1]);
});

it('a recording is sent through a Portal while it is written', inAll('the same to a Team'), async () => {
  const portal = await newPortal(service, { recipients: ['post@example.com'] });
  const id = await at.watch({ subdomain: portal.subdomain, sender: 'mia@example.com' }, 'portal_upload');
  const clip = join(at.hot, 'clip.mov');
  const begun = await recordUntilSent(id, clip);
  await writer.write(clip, 8, 'the header');
  await writer.close(clip);
  expect(await transferWhen(at.engine, begun.id)).toMatchObject({ state: 'complete', bytes: 10 * mebibyte, total_files: 1 });
  await sentBy(at.engine, id, 1);
  expect(sent.twice()).toEqual([]);
  // The sender has no link; whoever the Portal tells has one.
  const link = await service.service.services.db
    .selectFrom('links')
    .innerJoin('packages', 'packages.id', 'links.package_id')
    .select(['links.id', 'links.secret'])
    .where('packages.portal_id', '=', portal.id)
    .executeTakeFirstOrThrow();
  await expectArrived({ url: `${service.url}/d/${link.id}?secret=${link.secret}` }, 'clip.mov');
});

it.skipIf(!hasSwift())(
  'a recording is sent to a storage that speaks S3 while it is written',
  inAll('the same to local storage'),
  async () => {
    const bucket = await newSwiftBucket();
    const overS3 = await startTestService({ storageUrl: bucket.url, storageMaxBody: chunk });
    const local = at;
    at = await openWatchedFolder(overS3, growingFields);
    try {
      const id = await at.watch();
      const clip = join(at.hot, 'clip.mov');
      const begun = await recordUntilSent(id, clip);
      await writer.append(clip, 7 * mebibyte, 3);
      await transferWhen(at.engine, begun.id, ({ bytes }) => bytes === 3 * chunk);
      await writer.write(clip, 8, 'the header');
      await writer.close(clip);
      const done = await transferWhen(at.engine, begun.id);
      expect(done).toMatchObject({ state: 'complete', bytes: 17 * mebibyte, total_bytes: 17 * mebibyte, total_files: 1 });
      await sentBy(at.engine, id, 1);
      await expectArrived(done, 'clip.mov');
    } finally {
      await at.close();
      at = local;
      await overS3.close();
    }
  },
);

it.skipIf(noMounts)('a recording whose drive goes is not left out, and goes on when the drive is back', async () => {
  const id = await at.watch();
  const clip = join(at.hot, 'clip.mov');
  const begun = await recordUntilSent(id, clip);
  // As the mount point is that a drive leaves: empty, and on another device.
  mount('-t', 'tmpfs', 'tmpfs', at.hot);
  try {
    const isAway = ({ waiting }: AgentTransfer): boolean => waiting?.reason.includes('nor its disk') ?? false;
    expect(await transferWhen(at.engine, begun.id, (one) => one.state !== 'transferring' || isAway(one))).toSatisfy(isAway);
  } finally {
    unmount(at.hot);
  }
  await writer.close(clip);
  expect(await transferWhen(at.engine, begun.id)).toMatchObject({ state: 'complete', files: 1, total_files: 1 });
  await sentBy(at.engine, id, 1);
  expect(await at.uploads()).toHaveLength(1);
});
