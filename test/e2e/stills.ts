import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { docsPage, docsStyle } from '#protocol/docs.ts';
import { hostedRoutes } from '#protocol/hosted/routes.ts';
import { launchChromium } from '#test/support/browser/chromium.ts';
import { mails } from './mails.ts';

/**
 * Makes a picture of every mail (360 and 800 px) and of the API's reference (360 and 1,400 px), light and dark, into a
 * temporary folder that it prints. They can be named: `node test/e2e/stills.ts receipt docs`. With `docs:createPortal` the
 * picture is of that endpoint, all of it open.
 */
const wanted = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'longshore-stills-'));
const browser = await launchChromium();

async function picture(name: string, html: string, widths: readonly number[], prepare?: (page: Page) => Promise<string | null>) {
  for (const width of widths) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, locale: 'en-GB' });
      await page.setContent(html);
      const part = await prepare?.(page);
      const path = join(folder, `${name.replace(':', '-')}-${width}-${colorScheme}.png`);
      if (part) await page.locator(part).screenshot({ path });
      else await page.screenshot({ path, fullPage: name !== 'docs' });
      await page.close();
    }
  }
}

try {
  for (const [name, html] of Object.entries(mails)) {
    if (wanted.length === 0 || wanted.includes(name)) await picture(name, html, [360, 800]);
  }
  const info = {
    title: 'Longshore',
    version: '0.1.0',
    description: 'The API of a Longshore service: packages, files, links, Portals and what belongs to them.',
    serverUrl: 'https://share.example.com',
    idempotencyKeys: true,
  };
  const docs = docsPage(hostedRoutes, info).replace(/<link rel="stylesheet"[^>]*>/, `<style>${docsStyle}</style>`);
  for (const name of wanted.length === 0 ? ['docs'] : wanted.filter((one) => one.startsWith('docs'))) {
    const endpoint = name.split(':')[1];
    await picture(name, docs, [360, 1_400], async (page) => {
      if (!endpoint) return null;
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      return `#${endpoint}`;
    });
  }
} finally {
  await browser.close();
}
console.error(folder);
