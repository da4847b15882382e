import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '#protocol/errors.ts';
import { axeFindings } from '#test/support/axe.ts';
import { findChromium, launchChromium, noChromium, openPage, type WatchedPage } from '#test/support/chromium.ts';
import { FakeAgent, type FakeAgentOptions } from '#test/support/fake-agent.ts';
import { type BuiltPages, buildPages } from '#test/support/pages.ts';
import { sampleSession, sampleTeam, sampleTransfer } from '#test/support/samples.ts';
import { scenes } from './scenes.ts';

const title = findChromium() ? 'the agent’s page in a browser' : `the agent’s page in a browser (${noChromium})`;

describe.skipIf(!findChromium())(title, () => {
  let pages: BuiltPages;
  let browser: Browser;
  const opened: { agent: FakeAgent; watched: WatchedPage }[] = [];

  beforeAll(async () => {
    pages = await buildPages('renderer');
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.remove();
  });
  afterEach(async () => {
    for (const { agent, watched } of opened.splice(0)) {
      await watched.close();
      await agent.stop();
      expect(watched.complaints).toEqual([]);
      expect([...watched.hosts]).toEqual([new URL(agent.url).host]);
    }
  });

  async function open(options: Omit<FakeAgentOptions, 'gui'>, prepare?: (agent: FakeAgent) => void, look?: BrowserContextOptions) {
    const agent = new FakeAgent({ gui: pages.folder, ...options });
    prepare?.(agent);
    await agent.start();
    const watched = await openPage(browser, agent.url, look);
    opened.push({ agent, watched });
    return { agent, page: watched.page };
  }

  it('signs in, shows who is signed in and the Teams, and signs out', async () => {
    const session = sampleSession({ teams: [sampleTeam(), sampleTeam({ id: 't2', name: 'Northlight Sound' })] });
    const { agent, page } = await open({}, (fake) => {
      fake.signIn = (email, password) => {
        expect([email, password]).toEqual(['mia@harbour.example', 'right']);
        return session;
      };
    });
    await page.getByLabel('E-mail').fill('mia@harbour.example');
    await page.getByLabel('Password').fill('right');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Mia Lindqvist' }).click();
    await page.getByText('Northlight Sound').waitFor();
    await page.getByText('mia@harbour.example').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(agent.session).toBeNull();
  });

  it('says that the password is wrong, keeps the address and selects the password', async () => {
    const { page } = await open({});
    await page.getByLabel('E-mail').fill('mia@harbour.example');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe('mia@harbour.example');
    expect(await page.evaluate(() => getSelection()?.type !== 'None' && document.activeElement?.getAttribute('type'))).toBe('password');
  });

  it('says that the service cannot be reached', async () => {
    const { page } = await open({}, (fake) => {
      fake.signIn = () => {
        throw new ApiError('service_unreachable', { url: 'https://share.example.com', detail: 'the name is not known' });
      };
    });
    await page.getByLabel('E-mail').fill('mia@harbour.example');
    await page.getByLabel('Password').fill('right');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The service at https://share.example.com cannot be reached: the name is not known.').waitFor();
  });

  it('copies the link', async () => {
    const url = 'https://share.example.com/d/1?secret=2';
    const { page } = await open({ session: sampleSession(), transfers: [sampleTransfer({ state: 'complete', url })] });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link of Dailies, day 12' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url);
  });

  it('notices that the session ended elsewhere', async () => {
    const { agent, page } = await open({ session: sampleSession() });
    await page.getByText('Nothing on the move').waitFor();
    agent.session = null;
    agent.emit({ type: 'session.changed', session: null });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('sends what was asked, and says what the agent finds wrong', async () => {
    let wrong = true;
    const { agent, page } = await open({ session: sampleSession() }, (fake) => {
      fake.create = () => {
        if (wrong) throw new ApiError('path_not_found', { path: '/media/A009' });
        return sampleTransfer({ state: 'queued', bytes: 0 });
      };
    });
    await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
    await page.getByLabel('Files and folders').fill('media/A001');
    await page.getByLabel('Recipients').fill('post@example.com, colour@example.com');
    await page.getByLabel('Package name').fill('Dailies, day 12');
    const send = page.getByRole('button', { name: 'Send to Harbour Pictures' });
    await send.click();
    await page.getByText('“media/A001” is not a whole path.').waitFor();
    await page.getByLabel('Files and folders').fill('/media/A001\n\n/media/A002');
    await send.click();
    await page.getByText('There is no file or folder at /media/A009.').waitFor();
    wrong = false;
    await send.click();
    await page.getByText('Queued').waitFor();
    expect(agent.calls.filter((call) => call.path === '/api/v1/uploads').at(-1)?.body).toEqual({
      team_id: 'team-1',
      paths: ['/media/A001', '/media/A002'],
      package_name: 'Dailies, day 12',
      recipients: ['post@example.com', 'colour@example.com'],
    });
  });

  it('opens the folded part of the form when something in it is wrong', async () => {
    const { agent, page } = await open({ session: sampleSession() });
    await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
    await page.getByLabel('Files and folders').fill('/media/A001');
    const folded = page.getByText('Message and password');
    const password = page.getByLabel('Password for the link');
    await folded.click();
    await password.pressSequentially('short');
    await folded.click();
    await password.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Send to Harbour Pictures' }).click();
    await password.waitFor();
    expect(agent.calls.some((call) => call.path === '/api/v1/uploads')).toBe(false);
  });

  it('gets files with a link and its password, signed out', async () => {
    const { agent, page } = await open({}, (fake) => {
      fake.create = (body) => {
        if (!body.password) throw new ApiError('link_password_wrong');
        return sampleTransfer({ kind: 'download', name: 'Music stems', dst_folder: '/media/incoming' });
      };
    });
    await page.getByRole('main').getByRole('button', { name: 'Get files' }).click();
    await page.getByLabel('Download link').fill('https://share.example.com/d/1?secret=2');
    await page.getByRole('textbox', { name: 'Folder' }).fill('/media/incoming');
    const get = page.getByRole('dialog').getByRole('button', { name: 'Get files' });
    await get.click();
    await page.getByLabel('Password of the link').fill('letmein');
    await get.click();
    await page.getByText('Music stems').waitFor();
    expect(agent.calls.filter((call) => call.path === '/api/v1/downloads').at(-1)?.body).toEqual({
      url: 'https://share.example.com/d/1?secret=2',
      password: 'letmein',
      dst_folder: '/media/incoming',
      create_package_folder: true,
    });
  });

  it('asks for the token of an agent beyond this machine, and then follows it', async () => {
    const { agent, page } = await open({ token: 'right', session: sampleSession() });
    await page.getByLabel('Agent token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The agent did not accept the token.').waitFor();
    await page.getByLabel('Agent token').fill('right');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing on the move').waitFor();
    await expect.poll(() => agent.followers).toBe(1);
    agent.add(sampleTransfer());
    await page.getByText('Sending').waitFor();
  });

  it('is used by keyboard alone', async () => {
    const { page } = await open({ session: sampleSession(), transfers: [sampleTransfer()] });
    await page.getByText('Sending').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
  });

  describe('is accessible in light and dark, wide and narrow', () => {
    it.each(scenes)('$name', async ({ agent: how, prepare, act, shows }) => {
      const { agent, page } = await open(how, prepare, { colorScheme: 'light', reducedMotion: 'reduce' });
      await act?.(page, agent);
      await page.getByText(shows).first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axeFindings(page, ['color-contrast'])).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await axeFindings(page, ['target-size', 'button-name', 'scrollable-region-focusable'])).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    });
  });
});
