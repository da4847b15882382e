import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPages } from '#test/support/browser/built-pages.ts';
import { launchChromium, openPage } from '#test/support/browser/chromium.ts';
import { startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { askForm, newPortal } from '#test/support/service/portals.ts';
import { startTestService } from '#test/support/service/start-service.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { portalScenes } from './portal-scenes.ts';

/**
 * Makes a picture of every scene of the upload page, wide and narrow, light and dark, into a temporary folder that it prints.
 * Scenes can be named: `node test/e2e/portal-screenshots.ts form sending`.
 */
const wanted = process.argv.slice(2);
const looks = [
  { name: 'wide', options: { viewport: { width: 1200, height: 900 }, colorScheme: 'light' } },
  { name: 'dark', options: { viewport: { width: 1200, height: 900 }, colorScheme: 'dark' } },
  { name: 'narrow', options: { viewport: { width: 390, height: 844 }, colorScheme: 'light' } },
  { name: 'narrow-dark', options: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } },
] as const;

const pictures = await mkdtemp(join(tmpdir(), 'longshore-portal-screenshots-'));
const files = await tempFolder();
const material = join(files.path, 'A001');
await mkdir(join(material, 'audio'), { recursive: true });
for (const [name, bytes] of [
  ['A001C001_261120_R2K1.mov', 1_800_000],
  ['A001C002_261120_R2K1.mov', 900_000],
  ['audio/T003.wav', 500_000],
  ['notes.txt', 80],
] as const) {
  await writeFile(join(material, name), randomBytes(bytes));
}
const pages = await buildPages('web');
const proxy = await startStorageProxy();
const service = await startTestService({ webDir: pages.folder, storagePublicUrl: proxy.url });
proxy.upstream = service.storageUrl;
const browser = await launchChromium();
try {
  for (const scene of portalScenes) {
    if (wanted.length > 0 && !wanted.includes(scene.name)) continue;
    const portal = await newPortal(service, scene.portal);
    if (scene.form) await askForm(service, portal.id, { fields: scene.form });
    for (const look of looks) {
      const locale = scene.german ? 'de-DE' : 'en-GB';
      const { page, complaints, close } = await openPage(browser, 'about:blank', { ...look.options, locale });
      await page.addInitScript(() => Object.assign(window, { showOpenFilePicker: undefined, showDirectoryPicker: undefined }));
      await page.goto(`${service.url}/p/${portal.subdomain}`);
      await page.locator('h1, h2').first().waitFor();
      await scene.act?.({
        page,
        folder: material,
        setRate: (rate) => {
          proxy.rate = rate;
        },
        setRoom: (bytes) => {
          proxy.room = bytes;
        },
      });
      await page.getByText(scene.shows).first().waitFor();
      await page.screenshot({ path: join(pictures, `${scene.name}-${look.name}.png`), fullPage: true, animations: 'disabled' });
      for (const complaint of complaints) console.error(`${scene.name}, ${look.name}: ${complaint}`);
      await close();
      proxy.rate = 0;
      proxy.room = Number.POSITIVE_INFINITY;
    }
  }
} finally {
  await browser.close();
  await service.close();
  await proxy.close();
  await files.remove();
}
console.error(pictures);
