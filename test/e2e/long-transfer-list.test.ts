import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type RunningAgent, startAgent } from '#main/headless.ts';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';
import { openPage, type WatchedPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { putTransfers } from '#test/support/engine/stored-transfers.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const soak = process.env['LONGSHORE_SOAK'] === '1';
const count = soak ? 100_000 : 5_000;
const title = `${count.toLocaleString('en')} transfers in a browser`;

/** A loaded machine is slow, and that is no failure. */
const patiently = { timeout: 30_000 };

/** A real agent with a real service, its state file filled before it starts. */
describeInBrowser(title, (browserOf) => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let gui: BuiltPages;
  let service: TestService;
  let agent: RunningAgent;
  let watched: WatchedPage;
  const requests: string[] = [];

  beforeAll(async () => {
    folder = await tempFolder();
    const dataDir = join(folder.path, 'agent');
    vi.stubEnv('LONGSHORE_VAULT_KEY', 'a key for tests alone');
    [gui, service] = await Promise.all([buildPages('renderer'), startTestService()]);
    await putTransfers(dataDir, { count, vaultKey: 'a key for tests alone', serviceUrl: service.url, teamId: service.teamId });
    agent = await startAgent({
      dataDir,
      serviceUrl: service.url,
      apiKey: service.apiKey,
      listen: { host: '127.0.0.1', port: 0 },
      guiDir: gui.folder,
    });
    watched = await openPage(browserOf(), `${agent.url}/`, { viewport: { width: 1280, height: 800 } });
    watched.page.on('request', (request) => requests.push(request.url()));
  });
  afterAll(async () => {
    await agent?.close();
    await service?.close();
    await folder?.remove();
    vi.unstubAllEnvs();
  });

  const list = () => watched.page.getByRole('list', { name: 'Transfers' });
  const place = () => watched.page.getByRole('listitem').filter({ has: watched.page.locator('.row-name') });

  it('shows a windowful of them, and those at the end as soon as they are looked at', async () => {
    const { page } = watched;
    await list().waitFor();
    await page.getByText(`All ${count.toLocaleString('en-GB')}`).waitFor();
    expect(await list().getByRole('listitem').count()).toBeLessThan(60);
    await page.locator('.rows').evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await place().last().waitFor();
    await expect.poll(() => list().locator(`[aria-posinset="${count}"] .row-name`).count(), patiently).toBe(1);
    // What lies between was never asked for.
    expect(requests.filter((url) => url.includes('/transfers?')).length).toBeLessThan(8);
  });

  it('finds one among them', async () => {
    const { page } = watched;
    await page.getByRole('searchbox').fill(`Reel ${count - 3}`);
    await expect.poll(() => list().locator('.row-name').allTextContents(), patiently).toEqual([`Reel ${count - 3}`]);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await place().nth(3).waitFor();
  });

  it('removes all that are done at once, and undoes it where asked', async () => {
    const { page } = watched;
    const { states } = await agent.engine.transfers.summary({});
    const done = states.complete + states.cancelled;
    await page.getByText(/^Done /).click();
    await expect.poll(() => list().locator('li').first().getAttribute('aria-setsize'), patiently).toBe(String(done));
    await list().getByRole('checkbox').first().click();
    await page.getByRole('button', { name: `Select all ${done.toLocaleString('en-GB')}` }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    // Under the pointer nothing is carried out, until it is gone or has decided.
    await page.getByText(`${done.toLocaleString('en-GB')} transfers will be removed.`).hover();
    await page.locator('.toasts-paused').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.toasts:not(.toasts-paused)').waitFor({ state: 'attached' });
    expect((await agent.engine.transfers.summary({})).states.complete).toBe(states.complete);
    await list().getByRole('checkbox').first().click();
    await list()
      .getByRole('checkbox')
      .nth(1)
      .click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('2 transfers removed.').waitFor({ timeout: 30_000 });
    await page.getByText(`Done ${(done - 2).toLocaleString('en-GB')}`).waitFor();
    expect(watched.complaints).toEqual([]);
  });
});
