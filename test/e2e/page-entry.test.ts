import { beforeAll, expect, it } from 'vitest';
import { startAgentApi } from '#agent-api/server.ts';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { fakeEngine } from '#test/support/engine/fake-engine.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

describeInBrowser('the page of an agent that wants a token', (browserOf) => {
  let pages: BuiltPages;
  beforeAll(async () => {
    pages = await buildPages('renderer');
  });

  it('comes in by an address that is good once, stays in when it is loaded again, and asks where it is used up', async () => {
    const folder = await tempFolder();
    const listen = { host: '127.0.0.1', port: 0 };
    const common = { guiDir: pages.folder, dataDir: folder.path, version: '0', log: () => undefined };
    const api = await startAgentApi({ engine: fakeEngine(), listen, requireToken: true, ...common });
    try {
      const address = api.pageAddress('#/history');
      const first = await openPage(browserOf(), address);
      await first.page.getByRole('heading', { name: 'History' }).waitFor();
      expect(first.page.url()).toBe(`${api.url}/#/history`);
      await first.page.reload();
      await first.page.getByRole('heading', { name: 'History' }).waitFor();
      await first.close();
      const second = await openPage(browserOf(), address);
      await second.page.getByText('This agent needs its token').waitFor();
      expect(second.page.url()).not.toContain('code=');
      await second.close();
    } finally {
      await api.close();
      await folder.remove();
    }
  });
});
