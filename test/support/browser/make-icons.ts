import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { icnsOf, icoOf, type Picture } from './icon-containers.ts';

/**
 * Paints resources/icon.svg and resources/tray.svg in every size and file that a platform asks for, with headless
 * Chromium: `node test/support/browser/make-icons.ts`. Run it after changing a drawing, and commit what it makes.
 */
const resources = new URL('../../../resources/', import.meta.url);
const resourcePath = (name: string): string => fileURLToPath(new URL(name, resources));

async function paint(browser: Browser, drawing: string, side: number): Promise<Picture> {
  const page = await browser.newPage({ viewport: { width: side, height: side } });
  try {
    const style = 'html,body{margin:0;background:transparent}svg{display:block;width:100vw;height:100vh}';
    await page.setContent(`<style>${style}</style>${drawing}`);
    return { side, png: await page.screenshot({ omitBackground: true }) };
  } finally {
    await page.close();
  }
}

const browser = await launchChromium();
try {
  await mkdir(resourcePath('icons'), { recursive: true });
  const icon = await readFile(resourcePath('icon.svg'), 'utf8');
  const sizes = new Map<number, Picture>();
  for (const side of [16, 24, 32, 48, 64, 128, 256, 512, 1024]) sizes.set(side, await paint(browser, icon, side));
  const of = (sides: readonly number[]): Picture[] => sides.map((side) => sizes.get(side)!);
  // Linux reads the sizes from the names.
  for (const { side, png } of of([16, 24, 32, 48, 64, 128, 256, 512])) await writeFile(resourcePath(`icons/${side}x${side}.png`), png);
  await writeFile(resourcePath('icon.png'), sizes.get(512)!.png);
  await writeFile(resourcePath('icons/icon.ico'), icoOf(of([16, 24, 32, 48, 64, 128, 256])));
  await writeFile(resourcePath('icons/icon.icns'), icnsOf(of([16, 32, 64, 128, 256, 512, 1024])));
  // Trays: the icon itself, but on macOS a black drawing that the menu bar colours.
  const tray = await readFile(resourcePath('tray.svg'), 'utf8');
  const drawings = [
    ['tray', icon],
    ['trayTemplate', tray],
  ] as const;
  for (const [name, drawing] of drawings) {
    const side = name === 'tray' ? 32 : 16;
    await writeFile(resourcePath(`icons/${name}.png`), (await paint(browser, drawing, side)).png);
    await writeFile(resourcePath(`icons/${name}@2x.png`), (await paint(browser, drawing, 2 * side)).png);
  }
} finally {
  await browser.close();
}
