import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPages } from '#test/support/browser/built-pages.ts';
import { launchChromium, openPage } from '#test/support/browser/chromium.ts';
import { startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { startTestService } from '#test/support/service/start-service.ts';
import { downloadScenes, pickPrivateFolder } from './download-scenes.ts';

/**
 * Makes a picture of every scene of the download page, wide, narrow and dark, into a temporary folder that it prints.
 * Scenes can be named: `node test/e2e/download-screenshots.ts package saving`.
 */
const wanted = process.argv.slice(2);
const looks = [
  { name: 'wide', options: { viewport: { width: 1200, height: 900 }, colorScheme: 'light' } },
  { name: 'dark', options: { viewport: { width: 1200, height: 900 }, colorScheme: 'dark' } },
  { name: 'narrow', options: { viewport: { width: 390, height: 844 }, colorScheme: 'light' } },
] as const;

const pictures = await mkdtemp(join(tmpdir(), 'longshore-download-screenshots-'));
const pages = await buildPages('web');
const proxy = await startStorageProxy();
const service = await startTestService({ webDir: pages.folder, storagePublicUrl: proxy.url });
proxy.upstream = service.storageUrl;
const browser = await launchChromium();
try {
  for (const scene of downloadScenes) {
    if (wanted.length > 0 && !wanted.includes(scene.name)) continue;
    for (const look of looks) {
      const { link } = await scene.make(service);
      const locale = scene.german ? 'de-DE' : 'en-GB';
      const { page, complaints, close } = await openPage(browser, 'about:blank', { ...look.options, locale });
      await pickPrivateFolder(page);
      await page.goto(scene.address?.(link.url) ?? link.url);
      await page.locator('h1').first().waitFor();
      if (scene.rightToLeft) await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
      await scene.act?.({
        page,
        setRate: (rate) => {
          proxy.rate = rate;
        },
      });
      await page.getByText(scene.shows).first().waitFor();
      await page.screenshot({ path: join(pictures, `${scene.name}-${look.name}.png`), fullPage: true, animations: 'disabled' });
      for (const complaint of complaints) console.error(`${scene.name}, ${look.name}: ${complaint}`);
      proxy.rate = 0;
      await close();
    }
  }
} finally {
  await browser.close();
  await service.close();
  await proxy.close();
}
console.error(pictures);
