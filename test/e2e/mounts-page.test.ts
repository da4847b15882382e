import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningAgent } from '#main/headless.ts';
import type { Connection } from '#protocol/hosted/connections.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import type { WatchedPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { openRealAgentPage, type RealAgentPage } from '#test/support/browser/real-agent-page.ts';
import { inAll } from '#test/support/level.ts';
import type { TestService } from '#test/support/service/start-service.ts';

/** A real agent, service, disk and browser. The tests build on each other. */
describeInBrowser('the mounts of a real agent on its page', (browserOf) => {
  let opened: RealAgentPage;
  let service: TestService;
  let agent: RunningAgent;
  let watched: WatchedPage;
  let page: Page;
  let at: RealAgentPage['at'];

  beforeAll(async () => {
    opened = await openRealAgentPage(browserOf(), '#/settings', (made) => {
      for (const name of ['nas/dailies', 'nas2', 'plain/inside']) mkdirSync(made.at(name), { recursive: true });
    });
    ({ service, agent, watched, page, at } = opened);
  });
  afterAll(() => opened?.close());

  const list = () => page.getByRole('list', { name: 'Mounts' });
  const form = () => page.getByRole('form', { name: 'New mount' });
  const connections = async (): Promise<Connection[]> =>
    (
      await service.call<Connection[]>('GET', `/v1/teams/${service.teamId}/cloud_connections`, {
        headers: { 'x-api-key': service.apiKey },
      })
    ).body;

  it('begin with what one is for, and are made of a folder that is looked for', async () => {
    await page.getByText('No folder is a mount yet.').waitFor();
    await page.getByRole('button', { name: 'Add a mount' }).click();
    await form().getByRole('button', { name: 'Choose…' }).click();
    const browser = page.getByRole('dialog', { name: 'Choose a folder' });
    await browser.getByRole('button', { name: 'Open nas', exact: true }).click();
    await browser.getByRole('button', { name: 'Open dailies' }).click();
    await browser.getByText(at('nas', 'dailies'), { exact: true }).waitFor();
    await browser.getByRole('button', { name: 'Choose this folder' }).click();
    await form().getByLabel('Kind of storage').selectOption('synology_sg');
    await form().getByLabel('Name of the connection').fill('Dailies NAS');
    await form().getByRole('button', { name: 'Add it' }).click();
    await list().getByText('Dailies NAS', { exact: true }).waitFor();
    await list().getByText('Ready').waitFor();
    await list().getByText('Synology, for deliveries').waitFor();
    expect(await connections()).toMatchObject([{ name: 'Dailies NAS', provider: 'synology_sg', direction: 'service_to_cloud' }]);
    expect(readdirSync(at('nas', 'dailies'))).toEqual(['.longshore-mount']);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('are checked step by step', async () => {
    await list().getByRole('button', { name: 'Check: Dailies NAS' }).click();
    await list().getByText('It works').waitFor();
    expect(await list().locator('.mount-steps li').allInnerTexts()).toEqual([
      expect.stringContaining('Write a small file'),
      expect.stringContaining('List the folder'),
      expect.stringContaining('Read it back'),
      expect.stringContaining('Remove it'),
    ]);
  });

  it('say at the folder why one cannot be a mount', async () => {
    await page.getByRole('button', { name: 'Add a mount' }).click();
    const path = form().getByRole('textbox', { name: 'Folder' });
    await path.fill('dailies');
    await form().getByRole('button', { name: 'Add it' }).click();
    await expect.poll(() => path.getAttribute('aria-invalid'), { timeout: 30_000 }).toBe('true');
    await path.fill(at('nas', 'dailies'));
    await form().getByRole('button', { name: 'Add it' }).click();
    await form().getByText('cannot be a mount', { exact: false }).waitFor();
    await form().getByRole('button', { name: 'Cancel' }).click();
  });

  it('tell by themselves that a folder is away, and why, and that it is back', async () => {
    renameSync(at('nas', 'dailies'), at('away'));
    await list().getByText('Offline', { exact: true }).waitFor();
    await list()
      .getByText(`The folder ${at('nas', 'dailies')} is not there.`, { exact: false })
      .waitFor();
    await list().getByRole('button', { name: 'Check: Dailies NAS' }).click();
    await list().getByText('It does not work yet.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    renameSync(at('away'), at('nas', 'dailies'));
    await list().getByText('Ready').waitFor();
  });

  it('are moved to another folder, and removed after a question', inAll('mounts that are made, and one whose folder is away'), async () => {
    await list().getByRole('button', { name: 'Change: Dailies NAS' }).click();
    const change = page.getByRole('form', { name: 'Change: Dailies NAS' });
    await change.getByRole('textbox', { name: 'Folder' }).fill(at('nas2'));
    await change.getByRole('button', { name: 'Save' }).click();
    await list().getByText(at('nas2'), { exact: true }).waitFor();
    await list().getByRole('button', { name: 'Remove: Dailies NAS' }).click();
    await list().getByText('Dailies NAS goes offline.', { exact: false }).waitFor();
    await list().getByRole('button', { name: 'Remove it now' }).click();
    await page.getByText('No folder is a mount yet.').waitFor();
    expect(agent.engine.gateway.list()).toEqual([]);
    // Its connection stays, and another folder can be bound to it.
    await page.getByRole('button', { name: 'Add a mount' }).click();
    await form().getByRole('textbox', { name: 'Folder' }).fill(at('plain'));
    await form().getByLabel('Cloud connection').selectOption({ label: 'Dailies NAS (Synology)' });
    await form().getByRole('button', { name: 'Add it' }).click();
    await list().getByText(at('plain'), { exact: true }).waitFor();
    expect(await connections()).toHaveLength(1);
    expect(watched.complaints.filter((one) => !/status of 4\d\d/.test(one))).toEqual([]);
  });
});
