import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPages } from '#test/support/browser/built-pages.ts';
import { launchChromium, openPage } from '#test/support/browser/chromium.ts';
import { FakeAgent } from '#test/support/browser/fake-agent.ts';
import { scenes } from './scenes.ts';
import { stateScenes } from './state-scenes.ts';

/**
 * Makes a picture of every scene, wide and narrow, light and dark, into a temporary folder that it prints.
 * Scenes can be named: `node test/e2e/screenshots.ts busy send`.
 */
const wanted = process.argv.slice(2);
const looks = [
  { name: 'wide', options: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' } },
  { name: 'dark', options: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' } },
  { name: 'narrow', options: { viewport: { width: 390, height: 844 }, colorScheme: 'light' } },
  { name: 'narrow-dark', options: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } },
] as const;

const folder = await mkdtemp(join(tmpdir(), 'longshore-screenshots-'));
const pages = await buildPages('renderer');
const browser = await launchChromium();
try {
  for (const scene of [...scenes, ...stateScenes]) {
    if (wanted.length > 0 && !wanted.includes(scene.name)) continue;
    for (const look of looks) {
      const agent = new FakeAgent({ gui: pages.folder, ...scene.agent });
      scene.prepare?.(agent);
      await agent.start();
      const { page, complaints, close } = await openPage(browser, agent.url, look.options);
      await scene.act?.(page, agent);
      await page.getByText(scene.shows).first().waitFor();
      await page.screenshot({
        path: join(folder, `${scene.name}-${look.name}.png`),
        fullPage: look.name.startsWith('narrow'),
        animations: 'disabled',
      });
      for (const complaint of complaints) console.error(`${scene.name}, ${look.name}: ${complaint}`);
      await close();
      await agent.stop();
    }
  }
} finally {
  await browser.close();
}
console.error(folder);
