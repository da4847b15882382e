import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { findChromium, noChromium } from './chromium.ts';
import { leaveChromium, sharedChromium } from './shared-chromium.ts';

/**
 * Tests that need a browser, skipped with the reason in their title where there is none. `browserOf` gives the Chromium that
 * all files of this process share, from `beforeAll` on.
 */
export function describeInBrowser(title: string, tests: (browserOf: () => Browser) => void): void {
  const chromium = findChromium();
  describe.skipIf(!chromium)(chromium ? title : `${title} (${noChromium})`, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await sharedChromium();
    });
    tests(() => browser!);
    // Named last, it comes first: what a failed test left open must not keep its servers from closing.
    afterAll(() => leaveChromium(browser));
  });
}
