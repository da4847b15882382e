import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openPage } from '#test/support/browser/chromium.ts';
import type { PagesService } from './service.ts';

/** What a person does on the upload page. */

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** In a fresh profile, as somebody whose browser has no pickers that give handles: those cannot be worked by a program. */
export async function visit(browser: Browser, { url, subdomain }: PagesService): Promise<Visit> {
  const { page, close } = await openPage(browser, 'about:blank');
  page.setDefaultTimeout(30 * 60_000);
  await page.addInitScript(() => Object.assign(window, { showOpenFilePicker: undefined, showDirectoryPicker: undefined }));
  await page.goto(`${url}/p/${subdomain}`);
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  return { page, context: page.context(), close };
}

export async function choose(page: Page, kind: 'files' | 'folder', path: string): Promise<void> {
  await page.locator(`input[data-kind=${kind}]`).setInputFiles(path);
  await page.locator('.chosen').waitFor();
  await page.getByLabel('Your e-mail address').fill('mia@harbour.example');
  await page.getByLabel('Name of the package').fill('Bench');
}

/** Seconds from the click on `Send` to the receipt. */
export async function send(page: Page): Promise<number> {
  const started = performance.now();
  await page.getByRole('button', { name: /^Send\b/ }).click();
  await page.getByRole('heading', { name: 'All sent' }).waitFor();
  return (performance.now() - started) / 1_000;
}
