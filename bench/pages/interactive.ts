import type { Browser } from 'playwright-core';
import { openPage } from '#test/support/browser/chromium.ts';
import type { PagesService } from './service.ts';

/** Lighthouse's slow 4G: round trips of 150 ms, 1.6 Mbit/s down, 750 kbit/s up. */
const slowLine = { latency: 150, downloadThroughput: (1_638.4 * 1_024) / 8, uploadThroughput: (750 * 1_024) / 8 } as const;

export interface Interactive {
  /** Seconds from asking for the page to the first thing drawn. */
  readonly paintSeconds: number;
  /** To a page that can be worked. */
  readonly interactiveSeconds: number;
  /** That came over the line. */
  readonly bytes: number;
}

/** How long a first visitor with a slow line waits for the upload page. */
export async function interactiveAfter(
  browser: Browser,
  { url, subdomain }: Pick<PagesService, 'url' | 'subdomain'>,
): Promise<Interactive> {
  const { page, close } = await openPage(browser, 'about:blank');
  try {
    const line = await page.context().newCDPSession(page);
    await line.send('Network.enable');
    await line.send('Network.emulateNetworkConditions', { offline: false, ...slowLine });
    let bytes = 0;
    line.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.addInitScript(() => {
      const look = (): void => {
        // The page's code has run and what it asked of the service has come: whatever is pressed now is answered.
        if (document.querySelector('input[data-kind=files]')) performance.mark('interactive');
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.goto(`${url}/p/${subdomain}`);
    await page.locator('input[data-kind=files]').waitFor({ state: 'attached' });
    const [paint, interactive] = await page.evaluate(async () => {
      while (performance.getEntriesByName('interactive').length === 0) await new Promise(requestAnimationFrame);
      return ['first-contentful-paint', 'interactive'].map((name) => performance.getEntriesByName(name)[0]?.startTime ?? Number.NaN);
    });
    return { paintSeconds: paint! / 1_000, interactiveSeconds: interactive! / 1_000, bytes };
  } finally {
    await close();
  }
}
