import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningAgent, startAgent } from '#main/headless.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { Link } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';
import { openPage, type WatchedPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { type ProxiedService, startProxiedService } from '#test/support/faults/proxied-service.ts';
import { askForm, formField, newPortal } from '#test/support/service/portals.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { readTree, seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const patiently = { timeout: 30_000 };
const newPassword = 'another horse, another battery';

/**
 * What a person does from morning to evening, in one page that stays open: a real agent, two real services and a real
 * browser. The tests build on each other.
 */
describeInBrowser('a workday in one page', (browserOf) => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let gui: BuiltPages;
  let near: ProxiedService;
  let far: TestService;
  let agent: RunningAgent;
  let watched: WatchedPage;
  let page: Page;
  const at = (...names: string[]): string => join(folder.path, ...names);

  beforeAll(async () => {
    folder = await tempFolder();
    gui = await buildPages('renderer');
    [near, far] = await Promise.all([
      startProxiedService(),
      startTestService({ processes: 1, owner: { email: ownerEmail, password: ownerPassword, team: 'Far Sound' } }),
    ]);
    writeTree(at('media'), {
      'A001/clip.mov': seededBytes(2_000_000, 1),
      'A001/sound/take.wav': seededBytes(300_000, 2),
      'A002/clip.mov': seededBytes(8_000_000, 3),
      'A003/clip.mov': seededBytes(8_000_000, 4),
      'A004/clip.mov': seededBytes(8_000_000, 5),
      'stills.zip': seededBytes(40_000, 6),
    });
    await mkdir(at('private'));
    agent = await startAgent({
      dataDir: at('agent'),
      serviceUrl: near.api.url,
      listen: { host: '127.0.0.1', port: 0 },
      guiDir: gui.folder,
      allowedRoots: [at('media')],
    });
    watched = await openPage(browserOf(), `${agent.url}/`, { viewport: { width: 1_280, height: 900 } });
    page = watched.page;
    page.setDefaultTimeout(30_000);
  });
  afterAll(async () => {
    await agent?.close();
    await near?.close();
    await far?.close();
    await folder?.remove();
  });

  const place = (name: string) => page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name }).click();
  const row = (name: string): Locator => page.getByRole('list', { name: 'Transfers' }).getByRole('listitem').filter({ hasText: name });
  const rowSays = (name: string, text: string | RegExp) => row(name).getByText(text).first().waitFor();
  const dialog = (): Locator => page.getByRole('dialog');
  const order = (): Promise<string[]> => page.locator('.row-name').allTextContents();
  /** Until the rows stand where the agent has them: a press on one that moves may be nobody's. */
  async function inOrder(): Promise<void> {
    const { records } = await agent.engine.transfers.list('all', { page: 1, limit: 100, sort: 'queue' });
    await expect.poll(order, patiently).toEqual(records.map(({ name }) => name));
  }
  const named = async (name: string): Promise<AgentTransfer | undefined> =>
    (await agent.engine.transfers.list('all', { page: 1, limit: 100 })).records.find((one) => one.name === name);
  const asOwner = <T>(service: TestService, method: string, path: string, body?: unknown) =>
    service.call<T>(method, path, { headers: { 'x-api-key': service.apiKey }, ...(body === undefined ? {} : { body }) });
  async function packageNamed(service: TestService, name: string): Promise<Package> {
    const { body } = await asOwner<{ records: Package[] }>(service, 'GET', `/v1.1/teams/${service.teamId}/packages`);
    return body.records.find((one) => one.name === name)!;
  }
  async function send(path: string, name: string): Promise<void> {
    await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
    await dialog().getByLabel('Path', { exact: true }).fill(path);
    await dialog().getByLabel('Package name').fill(name);
    await dialog().getByRole('radio', { name: 'As a link' }).check();
    await dialog().getByRole('button', { name: 'Send and make a link' }).click();
    await dialog().waitFor({ state: 'detached' });
  }
  /** In the settings, of what is sent. */
  async function limitTo(megabytes: string): Promise<void> {
    await place('Settings');
    const limit = page.getByLabel('Limit for sending');
    if (!(await limit.isChecked())) await limit.click();
    await page.getByLabel('At most (MB/s)').first().fill(megabytes);
    await page.keyboard.press('Enter');
    await expect.poll(() => agent.engine.rateLimits.get('upload').rate_limit_bps).toBe(Number(megabytes) * 1_000_000);
    await place('Transfers');
  }

  it('has accounts at two services side by side, and sends to the Team of either', async () => {
    await page.getByLabel('E-mail', { exact: true }).fill(ownerEmail);
    await page.getByLabel('Password', { exact: true }).fill(ownerPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nothing on the move' }).waitFor();
    await page.getByRole('button', { name: /, accounts/i }).click();
    await page.getByRole('button', { name: 'Add an account' }).click();
    await dialog().getByRole('radio', { name: 'API key' }).check();
    await dialog().getByRole('button', { name: 'Another service' }).click();
    await dialog().getByLabel('Service').fill(far.url);
    await dialog().getByRole('textbox', { name: 'API key' }).fill(far.apiKey);
    await dialog().getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
    await dialog().getByLabel('Path', { exact: true }).fill(at('media/stills.zip'));
    await dialog().getByLabel('Team', { exact: true }).selectOption({ label: 'Far Sound' });
    await dialog().getByRole('radio', { name: 'As a link' }).check();
    await dialog().getByRole('button', { name: 'Send and make a link' }).click();
    await dialog().waitFor({ state: 'detached' });
    await rowSays('stills.zip', 'Sent');
    await rowSays('stills.zip', 'Far Sound');
    expect(await packageNamed(far, 'stills.zip')).toMatchObject({ state: 'finalized', total_files: 1 });
    expect(await packageNamed(near.service, 'stills.zip')).toBeUndefined();
  });

  it('sends what the folder browser shows of the allowed folders, to people, with all that can be said', async () => {
    await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
    await page.getByRole('button', { name: 'Browse…' }).click();
    await page.getByRole('button', { name: 'Open A001' }).waitFor();
    expect(await page.getByText('private').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Up', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'Choose A001' }).check();
    await page.getByRole('button', { name: 'Choose 1 item' }).click();
    await dialog().getByLabel('Package name').fill('Day 1');
    await dialog().getByLabel('Recipients').fill('post@studio.example, colour@studio.example ');
    await page.getByText('How long, and how often').click();
    await dialog().getByLabel('Message').fill('First card');
    await dialog().getByLabel('Password for the link').fill('tell no one');
    await dialog().getByLabel('Available').selectOption({ label: 'For 3 days' });
    await dialog().getByLabel('Downloads at most').fill('2');
    await dialog().getByRole('button', { name: 'Send', exact: true }).click();
    await rowSays('Day 1', 'Sent');
    const sent = await packageNamed(near.service, 'Day 1');
    expect(sent).toMatchObject({ state: 'finalized', total_files: 2, description: 'First card' });
    const days = (Date.parse(sent.expiry) - Date.now()) / 86_400_000;
    expect([days > 2.9, days <= 3]).toEqual([true, true]);
    const { body: links } = await near.service.call<Link[]>('GET', `/v1/packages/${sent.id}/links`, {
      headers: { 'x-package-token': sent.access_token },
    });
    expect(links.map(({ email }) => email).sort()).toEqual(['colour@studio.example', 'post@studio.example']);
    for (const link of links) expect(link).toMatchObject({ access_limit: 2, password: '****', active: true });
    // Whom was sent to is offered the next time.
    await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
    await expect
      .poll(() => page.locator('datalist option').evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value).sort()))
      .toEqual(['colour@studio.example', 'post@studio.example']);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('sends through a Portal by its address, with its code, its form and its terms', async () => {
    const portal = await newPortal(near.service, {
      name: 'Northlight dailies',
      has_access_code: true,
      access_code: 'harbour',
      terms_of_service_enabled: true,
      terms_of_service: { title: 'Terms', description: 'Be kind.', checkbox_label: 'I will be kind', checkbox_url: '' },
    });
    await askForm(near.service, portal.id, { fields: [formField('camera', { label: 'Camera', visibility: 'required' })] });
    await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
    await dialog().getByRole('radio', { name: 'Through a Portal' }).check();
    await dialog().getByLabel('Address of the Portal').fill(`${near.api.url}/p/${portal.subdomain}`);
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Access code').fill('lake');
    await page.keyboard.press('Enter');
    await page.getByText('This access code is wrong.').waitFor();
    await dialog().getByLabel('Access code').fill('harbour');
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Path', { exact: true }).fill(at('media/stills.zip'));
    await dialog().getByLabel('Package name').fill('Stills for Northlight');
    await dialog().getByLabel('Camera').fill('B');
    await dialog().getByLabel('Your e-mail address').fill('mia@harbour.example');
    await dialog().getByRole('button', { name: 'Send to Northlight dailies' }).click();
    await page.getByText('Agree to the terms to send.').waitFor();
    await dialog().getByLabel('I will be kind').check();
    await dialog().getByRole('button', { name: 'Send to Northlight dailies' }).click();
    await dialog().waitFor({ state: 'detached' });
    await rowSays('Stills for Northlight', 'Sent');
    const { body } = await asOwner<{ records: Package[] }>(near.service, 'GET', `/v1.1/portals/${portal.id}/packages`);
    const { body: told } = await near.service.call('GET', `/v1/packages/${body.records[0]!.id}/metadata`, {
      headers: { 'x-package-token': body.records[0]!.access_token },
    });
    expect(told).toMatchObject({ camera: { value: 'B' } });
  });

  it('gets some files of a link into a folder', async () => {
    const { links } = (await named('Day 1'))!;
    await page.getByRole('banner').getByRole('button', { name: 'Get files' }).click();
    await dialog().getByLabel('Download link').fill(links[0]!.url);
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Password of the link').fill('tell no one');
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Choose some of them').check();
    await dialog()
      .getByRole('checkbox', { name: /clip\.mov/ })
      .uncheck();
    await dialog().getByText('1 of 2 files').waitFor();
    await dialog().getByRole('textbox', { name: 'Folder' }).fill(at('incoming'));
    await dialog().getByRole('button', { name: 'Get files' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('Received', { exact: true }).waitFor();
    const got = Object.keys(readTree(at('incoming')));
    expect(got.filter((path) => /\.(mov|wav)$/.test(path))).toEqual([expect.stringMatching(/A001\/sound\/take\.wav$/)]);
  });

  it('orders, holds, ends and goes on as told, one by one and together', async () => {
    await place('Settings');
    await page.getByRole('radio', { name: 'One after another' }).click();
    await expect.poll(() => agent.engine.settings.current().order).toBe('strict');
    // So slowly that none is through before it is let go: each needs more than six minutes.
    await limitTo('0.02');
    await send(at('media/A002'), 'Day 2');
    await send(at('media/A003'), 'Day 3');
    await send(at('media/A004'), 'Day 4');
    await rowSays('Day 2', 'Sending');
    await rowSays('Day 4', 'Queued');
    await expect.poll(async () => (await order()).slice(0, 3), patiently).toEqual(['Day 2', 'Day 3', 'Day 4']);
    await page.getByRole('button', { name: 'More for Day 4' }).click();
    await page.getByRole('menuitem', { name: 'Move up' }).click();
    await page.getByText('Day 4 is now number 2 of').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await order()).slice(0, 3), patiently).toEqual(['Day 2', 'Day 3', 'Day 4']);
    await page.getByRole('button', { name: 'More for Day 4' }).click();
    await page.getByRole('menuitemradio', { name: 'High' }).click();
    await expect.poll(async () => (await order())[0], patiently).toBe('Day 4');
    await page.getByRole('button', { name: 'Pause: Day 2' }).click();
    await rowSays('Day 2', 'Paused');
    await page.getByRole('checkbox', { name: 'Select Day 3' }).click();
    await page.getByRole('checkbox', { name: 'Select Day 4' }).click();
    await page.getByRole('region', { name: 'Selected transfers' }).getByRole('button', { name: 'Pause' }).click();
    await page.getByText('2 transfers paused.').waitFor();
    await rowSays('Day 3', 'Paused');
    await page.getByRole('button', { name: 'Cancel: Day 3' }).click();
    await page.getByRole('button', { name: 'Undo: Day 3' }).click();
    expect(await named('Day 3')).toMatchObject({ state: 'paused' });
    await page.getByRole('button', { name: 'Cancel: Day 3' }).click();
    // Going elsewhere takes nothing back.
    await place('About');
    await expect.poll(async () => (await named('Day 3'))?.state, patiently).toBe('cancelled');
    await place('Transfers');
    await page.getByRole('button', { name: 'Try again: Day 3' }).click();
    await page.getByRole('button', { name: 'Resume all' }).click();
    await expect.poll(async () => (await named('Day 3'))?.state, patiently).not.toBe('cancelled');
  });

  it('shows one with its speed, why it is slow, its log, its receipt and its link', async () => {
    // Whichever had its turn when all were let go on.
    await rowSays('Day', 'Sending');
    await inOrder();
    await row('Sending').locator('.row-name').first().click();
    await page.getByRole('img', { name: /^Speed over the last minutes/ }).waitFor();
    await page.getByText('Just now a speed limit holds it.').waitFor();
    await page.getByText('clip.mov').waitFor();
    await limitTo('500');
    for (const name of ['Day 2', 'Day 3', 'Day 4']) await rowSays(name, 'Sent');
    await inOrder();
    await page.getByRole('link', { name: 'Day 4' }).click();
    await page.getByRole('heading', { name: 'Day 4' }).waitFor();
    await page.getByText('Priority changed').first().waitFor();
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByText('SHA-256 of the list').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: /^Copy/ }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe((await named('Day 4'))!.url);
  });

  it('says why it waits while the service is away, and goes on when it is back', async () => {
    await place('Transfers');
    near.api.down = true;
    near.api.cut();
    await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
    await dialog().getByLabel('Path', { exact: true }).fill(at('media/A002'));
    await dialog().getByLabel('Package name').fill('Day 5');
    await dialog().getByRole('radio', { name: 'As a link' }).check();
    await dialog().getByRole('button', { name: 'Send and make a link' }).click();
    await dialog().waitFor({ state: 'detached' });
    await rowSays('Day 5', /cannot be reached/);
    near.api.down = false;
    await rowSays('Day 5', 'Sent');
  });

  it('says that the session has ended, and goes on with what waited once somebody signs in again', async () => {
    const { userId, userToken } = near.service;
    const changed = await near.service.call('POST', `/v1/users/${userId}/password`, {
      headers: { 'x-user-token': userToken },
      body: { current_password: ownerPassword, password: newPassword },
    });
    expect(changed.status).toBe(204);
    await send(at('media/A003'), 'Day 6');
    await page.getByRole('alert').getByRole('button', { name: 'Sign in again' }).click();
    expect(await named('Day 6')).toMatchObject({ state: expect.stringMatching(/queued|transferring/), package_id: '' });
    await dialog().getByLabel('Password', { exact: true }).fill(newPassword);
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await rowSays('Day 6', 'Sent');
  });

  it('gives an application a token of its own, shows what it did, and ends it', async () => {
    await place('Settings');
    await page.getByText('No application has a token.').waitFor();
    await page.getByRole('button', { name: 'Add an application' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Wall display');
    await page.getByLabel('see transfers with the links of what was sent, events and settings').check();
    await page.getByLabel('send, receive, and change transfers; see all that').uncheck();
    await page.getByLabel('Its token ends').selectOption({ label: 'after 30 days' });
    await page.getByRole('button', { name: 'Make its token' }).click();
    const token = await page.getByText(/^lst_/).textContent();
    const asked = (path: string, method = 'GET') =>
      fetch(`${agent.url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status);
    expect([await asked('/transfers'), await asked('/transfers/pause', 'PUT')]).toEqual([200, 403]);
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.getByText(/^lst_/).count()).toBe(0);
    await page.getByRole('button', { name: 'What it did: Wall display' }).click();
    await page.getByText('PUT /api/v1/transfers/pause').waitFor();
    await page.getByText('answered 403, from 127.0.0.1').waitFor();
    await page.getByRole('button', { name: 'End: Wall display' }).click();
    await page.getByRole('button', { name: 'End it now' }).click();
    await page.getByText('No application has a token.').waitFor();
    expect(await asked('/transfers')).toBe(401);
  });

  it('finds all of it in the history', async () => {
    await place('History');
    await page.getByLabel('Search names, recipients, Portals and files').fill('stills');
    await page.getByRole('link', { name: 'Day 1' }).first().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Stills for Northlight' }).waitFor();
    expect(await page.locator('.history-list').getByRole('link').allTextContents()).toEqual(['Stills for Northlight', 'stills.zip']);
    expect(watched.complaints).toEqual([]);
    expect([...watched.hosts]).toEqual([new URL(agent.url).host]);
  });
});
