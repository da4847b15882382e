import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings } from '#test/support/axe.ts';
import { findChromium, launchChromium, noChromium } from '#test/support/chromium.ts';
import { type BuiltPages, buildPages } from '#test/support/pages.ts';
import { arrived, chooseFiles, chooseFolder, fillDetails, received, visitPortal } from '#test/support/portal-visitor.ts';
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

  const visit = (subdomain: string, options: Parameters<typeof visitPortal>[3] = {}) => visitPortal(browser, service, subdomain, options);

  it('sends a folder and an empty file, and gives a receipt', async () => {
    const portal = await newPortal(service, { name: 'Northlight dailies', message: 'Please send everything of the day.' });
    const { page, complaints, hosts, close } = await visit(portal.subdomain);
    await page.getByRole('heading', { name: 'Northlight dailies' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await chooseFolder(page, join(folder.path, 'A001'));
    await chooseFiles(page, join(folder.path, 'empty.txt'));
    await page.getByText('3 files, 3 MB', { exact: true }).waitFor();
    await fillDetails(page);
    await page.getByLabel('Message').fill('A and B camera');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send 3 files, 3 MB' }).click();
    await arrived(page);
    expect(await axeFindings(page)).toEqual([]);
    const { package: made, files } = await received(service, portal.id);
    expect(made).toMatchObject({
      name: 'Day 12',
      description: 'A and B camera',
      sender: 'mia@harbour.example',
      state: 'finalized',
      total_files: 3,
    });
    expect([...files.keys()].sort()).toEqual(['A001/A001C001.mov', 'A001/audio/notes.txt', 'empty.txt']);
    expect(files.get('A001/A001C001.mov')?.size).toBe(3_000_000);
    expect(complaints).toEqual([]);
    // Nobody else hears of a visitor.
    expect([...hosts].filter(Boolean).sort()).toEqual([new URL(service.url).host, new URL(service.storageUrl).host].sort());
    await close();
  });
});
