import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError, type ErrorName } from '#protocol/errors.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import { axeFindings } from '#test/support/axe.ts';
import { findChromium, launchChromium, noChromium } from '#test/support/chromium.ts';
import { type BuiltPages, buildPages } from '#test/support/pages.ts';
import { sendFile } from '#test/support/static-files.ts';

const title = findChromium() ? 'the download page' : `the download page (${noChromium})`;

const link: LinkInfo = {
  id: '01JD',
  name: 'VFX plates, sequence 040 to 120, graded and ungraded, with reference stills',
  expiry: '2026-12-01T12:00:00.000Z',
  package_id: 'p1',
  package_size: 118_400_000_000,
  package_token: 'read-token',
  recipient_email: 'post@example.com',
  sender_email: 'mia@harbour.example',
  branding: { primary_color: '' },
};
const fileAt = (index: number): File => ({
  id: `f${index}`,
  kind: 'file',
  name: `A001C${String(index).padStart(3, '0')}.mov`,
  path: index === 0 ? '' : 'camera-a/a-rather-long-folder-name-as-they-come-from-the-set/reel-1',
  size: 734_003_200 * (index + 1),
  last_modified: '2026-11-20T18:04:11.000Z',
  virus_detected: false,
});

/** The states that a real service takes long to come to; how the page and the real service work together is in crossing.test.ts. */
describe.skipIf(!findChromium())(title, () => {
  let web: BuiltPages;
  let server: Server;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    web = await buildPages('web');
    server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://x');
      if (!(await sendFile(response, web.folder, pathname.startsWith('/d/') ? 'index.html' : pathname))) response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    await web?.remove();
  });

  /** Opens the page with the API's answers as given: an error for opening, or the files. */
  async function open(answer: ErrorName | readonly File[], look: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-GB', ...look });
    const page = await context.newPage();
    await page.route('**/v1/**', (route) => {
      if (typeof answer === 'string') {
        const { status, body } = new ApiError(answer, { seconds: 30 });
        return route.fulfill({ status, json: body });
      }
      return route.fulfill({ json: route.request().url().includes('/links/') ? link : answer });
    });
    await page.goto(`${origin}/d/01JD?secret=s3cret`);
    return page;
  }

  it.each([
    ['link_expired', 'This link has expired'],
    ['package_expired', 'These files are no longer kept'],
    ['link_inactive', 'This link has been disabled'],
    ['link_used_up', 'This link has been used up'],
    ['rate_limited', 'Too many tries'],
    ['unavailable', 'This did not work'],
  ] as const)('says %s in words', async (error, words) => {
    const page = await open(error);
    await page.getByRole('alert').getByRole('heading', { name: words }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });

  it('shows what is in the package, from whom and until when', async () => {
    const page = await open([fileAt(0), fileAt(1), { ...fileAt(2), kind: 'directory', size: 0 }]);
    await page.getByText('from mia@harbour.example').waitFor();
    await page.getByText('2 files, 118 GB').waitFor();
    await page.getByText('Available until 1 December 2026').waitFor();
    expect(await page.getByRole('button', { name: /^Download / }).count()).toBe(2);
    await page.context().close();
  });

  it('never tells the storage where the visitor came from', async () => {
    const page = await open([fileAt(0)]);
    let referrer: string | undefined = 'not asked';
    await page.route('**/download', (route) => route.fulfill({ json: { method: 'GET', url: `${origin}/stored?signature=1` } }));
    await page.route('**/stored?*', (route) => {
      referrer = route.request().headers()['referer'];
      return route.fulfill({ body: 'bytes', headers: { 'content-disposition': 'attachment; filename="a.mov"' } });
    });
    await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /^Download / }).click()]);
    expect(referrer).toBeUndefined();
    await page.getByRole('heading', { name: link.name }).waitFor();
    await page.context().close();
  });

  it('shows thousands of files in steps', async () => {
    const page = await open(Array.from({ length: 1_200 }, (_, index) => fileAt(index)));
    await page.getByText('1,200 files').waitFor();
    await page.getByRole('button', { name: 'Show 500 more of 700' }).click();
    await page.getByRole('button', { name: 'Show 200 more of 200' }).click();
    expect(await page.locator('.package-files > li').count()).toBe(1_200);
    await page.context().close();
  });

  it('is accessible and fits in light and dark, wide and narrow', async () => {
    const page = await open([fileAt(0), fileAt(1), { ...fileAt(2), kind: 'zip_windows', name: 'all.zip' }], { reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Download all as zip' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeFindings(page, ['color-contrast'])).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await axeFindings(page, ['target-size', 'button-name'])).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.context().close();
  });
});
