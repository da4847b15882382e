import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type RunningAgent, startAgent } from '#main/headless.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';
import { openPage, type WatchedPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import { inAll } from '#test/support/level.ts';
import { askForm, formField, newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The automations on the page of a real agent, with a real service: what the page shows follows what happens, without a reload. */
describeInBrowser('automations on the page', (browserOf) => {
  let service: TestService;
  let gui: BuiltPages;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let agent: RunningAgent;
  let watched: WatchedPage;
  let page: Page;
  let hot: string;

  beforeAll(async () => {
    gui = await buildPages('renderer');
    service = await startTestService();
  });
  afterAll(() => service?.close());
  beforeEach(async () => {
    folder = await tempFolder();
    hot = join(folder.path, 'hot');
    mkdirSync(hot);
    agent = await startAgent({
      dataDir: join(folder.path, 'agent'),
      serviceUrl: service.url,
      apiKey: service.apiKey,
      listen: { host: '127.0.0.1', port: 0 },
      guiDir: gui.folder,
    });
    watched = await openPage(browserOf(), `${agent.url}/#/automations`, { viewport: { width: 1_280, height: 900 } });
    page = watched.page;
    page.setDefaultTimeout(60_000);
    await page.getByRole('heading', { name: 'Let folders send by themselves' }).waitFor();
  });
  afterEach(async () => {
    expect(watched?.complaints).toEqual([]);
    await watched?.close();
    await agent?.close();
    await folder?.remove();
  });

  const row = (name: string): Locator => page.getByRole('list', { name: 'Automations' }).getByRole('listitem').filter({ hasText: name });
  const says = (name: string, text: string | RegExp) => row(name).getByText(text).first().waitFor();
  const dialog = (): Locator => page.getByRole('dialog');
  const uploads = async () => (await agent.engine.transfers.list('upload', { page: 1, limit: 50, sort: 'created_at' })).records;
  const yaml = (kind: string) =>
    [
      'automations:',
      '  - name: Outbox',
      `    kind: ${kind}`,
      `    folder: ${hot}`,
      `    team_id: ${service.teamId}`,
      '    recipients: []',
      '    settle_seconds: 1',
      '',
    ].join('\n');
  async function importing(text: string): Promise<void> {
    await page.getByRole('button', { name: 'Import' }).click();
    await dialog().getByLabel('YAML').fill(text);
    await dialog().getByRole('button', { name: 'Import' }).click();
  }
  async function openOutbox(): Promise<void> {
    await page.getByRole('link', { name: 'Outbox', exact: true }).click();
    await page.getByRole('heading', { name: 'Outbox', level: 1 }).waitFor();
  }

  it(
    'are imported and exported as text, and what is wrong in it is said by line',
    inAll('unit/engine/automations/rules/automations-yaml and cli-control; renderer-scenes for what is wrong'),
    async () => {
      await importing(yaml('team_uplaod'));
      await dialog().getByText('Line 3: kind is "team_uplaod"').waitFor();
      // The line is chosen, so that it can be typed over.
      const chosen = () =>
        dialog()
          .getByLabel('YAML')
          .evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd));
      expect(await chosen()).toBe('    kind: team_uplaod');
      await page.keyboard.insertText('    kind: team_upload');
      await dialog().getByRole('button', { name: 'Import' }).click();
      await dialog().getByText('1 made, 0 changed, 0 as they were.').waitFor();
      await dialog().getByRole('button', { name: 'Close' }).last().click();
      await says('Outbox', 'Watching');

      await page.getByRole('button', { name: 'Export' }).click();
      const download = await downloadBy(page, () => dialog().getByRole('button', { name: 'Save as file' }).click());
      expect(download.suggestedFilename()).toBe('automations.yaml');
      const text = readFileSync(await download.path(), 'utf8');
      expect(text).toContain('name: Outbox');

      await page.getByRole('button', { name: 'Import' }).click();
      await dialog()
        .getByLabel('Choose a file…')
        .setInputFiles({ name: 'automations.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) });
      await expect.poll(() => dialog().getByLabel('YAML').inputValue()).toBe(text);
      await dialog().getByRole('button', { name: 'Import' }).click();
      await dialog().getByText('0 made, 0 changed, 1 as they were.').waitFor();
    },
  );

  it('go through their states as they work, rest when they are paused, and are copied and removed', async () => {
    await importing(yaml('team_upload'));
    await dialog().getByRole('link', { name: 'Outbox' }).click();
    await page.getByRole('link', { name: 'All automations' }).click();
    await says('Outbox', 'Team Harbour');
    await says('Outbox', 'Watching');

    await agent.engine.transfers.pauseAll();
    writeTree(hot, { 'one.mov': 'one' });
    await says('Outbox', 'Sending');
    await says('Outbox', '1 waiting');
    await agent.engine.transfers.resumeAll();
    await says('Outbox', '1 sent');
    await says('Outbox', 'Watching');

    await page.getByRole('button', { name: 'Pause: Outbox' }).click();
    await says('Outbox', 'Paused');
    writeTree(hot, { 'two.mov': 'two' });
    await page.getByRole('button', { name: 'Resume: Outbox' }).click();
    await says('Outbox', '2 sent');

    await page.getByRole('button', { name: 'More for Outbox' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await expect.poll(() => page.url()).toMatch(/#\/automations\/[^/]+\/edit$/);
    await page.goBack();
    await says('Outbox (2)', 'Paused');
    await page.getByRole('button', { name: 'More for Outbox (2)' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await row('Outbox (2)').waitFor({ state: 'detached' });
    expect(agent.engine.automations.list().map(({ name }) => name)).toEqual(['Outbox']);
  });

  it(
    'show what they did and know, and send again what is forgotten',
    inAll('integration/engine-automations, and the states of one that works'),
    async () => {
      await importing(yaml('team_upload'));
      await dialog().getByRole('button', { name: 'Close' }).last().click();
      writeTree(hot, { 'one.mov': 'one', 'two.mov': 'two' });
      await says('Outbox', '2 sent');
      await openOutbox();
      const results = page.getByRole('list', { name: 'What it did last' });
      await results.getByRole('link', { name: 'one.mov' }).waitFor();
      const ledger = page.getByRole('list', { name: 'What it knows as sent' });
      await page.getByLabel('Search by path').fill('two');
      await expect.poll(() => ledger.getByRole('listitem').count()).toBe(1);
      expect(await axeFindings(page)).toEqual([]);

      await page.getByRole('checkbox', { name: 'Select two.mov' }).click();
      await page.getByRole('button', { name: 'Forget 1 entry…' }).click();
      await page.getByText('What of it is still in the folder is sent again.').waitFor();
      await page.getByRole('button', { name: 'Forget', exact: true }).click();
      await page.getByText('1 entry was forgotten.').waitFor();
      await expect
        .poll(async () => (await uploads()).map(({ name }) => name).toSorted(), { timeout: 60_000 })
        .toEqual(['one.mov', 'two.mov', 'two.mov']);
      await ledger.getByText('Sent', { exact: true }).waitFor();

      await results.getByRole('link', { name: 'one.mov' }).click();
      await page.getByRole('heading', { name: 'one.mov', level: 1 }).waitFor();
    },
  );

  it(
    'ask what their Portal’s form lacks, are counted where something needs a person, and send what is answered',
    inAll('needs-you, and integration/engine-portal-automations'),
    async () => {
      const portal = await newPortal(service);
      const camera = formField('camera', { label: 'Camera', type: 'dropdown', options: ['A', 'B'], visibility: 'required' });
      await askForm(service, portal.id, { fields: [camera] });
      const { id } = await agent.engine.automations.create('portal_upload', {
        name: 'Cart',
        active: true,
        folder: hot,
        subdomain: portal.subdomain,
        sender: 'mia@example.com',
        settle_seconds: 1,
      });
      await says('Cart', `Portal ${portal.subdomain}`);
      writeTree(hot, { 'A001.mov': 'one' });
      await page.getByRole('link', { name: 'Needs you 1' }).click();
      await page.getByText('1 question waits for your answer.').waitFor();
      await page.getByRole('link', { name: 'Answer: Cart' }).click();
      const question = page.getByRole('form', { name: 'Form for A001.mov' });
      await question.getByRole('button', { name: 'Answer and send' }).click();
      await expect.poll(() => question.getByLabel('Camera').getAttribute('aria-invalid')).toBe('true');
      await question.getByLabel('Camera').selectOption('B');
      await question.getByRole('button', { name: 'Answer and send' }).click();
      await question.waitFor({ state: 'detached' });
      await expect
        .poll(() => agent.engine.automations.get(id).counts, { timeout: 60_000 })
        .toEqual({ sent: 1, waiting: 0, failed: 0, questions: 0 });
      await page.getByRole('link', { name: /^Needs you/ }).waitFor({ state: 'detached' });
      await page.locator('.detail-head').getByText('1 sent').waitFor();
    },
  );
});
