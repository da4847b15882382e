import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { axeFindings } from '#test/support/axe.ts';
import { findChromium, launchChromium, noChromium, openPage } from '#test/support/chromium.ts';
import { type BuiltPages, buildPages } from '#test/support/pages.ts';
import { newPortal } from '#test/support/portals.ts';
import { startTestService, type TestService } from '#test/support/service.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const title = findChromium() ? 'the upload page' : `the upload page (${noChromium})`;

/** A real service, a real browser, and a person who was given an address. */
describe.skipIf(!findChromium())(title, () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let web: BuiltPages;
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    folder = await tempFolder();
    web = await buildPages('web');
    service = await startTestService({ webDir: web.folder });
    browser = await launchChromium();
    await mkdir(join(folder.path, 'A001/audio'), { recursive: true });
    await writeFile(join(folder.path, 'A001/A001C001.mov'), randomBytes(3_000_000));
    await writeFile(join(folder.path, 'A001/audio/notes.txt'), 'Wind on take 3.\n');
    await writeFile(join(folder.path, 'empty.txt'), '');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await web?.remove();
    await folder?.remove();
  });

  /** Opens a Portal's page as somebody whose browser has no pickers that give handles. */
  async function visit(subdomain: string, options: Parameters<typeof openPage>[2] = {}) {
    const visitor = await openPage(browser, 'about:blank', options);
    await visitor.page.addInitScript(() => {
      Object.assign(window, { showOpenFilePicker: undefined, showDirectoryPicker: undefined });
    });
    await visitor.page.goto(`${service.url}/p/${subdomain}`);
    return visitor;
  }

  /** The files of the only package of a Portal, by their paths. */
  async function received(portalId: string): Promise<{ package: Package; files: Map<string, File> }> {
    const list = await service.call<{ records: Package[] }>('GET', `/v1.1/portals/${portalId}/packages`, {
      headers: { 'x-api-key': service.apiKey },
    });
    expect(list.body.records).toHaveLength(1);
    const one = list.body.records[0]!;
    const token = await service.service.services.tokens.sign('package', {
      packageId: one.id,
      variant: 'manage',
      tokenId: one.id,
      linkId: null,
      userId: service.userId,
    });
    const files = await service.call<File[]>('GET', `/v1/packages/${one.id}/files`, { headers: { 'x-package-token': token } });
    return { package: one, files: new Map(files.body.map((file) => [file.path ? `${file.path}/${file.name}` : file.name, file])) };
  }

  it('sends a folder and an empty file, and gives a receipt', async () => {
    const portal = await newPortal(service, { name: 'Northlight dailies', message: 'Please send everything of the day.' });
    const { page, complaints, hosts, close } = await visit(portal.subdomain);
    await page.getByRole('heading', { name: 'Northlight dailies' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.locator('input[data-kind=folder]').setInputFiles(join(folder.path, 'A001'));
    await page.locator('input[data-kind=files]').setInputFiles(join(folder.path, 'empty.txt'));
    await page.getByText('3 files, 3 MB', { exact: true }).waitFor();
    await page.getByLabel('Your e-mail address').fill('mia@harbour.example');
    await page.getByLabel('Name of the package').fill('Day 12');
    await page.getByLabel('Message').fill('A and B camera');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send 3 files, 3 MB' }).click();
    await page.getByRole('heading', { name: 'All sent' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const { package: made, files } = await received(portal.id);
    expect(made).toMatchObject({
      name: 'Day 12',
      description: 'A and B camera',
      sender: 'mia@harbour.example',
      state: 'finalized',
      total_files: 3,
    });
    expect([...files.keys()].filter((path) => !path.endsWith('.zip')).sort()).toEqual([
      'A001/A001C001.mov',
      'A001/audio/notes.txt',
      'empty.txt',
    ]);
    expect(files.get('A001/A001C001.mov')?.size).toBe(3_000_000);
    expect(complaints).toEqual([]);
    expect([...hosts].filter(Boolean).sort()).toEqual([new URL(service.url).host, new URL(service.storageUrl).host].sort());
    await close();
  });
});
