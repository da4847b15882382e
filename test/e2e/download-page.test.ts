import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { axeFindings } from '#test/support/browser/axe.ts';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import { lookEverywhere, sizes } from '#test/support/browser/looks.ts';
import { countWakeLocks, wakeLocksOf } from '#test/support/browser/wake-locks.ts';
import { repeated, type StorageProxy, startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { firstOf, inAll } from '#test/support/level.ts';
import { type LinkedPackage, linkedPackage } from '#test/support/service/download-link.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { de } from '#web/messages/de/download.ts';
import { delivery, downloadScenes, pickPrivateFolder, script } from './download-scenes.ts';

const MiB = 1024 * 1024;

/** One page, on which nothing stands. */
const emptyPdf = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
);

/** Real service, real storage, real browser. Saving goes into the browser's private folder, which a test can choose. */
describeInBrowser('the download page', (browserOf) => {
  let web: BuiltPages;
  let proxy: StorageProxy;
  let service: TestService;

  beforeAll(async () => {
    [web, proxy] = await Promise.all([buildPages('web'), startStorageProxy()]);
    service = await startTestService({ webDir: web.folder, storagePublicUrl: proxy.url });
    proxy.upstream = service.storageUrl;
  });
  afterEach(() => {
    proxy.rate = 0;
    proxy.holdFrom(Number.POSITIVE_INFINITY);
  });
  afterAll(async () => {
    await service?.close();
    await proxy?.close();
  });

  const visit = (url: string, options: Parameters<typeof openPage>[2] = {}, prepare?: (page: Page) => Promise<unknown>) =>
    openPage(browserOf(), url, options, async (page) => {
      await pickPrivateFolder(page);
      await prepare?.(page);
    });
  const visitScene = async (name: string, options?: Parameters<typeof openPage>[2]) => {
    const scene = downloadScenes.find((one) => one.name === name)!;
    const made = await scene.make(service);
    const visitor = await visit(scene.address?.(made.link.url) ?? made.link.url, options);
    await scene.act?.({ page: visitor.page, setRate: () => undefined });
    await visitor.page.getByText(scene.shows).first().waitFor();
    return { ...visitor, made };
  };
  const gets = (): number => proxy.passages.filter(({ method }) => method === 'GET').length;

  // Of the others each says its own words (unit/web/download/page) as these do.
  const matters = ['password-wrong', 'package-deleted', 'used-up', 'unfinished', 'incomplete', 'virus'];
  const others = ['expired', 'package-expired', 'disabled', 'unknown', 'damaged', 'one-file'];

  it.each(firstOf([...matters, ...others], matters.length))('says in words what is the matter: %s', async (name) => {
    const { page, complaints, close } = await visitScene(name);
    expect(await axeFindings(page)).toEqual([]);
    if (name === 'package-deleted' || name === 'password-wrong') {
      await page.locator('select.language').selectOption('de');
      await page.getByText(name === 'package-deleted' ? de.deleted.title : de.password.wrong).waitFor();
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it('asks again whether the sender has finished', async () => {
    const { page, made, close } = await visitScene('unfinished');
    const { sender } = made as LinkedPackage;
    await sender.send('', 'a.txt', Buffer.from('a'));
    await sender.finalize();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Day 12' }).waitFor();
    await close();
  });

  it('shows what is in it, gives each file, and tells the storage nothing', async () => {
    const { page, complaints, hosts, close } = await visitScene('package');
    await page.getByText('6 files in 5 folders, 2.8 MB').waitFor();
    await page.getByText('from owner@example.com').waitFor();
    await page.getByRole('region', { name: 'Message from the sender' }).getByText('The sound of take 3 is the wild track.').waitFor();
    await page.getByText(/^Available until /).waitFor();
    const heard: (string | undefined)[] = [];
    const hear = (request: Request): void => {
      if (request.url().startsWith(proxy.url)) heard.push(request.headers()['referer']);
    };
    page.on('request', hear);
    const download = await downloadBy(page, () => page.getByRole('button', { name: 'Download reports/script.txt' }).click());
    expect(download.suggestedFilename()).toBe('script.txt');
    expect(await readFile(await download.path(), 'utf8')).toBe(script);
    const zip = await downloadBy(page, () => page.getByRole('button', { name: 'Download all as zip' }).click());
    expect(zip.suggestedFilename()).toMatch(/\.zip$/);
    expect((await readFile(await zip.path())).readUInt32BE(0)).toBe(0x504b0304);
    page.off('request', hear);
    expect(heard).toEqual([undefined]);
    expect([...hosts].sort()).toEqual([new URL(service.url).host, new URL(proxy.url).host].sort());
    expect(complaints).toEqual([]);
    await close();
  });

  it('gives what is chosen by mouse or keys, and a folder, as a zip, and says that it has begun', async () => {
    const contents = delivery();
    const { link } = await linkedPackage(service, contents, {
      package: { name: '<script>alert(2)</script>', description: '<b onclick=alert(3)>A and B camera</b>' },
    });
    const { page, complaints, close } = await visit(link.url, { reducedMotion: 'reduce' });
    const row = (name: RegExp) => page.getByRole('treeitem', { name });
    await row(/^A001 /).focus();
    await page.keyboard.press('Space');
    await page.getByText(/^Chosen: 3 files, /).waitFor();
    expect(await row(/^A001 /).getAttribute('aria-checked')).toBe('true');
    // Opened again and one taken out of it: the folder is chosen in part.
    await row(/^T003\.wav/)
      .locator('.tree-box')
      .click();
    await page.getByText(/^Chosen: 2 files, /).waitFor();
    expect(await row(/^A001 /).getAttribute('aria-checked')).toBe('mixed');
    await row(/^stills/)
      .locator('.tree-box')
      .click();
    await page.getByText(/^Chosen: 3 files, /).waitFor();
    const save = async (button: string): Promise<{ name: string; bytes: Buffer }> => {
      const download = await downloadBy(page, () => page.getByRole('button', { name: button }).click());
      return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
    };
    const zip = await save('Download choice as zip');
    expect(zip.name).toBe('_script_alert(2)__script_.zip');
    expect(namesIn(zip.bytes)).toEqual(['A001/A001C001_261120_R2K1.mov', 'A001/A001C002_261120_R2K1.mov', 'stills/quay.png']);
    await page.getByText('Your download of “_script_alert(2)__script_.zip” has begun').waitFor();
    expect(await lookEverywhere(page, { translate: (tab) => tab.locator('select.language').selectOption('de') })).toEqual([]);
    await page.locator('select.language').selectOption('en');
    const folder = await save('Download A001/audio as zip');
    expect(folder.name).toBe('audio.zip');
    expect(namesIn(folder.bytes)).toEqual(['A001/audio/T003.wav']);
    expect((await save('Start again')).bytes).toEqual(folder.bytes);
    await page.getByRole('button', { name: 'Choose nothing' }).click();
    await page.getByRole('checkbox', { name: 'Choose all' }).check();
    await page.getByText(`Chosen: ${Object.keys(contents).length} files, `).waitFor();
    expect(await page.locator('main img[src=x], main script, main b').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(
    firstOf([
      ['MacIntel', 'for macOS', 'Zip for Windows and Linux', "longshore get '"],
      ['Win32', 'for Windows and Linux', 'Zip for macOS', 'longshore get "'],
    ]),
  )('offers what fits the system first: %s', async (platform, first, other, command) => {
    const { link } = await linkedPackage(service, delivery());
    const { page, close } = await visit(link.url, {}, async (tab) => {
      await tab.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await tab.addInitScript((value) => Object.defineProperty(navigator, 'platform', { get: () => value }), platform);
    });
    expect(await page.getByRole('button', { name: 'Download all as zip' }).evaluate((one) => one.nextElementSibling?.textContent)).toBe(
      first,
    );
    await page.getByRole('button', { name: `Download: ${other}` }).waitFor();
    expect(await page.getByRole('link', { name: 'Open in the app' }).getAttribute('href')).toBe(
      `longshore://download?${new URLSearchParams({ url: link.url })}`,
    );
    await page.getByRole('button', { name: 'Copy the command' }).click();
    await page.getByText('Copied').first().waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(command + link.url);
    await page.getByRole('button', { name: 'Copy the link' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(link.url);
    await close();
  });

  it('offers no folder where the browser cannot write into one', inAll('unit/web/download/page'), async () => {
    const { link } = await linkedPackage(service, delivery());
    const { page, close } = await openPage(browserOf(), link.url, {}, (tab) =>
      tab.addInitScript(() => Object.assign(window, { showDirectoryPicker: undefined })),
    );
    await page.getByRole('button', { name: 'Download all as zip' }).waitFor();
    expect(await page.getByRole('button', { name: 'Save into a folder' }).count()).toBe(0);
    await close();
  });

  it(
    'goes through 5,000 files in 300 folders by the keys and by a search, with a few rows in the page',
    inAll('unit/ui/tree, and a smaller package'),
    async () => {
      const { page, complaints, close } = await visitScene('many');
      await page.getByText('5,000 files in 296 folders').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      const rows = page.getByRole('treeitem');
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent);
      await page.getByRole('button', { name: 'Open all folders' }).click();
      await rows.first().focus();
      await page.keyboard.press('End');
      await expect.poll(focused).toMatch(/^plate\.1002\.exr/);
      expect(await rows.count()).toBeLessThan(60);
      await page.keyboard.press('ArrowLeft');
      await expect.poll(focused).toMatch(/^seq_2950 2 files/);
      await page.keyboard.press('ArrowLeft');
      expect(await page.locator(':focus').getAttribute('aria-expanded')).toBe('false');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await expect.poll(focused).toMatch(/^plate\.1001\.exr/);
      // The buttons of the row come next, and then something else.
      await page.keyboard.press('Tab');
      await expect.poll(focused).toBe('Download plates/seq_2950/plate.1001.exr');
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.closest('[role=tree]'))).toBe(null);

      await page.getByRole('searchbox').fill('1012 SEQ_01');
      await page.getByText('Found: 10 files').waitFor();
      await rows.first().focus();
      // Letters are one name where no pause is between them, which a slow machine may make.
      await expect
        .poll(async () => {
          await page.keyboard.press('Home');
          await page.keyboard.type('plate.');
          return await focused();
        })
        .toMatch(/^plate\.1012\.exr/);
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('searchbox').fill('nobody');
      await page.getByText('Nothing is called that.').waitFor();
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('shows pictures, text, sound and film, one after the other, and runs nothing of it', async () => {
    const film = await filmIn(browserOf());
    const { link } = await linkedPackage(service, {
      'a.html': '<script>document.title = "taken over"</script><b>bold</b>',
      'b.png': delivery()['stills/quay.png']!,
      'c.wav': delivery()['A001/audio/T003.wav']!,
      'd.webm': film,
      'e.txt': 'x'.repeat(100_000),
      'f.mov': Buffer.alloc(2_000, 7),
      'g.exr': 'not shown',
    });
    const { page, complaints, close } = await visit(link.url);
    await page.getByRole('treeitem', { name: /^a\.html/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('<script>document.title').waitFor();
    expect(await dialog.locator('b, script').count()).toBe(0);
    await dialog.getByText('1 of 6').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('ArrowRight');
    await dialog.getByRole('img', { name: 'Picture b.png' }).waitFor();
    await expect.poll(() => dialog.locator('img').evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(4);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => dialog.locator('audio').evaluate((one: HTMLAudioElement) => one.duration)).toBe(0.5);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => dialog.locator('video').evaluate((one: HTMLVideoElement) => one.videoWidth)).toBe(64);
    await page.keyboard.press('ArrowRight');
    const note = dialog.getByText('This is its beginning, 65.5 kB. Download it to see all.');
    await note.waitFor();
    await page.setViewportSize(sizes.phone);
    const [above, text] = [await note.boundingBox(), await dialog.getByRole('region', { name: 'Text of e.txt' }).boundingBox()];
    expect(text!.y).toBeGreaterThanOrEqual(above!.y + above!.height);
    expect(proxy.passages.at(-1)?.what).toContain('bytes=0-65535');
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('This browser cannot show this file. Download it to look at it.').waitFor();
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('6 of 6').waitFor();
    await page.keyboard.press('ArrowLeft');
    await dialog.getByText('5 of 6').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.title()).toBe('Download Dailies');
    expect(complaints).toEqual([]);
    await close();
  });

  it(
    'shows a PDF in the browser’s own viewer, and neither what only has the name nor where there is no viewer',
    inAll('pictures, text, sound and film; unit/web/download/page for a PDF'),
    async () => {
      const { link } = await linkedPackage(service, {
        'a report.pdf': emptyPdf,
        'b page.pdf': '<script>top.document.title = "taken over"</script>',
      });
      const withViewer = (shows: boolean) => (tab: Page) =>
        tab.addInitScript((value) => {
          Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', { get: () => value });
        }, shows);
      const { page, complaints, close } = await visit(link.url, {}, withViewer(true));
      await page.getByRole('treeitem', { name: /^a report\.pdf/ }).click();
      const dialog = page.getByRole('dialog');
      const frame = dialog.locator('iframe[title="Document a report.pdf"]');
      await frame.waitFor();
      expect(await frame.getAttribute('src')).toMatch(/^blob:/);
      expect(await lookEverywhere(page, { translate: async () => undefined })).toEqual([]);
      await page.keyboard.press('ArrowRight');
      await dialog.getByText('This browser cannot show this file.').waitFor();
      expect(await dialog.locator('iframe').count()).toBe(0);
      expect(await page.title()).toBe('Download Dailies');
      expect(complaints).toEqual([]);
      await close();

      const without = await visit(link.url, {}, withViewer(false));
      await without.page.getByRole('treeitem', { name: /^a report\.pdf/ }).waitFor();
      expect(await without.page.getByRole('button', { name: /^Look at/ }).count()).toBe(0);
      await without.close();
    },
  );

  it('saves a whole tree with its folders, each byte checked', async () => {
    const contents = { ...delivery(), 'big.bin': randomBytes(12 * MiB), 'nothing.txt': '' };
    const { link } = await linkedPackage(service, contents, {
      package: { name: 'Day 12: all' },
      folders: ['stills/polaroids'],
      chunkSize: 5 * MiB,
    });
    const { page, complaints, close } = await visit(link.url, {}, countWakeLocks);
    await page.getByRole('button', { name: 'Save into a folder' }).click();
    await page.getByText('All saved in “Day 12_ all”').waitFor({ timeout: 45_000 });
    await page.getByText('Every byte was checked').waitFor();
    // The screen was kept awake while bytes moved, and no longer.
    await expect.poll(() => wakeLocksOf(page)).toEqual({ asked: 1, active: 0 });
    expect(await axeFindings(page)).toEqual([]);
    const saved = await savedIn(page, 'Day 12_ all');
    expect(saved).toEqual({ ...digestsOf(contents), 'stills/polaroids/': 'folder' });
    expect(complaints).toEqual([]);

    // What is there already is looked at, not fetched again; what is another file of that name stays.
    const before = gets();
    await page.evaluate(async () => {
      const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('Downloads');
      const file = await (await root.getDirectoryHandle('Day 12_ all')).getFileHandle('nothing.txt');
      const writing = await file.createWritable();
      await writing.write('mine');
      await writing.close();
    });
    await page.reload();
    await page.getByRole('button', { name: 'Save into a folder' }).click();
    await page.getByText('1 file had a name that was taken already').waitFor({ timeout: 45_000 });
    const again = await savedIn(page, 'Day 12_ all');
    expect(again['nothing (2).txt']).toBe(digestsOf({ x: '' })['x']);
    expect(again['nothing.txt']).toBe(digestsOf({ x: 'mine' })['x']);
    expect(gets()).toBe(before);
    await close();
  });

  it(
    'saves what is chosen, and nothing else, with the folders that it lies in',
    inAll('a whole tree; what is chosen as a zip; unit/web/download/save'),
    async () => {
      const contents = delivery();
      const { link } = await linkedPackage(service, contents, { package: { name: 'Some of it' } });
      const { page, complaints, close } = await visit(link.url);
      const box = (name: RegExp) => page.getByRole('treeitem', { name }).locator('.tree-box');
      await page.getByRole('button', { name: 'Save into a folder' }).waitFor();
      await box(/^stills/).click();
      await page.getByRole('treeitem', { name: /^A001 / }).press('ArrowRight');
      await box(/^T003\.wav/).click();
      await page.getByText(/^Chosen: 2 files, /).waitFor();
      const before = gets();
      await page.getByRole('button', { name: 'Save choice into a folder' }).click();
      await page.getByText('All saved in “Some of it”').waitFor({ timeout: 45_000 });
      const wanted = ['stills/quay.png', 'A001/audio/T003.wav'];
      expect(await savedIn(page, 'Some of it')).toEqual(digestsOf(Object.fromEntries(wanted.map((path) => [path, contents[path]!]))));
      expect(gets() - before).toBe(wanted.length);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('goes on over cuts, pauses and reloads, and fetches nothing twice that is on the disk', async () => {
    const contents = { 'a/1.bin': randomBytes(300_000), 'a/2.bin': randomBytes(300_000), 'b.bin': randomBytes(17 * MiB) };
    const { link } = await linkedPackage(service, contents, { chunkSize: 5 * MiB, link: { access_limit: 1 } });
    const { page, complaints, close } = await visit(link.url);
    const from = proxy.passages.length;
    const bytes = proxy.bytes();
    // What is cut is under way.
    proxy.rate = 6_000_000;
    proxy.holdFrom(1);
    await page.getByRole('button', { name: 'Save into a folder' }).click();
    await page.getByRole('progressbar').waitFor();
    await proxy.passed(bytes + 2_000_000);
    proxy.cut();
    proxy.rate = 0;
    // Two small files and the first range of the large one are through, and others on their way.
    await expect.poll(() => proxy.passages.length - from, { timeout: 45_000 }).toBe(3);
    const second = await page.context().newPage();
    await pickPrivateFolder(second);
    await second.goto(link.url);
    await second.getByText('It is being saved in another tab.').waitFor();
    await second.close();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('is paused').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.reload();
    await page.getByText('You have not finished saving').waitFor();
    await page.getByText('2 of 3 files').waitFor();
    proxy.holdFrom(Number.POSITIVE_INFINITY);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('Every byte was checked').waitFor({ timeout: 45_000 });
    expect(await savedIn(page, 'Dailies')).toEqual(digestsOf(contents));
    expect(repeated(proxy.passages.slice(from), 'GET')).toEqual([]);
    // Nothing is left to go on with.
    await page.reload();
    await page.getByRole('button', { name: 'Save into a folder' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('waits while there is no connection, and goes on by itself', inAll('cuts, pauses and reloads; unit/web/download/saver'), async () => {
    const contents = { 'b.bin': randomBytes(4 * MiB) };
    const { link } = await linkedPackage(service, contents);
    const { page, close } = await visit(link.url);
    const { upstream } = proxy;
    // It is not through before the connection is gone.
    proxy.rate = 50_000;
    await page.getByRole('button', { name: 'Save into a folder' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.context().setOffline(true);
    // A page's worker hears that there is no connection, and has one all the same: it must lead nowhere.
    proxy.upstream = 'http://127.0.0.1:9';
    proxy.cut();
    await page.getByText('No connection. It goes on by itself').waitFor({ timeout: 45_000 });
    proxy.rate = 0;
    proxy.upstream = upstream;
    await page.context().setOffline(false);
    await page.getByText('Every byte was checked').waitFor({ timeout: 45_000 });
    await close();
  });

  it('keeps nothing that came wrong, and says which file it was; what has a virus is left out', async () => {
    const made = await linkedPackage(service, { 'good.txt': 'good', 'bad.txt': 'bad', 'ill.txt': 'ill' });
    const { db } = service.service.services;
    const wrong = `blake3:${'0'.repeat(64)}`;
    await db.updateTable('files').set({ digest: wrong }).where('id', '=', made.files.get('bad.txt')!.id).execute();
    await db.updateTable('files').set({ virus_detected: true }).where('id', '=', made.files.get('ill.txt')!.id).execute();
    // The Team blocks it, and so a zip of the whole package.
    await db.updateTable('packages').set({ contains_virus: true }).where('id', '=', made.sender.package.id).execute();
    await db.updateTable('teams').set({ virus_policy: 'block' }).execute();
    const { page, close } = await visit(made.link.url);
    const zip = await downloadBy(page, () => page.getByRole('button', { name: 'Download all as zip' }).click());
    expect(namesIn(await readFile(await zip.path()))).toEqual(['bad.txt', 'good.txt']);
    await page.getByRole('button', { name: 'Save into a folder' }).click();
    await page.getByText('Saved in “Dailies”, but not all of it').waitFor({ timeout: 45_000 });
    await page.getByText('It is damaged in the storage, and was not kept.').waitFor();
    await page.getByText('A virus was found in it, so it was left out').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await savedIn(page, 'Dailies')).toEqual(digestsOf({ 'good.txt': 'good' }));
    // Once its sender has put it right it comes.
    const digest = made.files.get('bad.txt')!.digest!;
    await db.updateTable('files').set({ digest }).where('id', '=', made.files.get('bad.txt')!.id).execute();
    await page.reload();
    await page.getByText('1 of 3 files').waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('1 file could not be saved.').first().waitFor({ timeout: 45_000 });
    expect(await savedIn(page, 'Dailies')).toEqual(digestsOf({ 'good.txt': 'good', 'bad.txt': 'bad' }));
    await close();
  });

  it(
    'says so when the link ends meanwhile',
    inAll('a link that has ended before; unit/web/download/save for what a failure means'),
    async () => {
      const made = await linkedPackage(service, { 'a.bin': randomBytes(2 * MiB), 'b.bin': randomBytes(2 * MiB) });
      const { page, close } = await visit(made.link.url);
      await page.getByRole('button', { name: 'Save into a folder' }).waitFor();
      await service.service.services.db.updateTable('links').set({ disabled_at: new Date() }).where('id', '=', made.link.id).execute();
      await page.getByRole('button', { name: 'Save into a folder' }).click();
      await page.getByText('The link has ended meanwhile.').waitFor({ timeout: 45_000 });
      await close();
    },
  );

  it('moves no row when the parts come that are loaded later', async () => {
    const { link } = await linkedPackage(service, { 'a.txt': 'a', 'b.txt': 'b' });
    const arrives = Promise.withResolvers<void>();
    const { page, close } = await visit(link.url, { viewport: { width: 390, height: 800 } }, (tab) =>
      tab.route(/\/save-part-/, async (route) => {
        await arrives.promise;
        await route.continue();
      }),
    );
    const row = page.getByRole('treeitem', { name: /^b\.txt/ });
    await page.getByText('Other ways to get it').waitFor();
    const before = await row.boundingBox();
    arrives.resolve();
    await page.getByRole('button', { name: 'Save into a folder', disabled: false }).waitFor();
    expect(await row.boundingBox()).toEqual(before);
    await close();
  });

  it('lets a link of one download go on in the tab that has begun', inAll('unit/web/download/page; service/links'), async () => {
    const { link } = await linkedPackage(service, { 'a.txt': 'a', 'b.txt': 'b' }, { link: { access_limit: 1 } });
    const { page, close } = await visit(link.url);
    await downloadBy(page, () => page.getByRole('button', { name: 'Download a.txt' }).click());
    await page.reload();
    await downloadBy(page, () => page.getByRole('button', { name: 'Download b.txt' }).click());
    const other = await visit(link.url);
    await other.page.getByText('This link has been used up').waitFor();
    await other.close();
    await close();
  });

  it('wears the Portal’s colour, speaks the chosen language, and fits in every look', async () => {
    const { page, complaints, close } = await visitScene('dressed', { reducedMotion: 'reduce' });
    const primary = page.getByRole('button', { name: 'Download all as zip' });
    expect(await primary.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe('rgb(122, 46, 143)');
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('button', { name: 'Alles als Zip herunterladen' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
    expect(await axeFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeFindings(page, ['color-contrast'])).toEqual([]);
    for (const direction of ['ltr', 'rtl']) {
      await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), direction);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await axeFindings(page, ['target-size', 'button-name'])).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
    await page.reload();
    await page.getByRole('button', { name: 'Alles als Zip herunterladen' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

/** What lies in a saved package's folder: the SHA-256 of each file by its path; of a folder that is empty, that it is one. */
function savedIn(page: Page, folder: string): Promise<Record<string, string>> {
  return page.evaluate(async (name) => {
    const found: Record<string, string> = {};
    const look = async (handle: FileSystemDirectoryHandle, path: string): Promise<void> => {
      let empty = true;
      for await (const child of handle.values()) {
        empty = false;
        if (child.kind === 'directory') await look(child as FileSystemDirectoryHandle, `${path}${child.name}/`);
        else {
          const bytes = await (await (child as FileSystemFileHandle).getFile()).arrayBuffer();
          const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
          found[path + child.name] = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
        }
      }
      if (empty) found[path] = 'folder';
    };
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('Downloads');
    await look(await root.getDirectoryHandle(name), '');
    return found;
  }, folder);
}

const digestsOf = (contents: Readonly<Record<string, Uint8Array | string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(contents).map(([path, content]) => [path, createHash('sha256').update(content).digest('hex')]));

/** A short film as this browser records one: 64 pixels wide. */
async function filmIn(browser: Browser): Promise<Buffer> {
  const { page, close } = await openPage(browser, 'about:blank');
  const bytes = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 });
    const context = canvas.getContext('2d')!;
    const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: 'video/webm' });
    const pieces: Blob[] = [];
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    const stopped = new Promise((resolve) => {
      recorder.onstop = resolve;
    });
    recorder.start();
    for (let frame = 0; frame < 5; frame++) {
      context.fillRect(0, 0, 64, frame * 10);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    recorder.stop();
    await stopped;
    return [...new Uint8Array(await new Blob(pieces).arrayBuffer())];
  });
  await close();
  return Buffer.from(bytes);
}

/** The names of a zip's entries, without folders, from its central directory. */
function namesIn(zip: Buffer): string[] {
  const names: string[] = [];
  for (let at = zip.readUInt32LE(zip.length - 6); zip.readUInt32LE(at) === 0x02014b50; ) {
    const [name, extra, comment] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)];
    names.push(zip.toString('utf8', at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
  return names.filter((one) => !one.endsWith('/'));
}
