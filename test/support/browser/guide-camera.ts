import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** The folder of the guide's pictures, where a run is to take them (test/pictures.ts). */
const { LONGSHORE_PICTURES: album } = process.env;

/** Takes a picture for docs/guide.md, in light colours, 1,200 px wide; in a usual run it takes none. */
export async function takePicture(page: Page, name: string, height = 780): Promise<void> {
  if (album === undefined) return;
  mkdirSync(album, { recursive: true });
  const before = page.viewportSize();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 1_200, height });
  await page.evaluate(() => window.scrollTo(0, 0));
  // A message about what the page shows by now would only cover it.
  await page.mouse.move(0, 0);
  await page.locator('.toast').waitFor({ state: 'detached' });
  await page.screenshot({ path: join(album, `${name}.png`) });
  if (before) await page.setViewportSize(before);
}
