import type { Download, Page } from 'playwright-core';

/** Milliseconds that a press may take by itself, and a download after it. */
const patience = 30_000;

/**
 * Presses what begins a download, and waits for it to begin. Where it does not, the error says what the page showed and what
 * was asked for since the press, as a press that had no effect and a download that does not come are told apart by these.
 */
export async function downloadBy(page: Page, press: () => Promise<unknown>): Promise<Download> {
  const asked: string[] = [];
  const note = (request: { method(): string; url(): string }): void => {
    asked.push(`${request.method()} ${request.url()}`);
  };
  const begun = page.waitForEvent('download', { timeout: 2 * patience });
  // The press may fail first.
  begun.catch(() => undefined);
  page.on('request', note);
  try {
    await press();
    return await begun;
  } catch (error) {
    const shown = await page.evaluate(() => document.body.innerText).catch(String);
    throw new Error(`No download began at ${page.url()}. Asked for since: ${asked.join(', ') || 'nothing'}. The page showed:\n${shown}`, {
      cause: error,
    });
  } finally {
    page.off('request', note);
  }
}
