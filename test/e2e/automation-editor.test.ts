import { mkdirSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningAgent } from '#main/headless.ts';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import type { WatchedPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { openRealAgentPage, type RealAgentPage } from '#test/support/browser/real-agent-page.ts';
import { inAll } from '#test/support/level.ts';
import { askForm, formField, newPortal } from '#test/support/service/portals.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { writeTree } from '#test/support/system/file-tree.ts';

/** A real agent, service, disk and browser. None of the automations begins, so that a dry run is all that is done. */
describeInBrowser('the editor of automations of a real agent', (browserOf) => {
  let opened: RealAgentPage;
  let service: TestService;
  let agent: RunningAgent;
  let watched: WatchedPage;
  let page: Page;
  let portal: Portal;
  let at: RealAgentPage['at'];

  beforeAll(async () => {
    opened = await openRealAgentPage(browserOf(), '#/automations/new', async (made) => {
      writeTree(made.at('renders'), { 'sc040/a.exr': 'aa', 'sc040/b.exr': 'bb', 'notes.txt': 'later', 'c.mov.part': 'half' });
      writeTree(made.at('cart'), { 'A_001.mov': 'one', 'B_002.mov': 'two', 'plain.mov': 'three' });
      mkdirSync(made.at('incoming'));
      portal = await newPortal(made.service, { name: 'Northlight dailies' });
      await askForm(made.service, portal.id, { fields: [formField('camera', { label: 'Camera', visibility: 'required' })] });
    });
    ({ service, agent, watched, page, at } = opened);
  });
  afterAll(() => opened?.close());

  const dryRun = (): Locator => page.getByRole('complementary', { name: 'What it would do now' });
  const packages = (): Promise<string[]> => dryRun().locator('.dry-run-package > .field-name').allInnerTexts();
  const goTo = (hash: string): Promise<void> => page.evaluate((to) => location.assign(to), hash);
  const automationNamed = (name: string): Automation | undefined => agent.engine.automations.list().find((one) => one.name === name);
  async function save(name: string): Promise<Automation> {
    await page.getByRole('button', { name: /^(Make it|Save)$/ }).click();
    await expect.poll(() => new URL(page.url()).hash, { timeout: 30_000 }).toMatch(/^#\/automations\/(?!new$)[\w-]+$/);
    return automationNamed(name)!;
  }

  it('shows what would be sent as it is chosen, and makes that', async () => {
    await page.getByRole('button', { name: /^to people of a Team/ }).click();
    await page.getByRole('textbox', { name: 'Watched folder' }).fill(at('renders'));
    await dryRun().getByText('Nothing is ready to be sent.').waitFor();
    await page.getByLabel('Send what lies there already, too').check();
    await page.getByText('When', { exact: true }).click();
    await page.getByLabel('Seconds without a change').fill('1');
    await page.keyboard.press('Tab');
    await expect.poll(async () => (await packages()).sort(), { timeout: 30_000 }).toEqual(['notes.txt', 'sc040']);
    await dryRun()
      .getByText(/stays? where/)
      .click();
    await dryRun().getByText('c.mov.part', { exact: true }).waitFor();

    await page.getByText('Which files').click();
    await page.getByLabel('Not these').fill('*.txt');
    await page.getByRole('list', { name: 'Try the patterns' }).getByText('left out', { exact: false }).first().waitFor();
    await page.getByRole('textbox', { name: 'Name of the package' }).fill('Day ');
    await page.getByRole('button', { name: 'Insert: name' }).click();
    await expect.poll(packages, { timeout: 30_000 }).toEqual(['Day sc040']);
    expect(await axeFindings(page)).toEqual([]);

    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Renders');
    await page.getByLabel('Begin at once').uncheck();
    expect(await save('Renders')).toMatchObject({
      kind: 'team_upload',
      state: 'resting',
      folder: at('renders'),
      team_id: service.teamId,
      existing: true,
      settle_seconds: 1,
      exclude: ['*.txt'],
      package_name: 'Day {name}',
    });
  });

  it('asks before what was entered is lost, and changes only what was changed', async () => {
    const { id } = automationNamed('Renders')!;
    await goTo(`#/automations/${id}/edit`);
    await page.getByRole('heading', { name: 'Change Renders' }).waitFor();
    await page.getByLabel('Send what lies there already, too').uncheck();
    await page.getByRole('link', { name: 'History' }).click();
    const question = page.getByRole('dialog', { name: 'Throw away what you have filled in?' });
    await question.getByRole('button', { name: 'Keep it open' }).click();
    expect(new URL(page.url()).hash).toBe(`#/automations/${id}/edit`);
    expect(await page.getByLabel('Send what lies there already, too').isChecked()).toBe(false);
    await page.getByRole('link', { name: 'History' }).click();
    await question.getByRole('button', { name: 'Throw away' }).click();
    await page.getByRole('heading', { name: 'History', level: 1 }).waitFor();
    expect(automationNamed('Renders')).toMatchObject({ existing: true });

    await goTo(`#/automations/${id}/edit`);
    await page.getByLabel('Not these').fill('');
    expect(await save('Renders')).not.toHaveProperty('exclude');
    expect(automationNamed('Renders')).toMatchObject({ existing: true, package_name: 'Day {name}' });
  });

  it('says at the folder that it lies in that of another automation', async () => {
    await goTo('#/automations/new?kind=all_portals_download');
    await page.getByRole('textbox', { name: 'Into the folder' }).fill(at('renders', 'sc040'));
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('All in');
    await page.getByRole('button', { name: 'Make it' }).click();
    const into = page.getByRole('textbox', { name: 'Into the folder' });
    await expect.poll(() => into.getAttribute('aria-invalid'), { timeout: 30_000 }).toBe('true');
    await expect.poll(() => into.evaluate((one) => one === document.activeElement), { timeout: 30_000 }).toBe(true);
    await page.locator('.field-error').getByText('lie in each other', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Throw away' }).click();
    await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor();
  });

  it(
    'answers the form of a Portal by a part of the name, and says what would be asked',
    inAll('integration/engine-portal-automations; unit/engine/automations/rules/form-fill'),
    async () => {
      await goTo('#/automations/new?kind=portal_upload');
      await page.getByRole('textbox', { name: 'Watched folder' }).fill(at('cart'));
      await page.getByLabel('Send what lies there already, too').check();
      await page.getByText('When', { exact: true }).click();
      await page.getByLabel('Seconds without a change').fill('1');
      await page.getByLabel('Address of the Portal').fill(`${service.url}/p/${portal.subdomain}`);
      await page.getByText('Northlight dailies takes files.').waitFor();
      await page.getByLabel('Sender’s e-mail address').fill('mia@harbour.example');
      await page.getByLabel('Answer to “Camera”').selectOption('name');
      await page.getByLabel('Pattern of the name').fill('^(?P<value>[A-Z])_');
      await expect.poll(packages, { timeout: 30_000 }).toHaveLength(3);
      const one = (name: string): Locator => dryRun().locator('.dry-run-package').filter({ hasText: name });
      await one('B_002.mov').locator('dd').getByText('B', { exact: true }).waitFor();
      await one('plain.mov').getByText('Would be asked in “Needs you”: camera').waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(await axeFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 1_440, height: 1_000 });
      await page.getByLabel('Begin at once').uncheck();
      expect(await save('cart')).toMatchObject({
        kind: 'portal_upload',
        subdomain: portal.subdomain,
        form_from: { camera: { source: 'name', pattern: '^(?P<value>[A-Z])_' } },
      });
    },
  );

  it(
    'gets what arrives at a Portal that is chosen by its name, into folders as they are ticked',
    inAll('integration/engine-download-automations; unit/renderer/automations/editor-draft'),
    async () => {
      await goTo('#/automations/new?kind=portal_download');
      await page.getByRole('combobox', { name: 'Portal', exact: true }).selectOption({ label: 'Northlight dailies' });
      await page.getByRole('textbox', { name: 'Into the folder' }).fill(at('incoming'));
      await page.getByLabel('Day', { exact: true }).check();
      await page.getByLabel('Sender', { exact: true }).check();
      await page.getByText('incoming / 2026-11-20 / mia@example.com', { exact: false }).waitFor();
      await dryRun().getByText('There is nothing to get.').waitFor();
      await page.getByLabel('Begin at once').uncheck();
      expect(await save('incoming')).toMatchObject({
        kind: 'portal_download',
        portal_id: portal.id,
        dst_folder: at('incoming'),
        subfolders: ['date', 'sender'],
      });
      expect(watched.complaints.filter((one) => !/status of 4\d\d/.test(one))).toEqual([]);
    },
  );
});
