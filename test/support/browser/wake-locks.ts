import type { Page } from 'playwright-core';

interface WakeLocks {
  /** How often the page asked for the screen to stay on. */
  readonly asked: number;
  /** How many of these it has not let go. */
  readonly active: number;
}

/** Counts how a page keeps the screen awake, in place of the browser's own: called before the page is loaded. */
export const countWakeLocks = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const wakeLocks = { asked: 0, active: 0 };
    const request = async () => {
      wakeLocks.asked += 1;
      wakeLocks.active += 1;
      const release = async () => {
        wakeLocks.active -= 1;
      };
      return { release };
    };
    Object.assign(window, { wakeLocks });
    Object.defineProperty(navigator, 'wakeLock', { value: { request } });
  });

export const wakeLocksOf = (page: Page): Promise<WakeLocks> =>
  page.evaluate(() => (window as unknown as { readonly wakeLocks: WakeLocks }).wakeLocks);
