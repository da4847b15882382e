import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAgentApi } from '#agent-api/server.ts';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';
import { findChromium, noChromium, openPage } from '#test/support/browser/chromium.ts';
import { leaveChromium, sharedChromium } from '#test/support/browser/shared-chromium.ts';
import { fakeEngine } from '#test/support/engine/fake-engine.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const title = findChromium() ? 'the page of an agent that wants a token' : `the page of an agent that wants a token (${noChromium})`;

describe.skipIf(!findChromium())(title, () => {
  let pages: BuiltPages;
  let browser: Browser;
  beforeAll(async () => {
    pages = await buildPages('renderer');
    browser = await sharedChromium();
  });
  afterAll(async () => {
    await leaveChromium(browser);
  });

  it('comes in by an address that is good once, stays in when it is loaded again, and asks where it is used up', async () => {
    const folder = await tempFolder();
    const listen = { host: '127.0.0.1', port: 0 };
    const common = { guiDir: pages.folder, dataDir: folder.path, version: '0', log: () => undefined };
    const api = await startAgentApi({ engine: fakeEngine(), listen, requireToken: true, ...common });
    try {
      const address = api.pageAddress('#/history');
      const first = await openPage(browser, address);
      await first.page.getByRole('heading', { name: 'History' }).waitFor();
      expect(first.page.url()).toBe(`${api.url}/#/history`);
      await first.page.reload();
      await first.page.getByRole('heading', { name: 'History' }).waitFor();
      await first.close();
      const second = await openPage(browser, address);
      await second.page.getByText('This agent needs its token').waitFor();
      expect(second.page.url()).not.toContain('code=');
      await second.close();
    } finally {
      await api.close();
      await folder.remove();
    }
  });
});
