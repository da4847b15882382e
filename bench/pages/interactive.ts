import type { Browser, Page } from 'playwright-core';
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

/** What is opened, and what of it tells that it can be worked: its code has run, and what it asked of the service has come. */
export interface Opened {
  readonly address: string;
  /** A selector. */
  readonly ready: string;
  /** Done before, without a slow line, such as signing in; nothing that it loads is in the cache then. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** How long a first visitor with a slow line waits for a page. */
export async function interactiveAfter(browser: Browser, { address, ready, prepare }: Opened): Promise<Interactive> {
  const { page, close } = await openPage(browser, 'about:blank');
  try {
    const line = await page.context().newCDPSession(page);
    await line.send('Network.enable');
    await prepare?.(page);
    await line.send('Network.clearBrowserCache');
    await line.send('Network.emulateNetworkConditions', { offline: false, ...slowLine });
    let bytes = 0;
    line.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.addInitScript((selector) => {
      const look = (): void => {
        if (document.querySelector(selector)) performance.mark('interactive');
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, ready);
    await page.goto(address);
    await page.locator(ready).first().waitFor({ state: 'attached' });
    const [paint, interactive] = await page.evaluate(async () => {
      while (performance.getEntriesByName('interactive').length === 0) await new Promise(requestAnimationFrame);
      return ['first-contentful-paint', 'interactive'].map((name) => performance.getEntriesByName(name)[0]?.startTime ?? Number.NaN);
    });
    return { paintSeconds: paint! / 1_000, interactiveSeconds: interactive! / 1_000, bytes };
  } finally {
    await close();
  }
}

/** The pages whose first visit is measured. */
export const firstVisits = ({ url, subdomain, owner }: Pick<PagesService, 'url' | 'subdomain' | 'owner'>) =>
  ({
    upload: { address: `${url}/p/${subdomain}`, ready: 'input[data-kind=files]' },
    signIn: { address: `${url}/sign-in`, ready: 'input[type=password]' },
    home: {
      address: `${url}/`,
      ready: '.home, .view .view-state',
      async prepare(page) {
        await page.goto(`${url}/docs`);
        await page.evaluate(async (body) => {
          const headers = { 'content-type': 'application/json', 'x-longshore-page': '1' };
          const answer = await fetch('/v1/sessions', { method: 'POST', headers, body });
          if (!answer.ok) throw new Error(`The sign-in answered ${answer.status}.`);
        }, JSON.stringify(owner));
      },
    },
  }) satisfies Readonly<Record<string, Opened>>;
