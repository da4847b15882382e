import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningAgent, startAgent } from '#main/headless.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Real service, real agent, real pages, real browser: what a person does, from signing in to the saved file. */
describeInBrowser('a crossing by hand', (browserOf) => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let gui: BuiltPages;
  let web: BuiltPages;
  let service: TestService;
  let agent: RunningAgent;
  const clip = randomBytes(3_000_000);

  beforeAll(async () => {
    folder = await tempFolder();
    [gui, web] = await Promise.all([buildPages('renderer'), buildPages('web')]);
    service = await startTestService({ webDir: web.folder });
    agent = await startAgent({
      dataDir: join(folder.path, 'agent'),
      serviceUrl: service.url,
      listen: { host: '127.0.0.1', port: 0 },
      guiDir: gui.folder,
    });
    await mkdir(join(folder.path, 'A001/audio'), { recursive: true });
    await writeFile(join(folder.path, 'A001/A001C001.mov'), clip);
    await writeFile(join(folder.path, 'A001/audio/notes.txt'), 'Wind on take 3.\n');
  });
  afterAll(async () => {
    await agent?.close();
    await service?.close();
    await folder?.remove();
  });

  it('signs in, sends, opens the link, saves the file, and gets it all with the agent', async () => {
    const { page, complaints, hosts, close } = await openPage(browserOf(), `${agent.url}/`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByLabel('E-mail', { exact: true }).fill(ownerEmail);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(ownerPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Transfers', level: 1 }).waitFor();

    await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
    await page.getByLabel('Path', { exact: true }).fill(join(folder.path, 'A001'));
    await page.getByRole('radio', { name: 'As a link' }).check();
    await page.getByLabel('Password for the link').fill('tell no one');
    await page.getByRole('button', { name: 'Send and make a link' }).click();
    await page.getByText('Sent', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Copy link of A001' }).click();
    await page.getByText('Copied').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(new RegExp(`^${service.url}/d/[^/?]+\\?secret=.+`));

    const visitor = await openPage(browserOf(), link);
    await visitor.page.getByLabel('Password').fill('a guess');
    await visitor.page.getByRole('button', { name: 'Open' }).click();
    await visitor.page.getByText('This password is wrong.').waitFor();
    expect(await axeFindings(visitor.page)).toEqual([]);
    await visitor.page.getByLabel('Password').fill('tell no one');
    await visitor.page.getByRole('button', { name: 'Open' }).click();
    await visitor.page.getByRole('heading', { name: 'A001' }).waitFor();
    expect(await axeFindings(visitor.page)).toEqual([]);
    const download = await downloadBy(visitor.page, () => visitor.page.getByRole('button', { name: 'Download A001/A001C001.mov' }).click());
    expect(download.suggestedFilename()).toBe('A001C001.mov');
    expect((await readFile(await download.path())).equals(clip)).toBe(true);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();

    await page.getByRole('banner').getByRole('button', { name: 'Get files' }).click();
    await page.getByLabel('Download link').fill(link);
    await page.keyboard.press('Enter');
    await page.getByLabel('Password of the link').fill('tell no one');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Folder' }).fill(join(folder.path, 'incoming'));
    await page.getByRole('dialog').getByRole('button', { name: 'Get files' }).click();
    await page.getByText('Received', { exact: true }).waitFor();
    expect((await readFile(join(folder.path, 'incoming/A001/A001/A001C001.mov'))).equals(clip)).toBe(true);

    await page.getByRole('button', { name: /, accounts/i }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    // What was transferred stays in sight, and signing in stands above it.
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await page.getByText('Received', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(agent.url).host]);
    await close();
  });

  it.each([
    ['a wrong secret', (link: string) => link.replace(/secret=.*/, 'secret=wrong'), 'This link does not work'],
    ['no secret', (link: string) => link.replace(/\?secret=.*/, ''), 'This link is not whole'],
    ['an unknown link', (link: string) => link.replace(/\/d\/[^?]+/, '/d/nothing'), 'This link does not work'],
  ])('says what is the matter with %s', async (_, broken, words) => {
    const { total, records } = await agent.engine.transfers.list('upload', { page: 1, limit: 1 });
    expect(total).toBe(1);
    const { page, complaints, close } = await openPage(browserOf(), broken(records[0]!.url));
    await page.getByRole('heading', { name: words }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});
