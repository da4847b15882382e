import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { launchChromium } from './chromium.ts';

/** Paints resources/icon.svg as resources/icon.png, 512 pixels square, with headless Chromium. Run it after changing the drawing. */
const svg = fileURLToPath(new URL('../../resources/icon.svg', import.meta.url));
const png = fileURLToPath(new URL('../../resources/icon.png', import.meta.url));
const browser = await launchChromium();
try {
  const page = await browser.newPage({ viewport: { width: 512, height: 512 } });
  await page.setContent(`<style>html,body{margin:0;background:transparent}svg{display:block}</style>${await readFile(svg, 'utf8')}`);
  await page.screenshot({ path: png, omitBackground: true });
} finally {
  await browser.close();
}
