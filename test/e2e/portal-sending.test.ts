import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { browserBytes, peakWhile } from '#bench/measure/browser-memory.ts';
import { hexOf, objectDigest } from '#storage/digests.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { arrived, chooseFiles, chooseFolder, fillDetails, received, send, visitPortal } from '#test/support/browser/portal-visitor.ts';
import { sharedMark } from '#test/support/browser/shared-chromium.ts';
import { countWakeLocks, wakeLocksOf } from '#test/support/browser/wake-locks.ts';
import { soaking } from '#test/support/faults/seeds.ts';
import { repeated, type StorageProxy, startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { firstOf, inAll } from '#test/support/level.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Of a file in chunks of this size. */
function digestOf(path: string, size: number, chunkSize: number): string {
  const file = openSync(path, 'r');
  try {
    const chunks: string[] = [];
    for (let at = 0; at < size; at += chunkSize) {
      const bytes = Buffer.allocUnsafe(Math.min(chunkSize, size - at));
      readSync(file, bytes, 0, bytes.length, at);
      chunks.push(hexOf(bytes));
    }
    return objectDigest(chunks);
  } finally {
    closeSync(file);
  }
}

/** A real service and browser, with a wire between page and storage that can be slow or cut. */
describeInBrowser('sending through the upload page', (browserOf) => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let web: BuiltPages;
  let proxy: StorageProxy;
  let service: TestService;
  // Of two chunks, of which the last is the shorter one.
  const clip = randomBytes(17_000_000);
  /** Bytes: longer than the last chunk, shorter than the other, which is of 9 MiB. */
  const shortest = 9_000_000;
  const sound = randomBytes(20_000);

  beforeAll(async () => {
    folder = await tempFolder();
    web = await buildPages('web');
    proxy = await startStorageProxy();
    service = await startTestService({ webDir: web.folder, storagePublicUrl: proxy.url });
    proxy.upstream = service.storageUrl;
    await mkdir(join(folder.path, 'A001/audio'), { recursive: true });
    await writeFile(join(folder.path, 'A001/A001C001.mov'), clip);
    await writeFile(join(folder.path, 'A001/audio/T001.wav'), sound);
  });
  afterEach(() => {
    proxy.holdAbove(Number.POSITIVE_INFINITY);
    proxy.room = Number.POSITIVE_INFINITY;
  });
  afterAll(async () => {
    await service?.close();
    await proxy?.close();
    await folder?.remove();
  });

  const puts = (): number => proxy.passages.filter(({ method }) => method === 'PUT').length;
  const visit = async (portal: { subdomain: string }) => visitPortal(browserOf(), service, portal.subdomain);

  it('goes on after a reload with the same files chosen again, and sends no confirmed chunk twice', async () => {
    const portal = await newPortal(service);
    const { page, complaints, close } = await visit(portal);
    await chooseFolder(page, join(folder.path, 'A001'));
    await fillDetails(page);
    const before = puts();
    proxy.holdAbove(shortest);
    await send(page);
    await page.getByText('1 of 2 files').waitFor();
    // The sound, and the shorter chunk of the clip: the other is on its way.
    await expect.poll(() => puts() - before, { timeout: 30_000 }).toBe(2);
    await page.reload();
    await page.getByRole('heading', { name: 'You have not finished sending' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    proxy.holdAbove(Number.POSITIVE_INFINITY);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('To be chosen again: 1 file.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await chooseFiles(page, join(folder.path, 'A001/audio/T001.wav'));
    await page.getByText('None of these are among the missing files.').waitFor();
    await chooseFolder(page, join(folder.path, 'A001'));
    await arrived(page);
    expect(repeated(proxy.passages.slice(), 'PUT')).toEqual([]);
    const { read, files } = await received(service, portal.id);
    expect([...files.keys()].sort()).toEqual(['A001/A001C001.mov', 'A001/audio/T001.wav']);
    expect((await read('A001/A001C001.mov')).equals(clip)).toBe(true);
    await page.reload();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await page.getByText('You have not finished sending').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it('goes on after a reload by itself where the browser keeps handles', inAll('a reload with the same files chosen again'), async () => {
    const portal = await newPortal(service);
    const { page, complaints, close } = await visit(portal);
    // The browser's private files give the same handles as its pickers do, and can be made by a test.
    await page.addInitScript(() => {
      Object.assign(window, {
        showOpenFilePicker: () => Promise.reject(new DOMException('', 'AbortError')),
        showDirectoryPicker: async () => (await navigator.storage.getDirectory()).getDirectoryHandle('B001'),
      });
    });
    await page.reload();
    await page.evaluate(async () => {
      const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('B001', { create: true });
      await root.getDirectoryHandle('empty', { create: true });
      const file = await (await root.getFileHandle('B001C001.mov', { create: true })).createWritable();
      for (let index = 0; index < 17; index++) await file.write(new Uint8Array(1_000_000).fill(index));
      await file.close();
    });
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await page.getByText('1 file, 17 MB', { exact: true }).waitFor();
    await fillDetails(page);
    const before = puts();
    proxy.holdAbove(shortest);
    await send(page);
    await expect.poll(() => puts() - before, { timeout: 30_000 }).toBe(1);
    await page.reload();
    proxy.holdAbove(Number.POSITIVE_INFINITY);
    await page.getByRole('button', { name: 'Go on' }).click();
    await arrived(page);
    expect(repeated(proxy.passages.slice(), 'PUT')).toEqual([]);
    const { files, package: made } = await received(service, portal.id);
    expect(files.get('B001/B001C001.mov')?.size).toBe(17_000_000);
    expect(made.total_files).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it('waits while there is no connection, pauses when told, and goes on, and keeps the screen awake while bytes move', async () => {
    const portal = await newPortal(service);
    const { page, close } = await visit(portal);
    await countWakeLocks(page);
    await page.reload();
    await chooseFolder(page, join(folder.path, 'A001'));
    await fillDetails(page);
    proxy.holdAbove(shortest);
    const before = puts();
    await send(page);
    await expect.poll(() => puts() - before, { timeout: 30_000 }).toBe(2);
    await expect.poll(() => wakeLocksOf(page)).toEqual({ asked: 1, active: 1 });
    await page.context().setOffline(true);
    await page.getByText('No connection. It goes on by itself').waitFor();
    await page.context().setOffline(false);
    proxy.cut();
    await page.getByText('No connection. It goes on by itself').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('heading', { name: 'is paused' }).waitFor();
    await expect.poll(async () => (await wakeLocksOf(page)).active).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    proxy.holdAbove(Number.POSITIVE_INFINITY);
    await page.getByRole('button', { name: 'Go on' }).click();
    await arrived(page);
    await expect.poll(async () => (await wakeLocksOf(page)).active).toBe(0);
    const { read } = await received(service, portal.id);
    expect((await read('A001/A001C001.mov')).equals(clip)).toBe(true);
    await close();
  });

  it('says which file has changed or gone, sends the others, and takes it as it is now', async () => {
    const portal = await newPortal(service);
    const names = ['stays.txt', 'changes.txt', 'goes.txt'].map((name) => join(folder.path, name));
    for (const name of names) await writeFile(name, 'as it was');
    const { page, close } = await visit(portal);
    await chooseFiles(page, names);
    await fillDetails(page);
    await page.getByText('3 files,', { exact: false }).first().waitFor();
    await writeFile(names[1]!, 'another text, and longer');
    await rm(names[2]!);
    await send(page);
    await page.getByText('To be chosen again: 2 files.').waitFor();
    await page.getByText('It has changed since you chose it.').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await chooseFiles(page, names[1]!);
    await page.getByText('To be chosen again: 1 file.').waitFor();
    await page.getByRole('button', { name: 'Leave out goes.txt' }).click();
    await arrived(page);
    await page.getByText('Left out: 1 file.').waitFor();
    const { files, read } = await received(service, portal.id);
    expect([...files.keys()].sort()).toEqual(['changes.txt', 'stays.txt']);
    expect((await read('changes.txt')).toString()).toBe('another text, and longer');
    await close();
  });

  it('lets one tab at a time have a package, and other packages go on beside it', async () => {
    const portal = await newPortal(service);
    const other = await newPortal(service);
    const { page, close } = await visit(portal);
    await chooseFolder(page, join(folder.path, 'A001'));
    await fillDetails(page);
    proxy.holdAbove(shortest);
    await send(page);
    await page.getByRole('progressbar').waitFor();
    const second = await page.context().newPage();
    await second.addInitScript(() => Object.assign(window, { showOpenFilePicker: undefined, showDirectoryPicker: undefined }));
    await second.goto(`${service.url}/p/${portal.subdomain}`);
    await second.getByText('It is being sent in another tab.').waitFor();
    await second.goto(`${service.url}/p/${other.subdomain}`);
    expect(await second.getByText('You have not finished sending').count()).toBe(0);
    await chooseFiles(second, join(folder.path, 'A001/audio/T001.wav'));
    await fillDetails(second);
    proxy.holdAbove(Number.POSITIVE_INFINITY);
    await send(second);
    await arrived(second);
    await arrived(page);
    expect((await received(service, portal.id)).files.size).toBe(2);
    expect((await received(service, other.id)).files.size).toBe(1);
    await close();
  });

  it('asks before the tab is closed while something is on its way, and not afterwards', async () => {
    const portal = await newPortal(service);
    const { page, close } = await visit(portal);
    await chooseFolder(page, join(folder.path, 'A001'));
    await fillDetails(page);
    proxy.holdAbove(shortest);
    await send(page);
    await page.getByRole('progressbar').waitFor();
    const asked = page.waitForEvent('dialog');
    void page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    proxy.holdAbove(Number.POSITIVE_INFINITY);
    await arrived(page);
    const closed = page.waitForEvent('close');
    void page.close({ runBeforeUnload: true });
    await closed;
    await close();
  });

  it('says that the storage is full, sends what it can, and goes on when there is room', async () => {
    const portal = await newPortal(service);
    const { page, complaints, close } = await visit(portal);
    // The sound gets through, and no chunk of the clip.
    proxy.room = 5_000_000;
    await chooseFolder(page, join(folder.path, 'A001'));
    await fillDetails(page);
    await send(page);
    await page.getByText('The storage is full. Tell whoever runs this page').first().waitFor();
    await page.getByText('1 of 2 files').waitFor();
    const notice = page.getByRole('status').filter({ hasText: 'It goes on by itself as soon as there is room.' });
    await notice.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    // It would try again by itself within half a minute; to pause and go on tries at once. Room comes after the pause, as
    // else the clip might be through before.
    await page.getByRole('button', { name: 'Pause' }).click();
    // A paused package does not go on by itself.
    await notice.waitFor({ state: 'detached' });
    proxy.room = Number.POSITIVE_INFINITY;
    await page.getByRole('button', { name: 'Go on' }).click();
    await arrived(page);
    const { read } = await received(service, portal.id);
    expect((await read('A001/A001C001.mov')).equals(clip)).toBe(true);
    // The page may read all that it asks of the storage's answer.
    expect(complaints.filter((text) => text.includes('header'))).toEqual([]);
    await close();
  });

  it(
    `sends ${soaking ? 'a file of 3 GiB' : 'a file of many chunks'} whole, in little memory`,
    inAll('files of several chunks that go on after a reload', { timeout: 1_500_000 }),
    async () => {
      const size = soaking ? 3 * 2 ** 30 : 100_000_000;
      const path = join(folder.path, 'long.mov');
      const file = await open(path, 'w');
      // Only its ends are of a kind: between them it is a hole, which costs no disk.
      const ends = randomBytes(1_000_000);
      await file.write(ends, 0, ends.length, 0);
      await file.write(ends, 0, ends.length, size - ends.length);
      await file.close();
      const portal = await newPortal(service);
      const { page, complaints, close } = await visit(portal);
      await page.getByRole('button', { name: 'Choose files' }).waitFor();
      const idle = browserBytes(sharedMark);
      await chooseFiles(page, path);
      await fillDetails(page);
      const { peakBytes } = await peakWhile(sharedMark, async () => {
        await send(page);
        await page.getByRole('heading', { name: 'All sent' }).waitFor({ timeout: 1_200_000 });
      });
      expect(peakBytes - idle).toBeLessThan(300 * 2 ** 20);
      const { files } = await received(service, portal.id);
      const sent = files.get('long.mov')!;
      // Of what nobody knows the speed yet, chunks are small.
      expect(sent.chunk_size).toBeLessThanOrEqual(16 * 1024 * 1024);
      expect(sent).toMatchObject({ size, digest: digestOf(path, size, sent.chunk_size!) });
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it.each(
    firstOf([
      ['has no room', 'QuotaExceededError', 'This browser has no room left'],
      ['keeps nothing', 'UnknownError', 'This browser keeps no notes here'],
    ]),
  )('says so and sends all the same where the browser %s for notes', async (_, name, words) => {
    const portal = await newPortal(service);
    const { page, close } = await visit(portal);
    await page.addInitScript((which) => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('', which);
      };
    }, name);
    await page.reload();
    await chooseFolder(page, join(folder.path, 'A001'));
    await fillDetails(page);
    proxy.holdAbove(shortest);
    await send(page);
    await page.getByText(words).waitFor();
    proxy.holdAbove(Number.POSITIVE_INFINITY);
    await arrived(page);
    expect((await received(service, portal.id)).files.size).toBe(2);
    await close();
  });
});
