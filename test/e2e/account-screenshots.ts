import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPages } from '#test/support/browser/built-pages.ts';
import { launchChromium, openPage } from '#test/support/browser/chromium.ts';
import { startTestService } from '#test/support/service/start-service.ts';
import { accountScenes } from './account-scenes.ts';

/**
 * Makes a picture of every scene of the pages of invitations and forgotten passwords: wide and light in English, narrow
 * and dark in German, into a temporary folder that it prints. Scenes can be named: `node test/e2e/account-screenshots.ts forgotten`.
 */
const wanted = process.argv.slice(2);
const looks = [
  { language: 'en', options: { viewport: { width: 1280, height: 900 }, colorScheme: 'light', locale: 'en-GB' } },
  { language: 'de', options: { viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'de-DE' } },
] as const;

const pictures = await mkdtemp(join(tmpdir(), 'longshore-account-screenshots-'));
const pages = await buildPages('web');
const service = await startTestService({
  webDir: pages.folder,
  limits: { signInsPerAddress: 10_000, passwordResetsPerAddress: 10_000 },
});
const browser = await launchChromium();
try {
  for (const scene of accountScenes) {
    if (wanted.length > 0 && !wanted.includes(scene.name)) continue;
    for (const { language, options } of looks) {
      const { page, complaints, close } = await openPage(browser, service.url + (await scene.open(service)), options);
      await page.locator('h1').waitFor();
      await scene.act?.(page);
      await page.getByText(scene.shows[language]).first().waitFor();
      await page.screenshot({ path: join(pictures, `${scene.name}-${language}.png`), fullPage: true, animations: 'disabled' });
      for (const complaint of complaints) console.error(`${scene.name}, ${language}: ${complaint}`);
      await close();
    }
  }
} finally {
  await browser.close();
  await service.close();
}
console.error(pictures);
