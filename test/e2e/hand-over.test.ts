import { randomBytes } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { lookEverywhere } from '#test/support/browser/looks.ts';
import { arrived, chooseFolder, fillDetails, received, send, visitPortal } from '#test/support/browser/portal-visitor.ts';
import { type AgentProcess, startAgentProcess } from '#test/support/engine/agent-process.ts';
import { repeated, type StorageProxy, startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { inAll } from '#test/support/level.ts';
import { linkedPackage } from '#test/support/service/download-link.ts';
import { newPortal } from '#test/support/service/portals.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A real service, browser and agent, with a wire before the storage that can be slow. */
describeInBrowser('a transfer that begins in the browser', (browserOf) => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let proxy: StorageProxy;
  let service: TestService;
  let agent: AgentProcess;
  const clip = randomBytes(36_000_000);
  const sound = randomBytes(20_000);
  const startAgent = () => startAgentProcess({ dataDir: join(folder.path, 'agent'), serviceUrl: service.url });

  beforeAll(async () => {
    folder = await tempFolder();
    proxy = await startStorageProxy();
    service = await startConsole({ storagePublicUrl: proxy.url });
    proxy.upstream = service.storageUrl;
    agent = await startAgent();
    await mkdir(join(folder.path, 'A001/audio'), { recursive: true });
    await writeFile(join(folder.path, 'A001/A001C001.mov'), clip);
    await writeFile(join(folder.path, 'A001/audio/T001.wav'), sound);
  });
  afterEach(() => {
    proxy.letPass(Number.POSITIVE_INFINITY);
  });
  afterAll(async () => {
    await agent?.stop();
    await service?.close();
    await proxy?.close();
    await folder?.remove();
  });

  const puts = (from: number): number => proxy.passages.slice(from).filter(({ method }) => method === 'PUT').length;

  /** Sends until the sound and a chunk of the clip are there, and keeps the others from the storage. */
  async function beginSending(page: Page): Promise<number> {
    const from = proxy.passages.length;
    await chooseFolder(page, join(folder.path, 'A001'));
    await fillDetails(page);
    proxy.letPass(1);
    await send(page);
    await page.getByText('1 of 2 files').waitFor();
    await expect.poll(() => puts(from), { timeout: 30_000 }).toBe(2);
    return from;
  }

  /** In all looks, and again in English after it. */
  async function looksGood(page: Page): Promise<void> {
    const translate = () => page.getByLabel('Language').selectOption('Deutsch');
    expect(await lookEverywhere(page, { translate })).toEqual([]);
    await page.getByLabel('Sprache').selectOption('English');
  }

  async function linkOf(page: Page): Promise<string> {
    await page.getByRole('button', { name: 'Continue in the app' }).click();
    await page.getByRole('heading', { name: '“Day 12” waits for the app' }).waitFor();
    const command = await page.getByLabel('Command for the app').inputValue();
    return /"(.*)"/.exec(command)![1]!;
  }

  it('goes on in the app, through a kill of its process, and sends no confirmed chunk twice', async () => {
    const portal = await newPortal(service);
    const { page, complaints, close } = await visitPortal(browserOf(), service, portal.subdomain);
    const from = await beginSending(page);
    const link = await linkOf(page);
    await looksGood(page);
    // The page stands still.
    const before = proxy.passages.length;
    // What it had under way, it has given up.
    proxy.cut();
    proxy.letPass(1);
    const paths = [join(folder.path, 'A001')];
    const { id } = await agent.post('/handovers', { link, paths });
    await page.getByRole('heading', { name: '“Day 12” is handed over to the app' }).waitFor();
    // Chunks of the clip count, though it is not whole.
    await page.getByText(/^(1[2-9]|2\d)[.\d]* MB of 36 MB$/).waitFor();
    await looksGood(page);
    // One chunk more is there, and the last is under way.
    await expect.poll(() => puts(before), { timeout: 30_000 }).toBe(1);
    await agent.kill();
    proxy.letPass(Number.POSITIVE_INFINITY);
    agent = await startAgent();
    const done = await agent.when(id, ({ state }: AgentTransfer) => state === 'complete' || state === 'error');
    expect(done).toMatchObject({ state: 'complete', files: 2, portal: { id: portal.id } });
    expect(repeated(proxy.passages.slice(from), 'PUT')).toEqual([]);
    await page.getByText('The app has sent “Day 12”').waitFor();
    await looksGood(page);
    const { read, files } = await received(service, portal.id);
    expect([...files.keys()].sort()).toEqual(['A001/A001C001.mov', 'A001/audio/T001.wav']);
    expect((await read('A001/A001C001.mov')).equals(clip)).toBe(true);
    await page.reload();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await page.getByText('You have not finished sending').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it('goes on in the page where nobody has taken it, and its code is worth nothing any more', inAll('service/handovers'), async () => {
    const portal = await newPortal(service);
    const { page, complaints, close } = await visitPortal(browserOf(), service, portal.subdomain);
    const from = await beginSending(page);
    const link = await linkOf(page);
    proxy.letPass(Number.POSITIVE_INFINITY);
    await page.getByRole('button', { name: 'Go on here instead' }).click();
    await arrived(page);
    expect(repeated(proxy.passages.slice(from), 'PUT')).toEqual([]);
    await expect(agent.post('/handovers', { link, paths: [join(folder.path, 'A001')] })).rejects.toThrow('409');
    expect(complaints).toEqual([]);
    await close();
  });

  it('a file that has changed meanwhile is told, and not sent', inAll('engine-handovers'), async () => {
    const portal = await newPortal(service);
    const { page, close } = await visitPortal(browserOf(), service, portal.subdomain);
    await beginSending(page);
    const link = await linkOf(page);
    const path = join(folder.path, 'A001/A001C001.mov');
    const other = new Date(1_700_000_000_000);
    await utimes(path, other, other);
    const body = { link, paths: [join(folder.path, 'A001')] };
    expect(await agent.call('POST', '/handovers/match', body)).toMatchObject({
      found: 0,
      changed: 1,
      sent: 1,
      others: [{ path: 'A001/A001C001.mov', state: 'changed' }],
    });
    await expect(agent.post('/handovers', body)).rejects.toThrow('400');
    await page.getByRole('heading', { name: '“Day 12” waits for the app' }).waitFor();
    await close();
  });

  it('goes on in the app from the console, where the package is then seen', inAll('the same from an upload page'), async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/send`);
    await page.addInitScript(() => Object.assign(window, { showOpenFilePicker: undefined, showDirectoryPicker: undefined }));
    await page.reload();
    const from = proxy.passages.length;
    await chooseFolder(page, join(folder.path, 'A001'));
    await page.getByLabel('Name of the package').fill('Day 12');
    proxy.letPass(1);
    await send(page);
    await expect.poll(() => puts(from), { timeout: 30_000 }).toBeGreaterThan(0);
    const link = await linkOf(page);
    await expectGoodLooks(page, { en: 'waits for the app', de: 'wartet auf die App' });
    proxy.cut();
    proxy.letPass(Number.POSITIVE_INFINITY);
    const { id } = await agent.post('/handovers', { link, paths: [join(folder.path, 'A001')] });
    expect(await agent.when(id, ({ state }) => state === 'complete' || state === 'error')).toMatchObject({ state: 'complete', files: 2 });
    await page.getByText('The app has sent “Day 12”').waitFor();
    await expectGoodLooks(page, { en: 'The app has sent', de: 'Die App hat' });
    expect(repeated(proxy.passages.slice(from), 'PUT')).toEqual([]);
    await page.getByRole('link', { name: 'Packages' }).click();
    await page.getByRole('link', { name: 'Day 12' }).first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('a download goes on in the app with the chosen files', inAll('integration/engine-handovers'), async () => {
    const linked = await linkedPackage(service, { 'a.txt': 'a', 'b.txt': 'b' });
    const { page, complaints, close } = await openPage(browserOf(), linked.link.url, {}, async () => undefined);
    await page
      .getByRole('treeitem', { name: /b\.txt/ })
      .locator('.tree-box')
      .click();
    await page.getByRole('button', { name: 'Make a link for the app' }).click();
    const command = await page.getByLabel('Command for the app').inputValue();
    await looksGood(page);
    const link = /"(.*)"/.exec(command)![1]!;
    const { id } = await agent.post('/handovers', { link, dst_folder: join(folder.path, 'incoming') });
    await page.getByText('The app has taken over.').waitFor();
    expect(await agent.when(id, ({ state }) => state === 'complete' || state === 'error')).toMatchObject({ state: 'complete', files: 1 });
    expect(await readdir(join(folder.path, 'incoming'))).toEqual(['b.txt']);
    expect(complaints).toEqual([]);
    await close();
  });
});
