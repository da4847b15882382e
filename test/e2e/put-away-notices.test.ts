import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startAgent } from '#main/headless.ts';
import { buildPages } from '#test/support/browser/built-pages.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { lookEverywhere } from '#test/support/browser/looks.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** A real agent, since what is put away is for it to keep. */
describeInBrowser('a notice that nobody can act on', (browserOf) => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let guiDir: string;
  beforeAll(async () => {
    vi.stubEnv('LONGSHORE_VAULT_KEY', 'a key for tests alone');
    folder = await tempFolder();
    guiDir = (await buildPages('renderer')).folder;
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await folder?.remove();
  });

  const start = () =>
    startAgent({ dataDir: folder.path, serviceUrl: 'http://127.0.0.1:9', listen: { host: '127.0.0.1', port: 0 }, guiDir });
  const notice = 'No keychain of the operating system is used.';

  it('is put away for good: not back after a reload, nor after the agent starts anew', async () => {
    let agent = await start();
    try {
      const first = await openPage(browserOf(), `${agent.url}/#/about`, { reducedMotion: 'reduce' });
      await first.page.getByText(notice).waitFor();
      await first.page.getByRole('link', { name: '1 notice' }).waitFor();
      expect(await lookEverywhere(first.page)).toEqual([]);
      await first.page.getByRole('button', { name: 'Put away' }).click();
      await first.page.getByRole('link', { name: '1 notice' }).waitFor({ state: 'detached' });
      await first.page.reload();
      await first.page.getByRole('heading', { name: 'Support bundle' }).waitFor();
      expect(await first.page.getByText(notice).count()).toBe(0);
      expect(first.complaints).toEqual([]);
      await first.close();
      await agent.close();
      agent = await start();
      expect(agent.engine.status().warnings.join()).toContain(notice);
      const second = await openPage(browserOf(), `${agent.url}/#/about`);
      await second.page.getByRole('heading', { name: 'Support bundle' }).waitFor();
      expect(await second.page.getByText(notice).count()).toBe(0);
      await second.close();
    } finally {
      await agent.close();
    }
  });
});
