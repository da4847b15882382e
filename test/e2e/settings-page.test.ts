import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startAgent } from '#main/headless.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import { sampleRateLimit, sampleSession, sampleTransfer, sampleUnreachable } from '#test/support/browser/samples.ts';
import { secretsIn } from '#test/support/engine/secret-scan.ts';
import { inAll } from '#test/support/level.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { unzipped } from '#test/support/system/unzipped.ts';

describeAgentPage('the agent’s history, settings and page about it', { viewport: { width: 1280, height: 900 } }, (pages) => {
  const { open } = pages;
  it('keeps a history that can be searched, and goes on with what ends meanwhile', async () => {
    const done = (id: string, name: string) => sampleTransfer({ id, name, state: 'complete', finished_at: '2026-11-20T07:12:00.000Z' });
    const { agent, page } = await open({
      session: sampleSession(),
      transfers: [done('a', 'Trailer'), done('b', 'Sound rushes'), sampleTransfer()],
    });
    await page.getByRole('navigation').getByRole('link', { name: 'History' }).click();
    await page.getByRole('link', { name: 'Trailer' }).waitFor();
    // What is under way is in it, too, and follows the events.
    const dailies = page.getByRole('listitem').filter({ hasText: 'Dailies, day 12' });
    await dailies.getByText(/^Sending/).waitFor();
    agent.change('transfer-1', { state: 'complete', finished_at: '2026-11-20T09:00:00.000Z' });
    await dailies.getByText(/^Sent /).waitFor();
    await page.getByLabel('Search names, recipients, Portals and files').fill('sound');
    await page.getByRole('link', { name: 'Trailer' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Sound rushes' }).click();
    expect(page.url()).toContain('#/transfers/b');
  });

  it('sets limits by the week, folders, theme and language, each at once', async () => {
    const { agent, page } = await open(
      { session: sampleSession() },
      {
        prepare: (fake) => {
          fake.rateLimits.upload = sampleRateLimit({ rate_limit_bps: 5_000_000 });
        },
      },
    );
    await page.getByRole('heading', { name: 'Transfers', level: 1 }).waitFor();
    await page.keyboard.press('3');
    // Clicked, not checked: what is ticked follows the page's knowledge of the agent, a moment later.
    await page.getByLabel('Limit for sending').click();
    await page.getByLabel('At most (MB/s)').fill('12.5');
    await page.keyboard.press('Enter');
    await page.getByText('That is 100 Mbit/s on the line.').waitFor();
    await page.getByLabel('Only at certain times').click();
    const track = page.locator('.week-track').nth(1);
    const box = (await track.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.25, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 10, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => agent.rateLimits.upload.schedule.tue).toEqual({ enabled: true, start: '06:00', end: '18:00' });
    await page.getByLabel('Monday: limited').click();
    await page.getByLabel('Monday until').fill('20:15');
    await expect.poll(() => agent.rateLimits.upload.schedule.mon).toEqual({ enabled: true, start: '08:00', end: '20:15' });
    expect(agent.rateLimits.upload).toMatchObject({ enabled: true, rate_limit_bps: 12_500_000, schedule_enabled: true });

    await page.getByRole('radio', { name: 'One after another' }).click();
    await page.getByRole('radio', { name: 'Dark' }).click();
    await page.getByLabel('Language', { exact: true }).selectOption({ label: 'Deutsch' });
    await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
    // What is chosen shows before the agent has heard of it.
    await expect.poll(() => agent.settings).toMatchObject({ order: 'strict', appearance: 'dark', language: 'de' });
    expect(await page.evaluate(() => [document.documentElement.lang, getComputedStyle(document.body).colorScheme])).toEqual(['de', 'dark']);
    // Chosen once, it is there from the first moment on, and the browser's own wish is passed over.
    await page.emulateMedia({ colorScheme: 'light' });
    await page.reload();
    await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
    // What others set meanwhile, by the API alone, shows too.
    agent.settings = { ...agent.settings, history_days: 7 };
    agent.tellSettings();
    await expect.poll(() => page.getByLabel('Im Verlauf behalten').inputValue()).toBe('7');
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe('rgb(15, 23, 27)');
  });

  it('takes single characters as keys only while the settings say so, and never what is typed', async () => {
    const { agent, page } = await open({ session: sampleSession(), transfers: [sampleTransfer()] });
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
    await heading('Transfers');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Single characters are shortcuts').click();
    await expect.poll(() => agent.settings.letter_keys).toBe(false);
    const nothingHappens = async (): Promise<void> => {
      await page.getByRole('link', { name: 'Transfers' }).click();
      await heading('Transfers');
      await page.getByRole('link', { name: 'Dailies, day 12' }).focus();
      for (const key of ['?', 's', 'g', 'p', '/', '2']) await page.keyboard.press(key);
      expect(await page.evaluate(() => [location.hash, document.activeElement?.textContent])).toEqual(['#/transfers', 'Dailies, day 12']);
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(agent.calls.some(({ path }) => path.endsWith('/pause'))).toBe(false);
      // What is no character goes on.
      await page.keyboard.press('Space');
      await page.getByText('1 selected').waitFor();
      await page.keyboard.press('Escape');
    };
    await nothingHappens();
    await page.reload();
    await nothingHappens();
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('Single characters are switched off').waitFor();
    expect(await keys.getByText('Send files').count()).toBe(0);
    await keys.getByRole('link', { name: 'Settings' }).click();
    await heading('Settings');

    agent.settings = { ...agent.settings, letter_keys: true };
    agent.tellSettings();
    await expect.poll(() => page.getByLabel('Single characters are shortcuts').isChecked()).toBe(true);
    await page.keyboard.press('1');
    await heading('Transfers');
    await page.keyboard.press('/');
    await page.keyboard.type('sgp?12');
    expect(await page.getByLabel('Search by name').inputValue()).toBe('sgp?12');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(agent.calls.some(({ path }) => path.endsWith('/pause'))).toBe(false);
  });

  it(
    'says errors of the agent in the language of the page, and marks what it can only repeat',
    inAll('unit/renderer/messages/localized-text, and renderer-scenes in German'),
    async () => {
      const { agent, page } = await open(
        { session: sampleSession(), transfers: [sampleTransfer()] },
        {
          prepare: (fake) => {
            fake.settings = { ...fake.settings, language: 'de' };
            fake.create = () => {
              throw new AgentError('path_not_found', { path: '/media/gone' });
            };
          },
        },
      );
      await page.getByRole('heading', { name: 'Übertragungen', level: 1 }).waitFor();
      const failure = new ApiError('service_refused', { status: 418, detail: 'I am a teapot.' }).body;
      agent.change('transfer-1', { state: 'error', error: { ...failure, retryable: false } });
      const detail = page.locator('.row-detail');
      // The cause first, and the whole sentence where what needs a person stands.
      await expect.poll(() => detail.textContent()).toBe('Dienst lehnt ab (418)');
      await page.getByRole('link', { name: 'Braucht Sie 1' }).click();
      const whole = page.locator('.row-whole');
      await expect.poll(() => whole.textContent()).toBe('Der Dienst hat mit 418 geantwortet: I am a teapot.');
      expect(await whole.locator('[lang=en]').allTextContents()).toEqual(['I am a teapot.']);
      await page.getByRole('link', { name: 'Übertragungen' }).click();
      agent.change('transfer-1', { state: 'transferring', error: null, waiting: { reason: 'The storage is full; trying again in 60 s.' } });
      await expect.poll(() => detail.textContent()).toBe('Der Speicher ist voll. Nächster Versuch in 60 s.');
      expect(await detail.locator('[lang]').count()).toBe(0);
      await page.keyboard.press('s');
      await page.getByLabel('Pfad', { exact: true }).fill('/media/gone');
      await page.getByRole('radio', { name: 'Als Link' }).check();
      await page.getByRole('button', { name: 'Senden, Link erstellen' }).click();
      await page.getByText('Unter /media/gone gibt es keine Datei und keinen Ordner.').waitFor();
    },
  );

  it('shows what another page changed while its own change was under way', async () => {
    const { agent, page } = await open({ session: sampleSession() });
    const held = Promise.withResolvers<void>();
    const saved = Promise.withResolvers<void>();
    agent.after = (call) => {
      if (call !== 'PUT /api/v1/settings') return;
      saved.resolve();
      return held.promise;
    };
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('When a file is there already').selectOption('skip');
    await saved.promise;
    agent.settings = { ...agent.settings, history_days: 7 };
    agent.tellSettings();
    // An event of another kind comes after it: once that one shows, the page has heard both.
    agent.tellServices([sampleUnreachable()]);
    await page.getByRole('region', { name: 'share.example.com cannot be reached.' }).waitFor();
    held.resolve();
    await expect.poll(() => page.getByLabel('Keep in the history').inputValue()).toBe('7');
    expect(await page.getByLabel('When a file is there already').inputValue()).toBe('skip');
  });

  it(
    'tells by the browser’s notifications what has ended while the person looks at something else',
    inAll('unit/renderer/notices'),
    async () => {
      const { agent, page } = await open({ session: sampleSession(), transfers: [sampleTransfer()] });
      await page.getByText('112 MB/s', { exact: true }).waitFor();
      await page.evaluate(fakeNotifications);
      await page.keyboard.press('3');
      await page.getByText('This browser has to allow it first:').waitFor();
      await page.getByRole('button', { name: 'Allow in this browser' }).click();
      await page.getByText('This browser shows it while the page is open').waitFor();
      const shown = () => page.evaluate(() => (window as unknown as { shown: FakeNotification[] }).shown);
      const late = sampleTransfer({ id: 'late', name: 'Long ago', state: 'complete' });
      // What was over before, and what somebody cancelled, is no news.
      agent.add(late);
      agent.add(sampleTransfer({ id: 'gone', name: 'Wrong cut' }));
      agent.change('gone', { state: 'cancelled' });
      agent.change('transfer-1', { bytes: 5, seconds_left: 4 });
      agent.change('transfer-1', {
        state: 'error',
        error: { ...new AgentError('path_not_found', { path: '/media/A001' }).body, retryable: false },
      });
      await expect.poll(shown).toEqual([
        {
          title: 'Sending failed',
          body: 'Dailies, day 12: There is no file or folder at /media/A001.',
          silent: false,
          tag: 'transfer-1',
        },
      ]);
      await page.evaluate(() => (window as unknown as { click: () => void }).click());
      await page.getByRole('heading', { name: 'Dailies, day 12' }).waitFor();
      await page.keyboard.press('3');
      await page.getByLabel('Tell me when a transfer is done or has failed').click();
      await expect.poll(() => agent.settings.notifications).toBe(false);
      agent.change('transfer-1', { state: 'transferring', error: null });
      agent.change('transfer-1', { state: 'complete' });
      agent.settings = { ...agent.settings, history_days: 7 };
      agent.tellSettings();
      await expect.poll(() => page.getByLabel('Keep in the history').inputValue()).toBe('7');
      expect((await shown()).length).toBe(1);
    },
  );

  it('gives a support bundle of a real agent by a button, without a secret in it', inAll('agent-api-secrets'), async () => {
    const folder = await tempFolder();
    const secrets = { 'the API key': 'Kittiwake-key-1742', 'the link’s secret': 'Puffin31Secret41', 'a password': 'Razorbill "3141"' };
    const apiKey = secrets['the API key'];
    const agent = await startAgent({
      dataDir: folder.path,
      serviceUrl: 'http://127.0.0.1:9',
      apiKey,
      listen: { host: '127.0.0.1', port: 0 },
      guiDir: pages.gui,
    });
    const watched = await openPage(pages.browser, `${agent.url}/#/about`);
    try {
      const { page } = watched;
      const link = { url: `http://127.0.0.1:9/d/x?secret=${secrets['the link’s secret']}`, password: secrets['a password'] };
      const reply = await fetch(`${agent.url}/api/v1/downloads`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...link, dst_folder: folder.path }),
      });
      expect(reply.status).toBe(502);
      const { token } = await agent.engine.tokens.create({ name: 'Farm', scopes: ['read'] });
      const download = await downloadBy(page, () => page.getByRole('button', { name: 'Make a support bundle' }).click());
      expect(download.suggestedFilename()).toMatch(/^longshore-support-\d{4}-\d\d-\d\d\.zip$/);
      await page.getByText(`${download.suggestedFilename()} is in your browser’s downloads.`).waitFor();
      const entries = unzipped(await readFile(await download.path()));
      expect([...entries.keys()]).toContain('longshore-support/status.json');
      expect(entries.get('longshore-support/status.json')!.toString()).toContain('"version"');
      for (const [name, bytes] of entries) expect([name, secretsIn(bytes, { ...secrets, 'a token': token })]).toEqual([name, []]);
      expect(watched.complaints).toEqual([]);
    } finally {
      await watched.close();
      await agent.close();
      await folder.remove();
    }
  });

  it('puts a notice away for good, and leads from the settings to their parts and to the page about it', async () => {
    const warning = 'Secrets are kept in an encrypted file, because this machine has no keychain.';
    const { agent, page } = await open({ session: sampleSession(), warnings: [warning] });
    await page.getByRole('link', { name: '1 notice' }).click();
    await page.getByRole('button', { name: 'Put away' }).click();
    await page.getByText(warning).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '1 notice' }).waitFor({ state: 'detached' });
    expect(agent.settings.dismissed_warnings).toEqual([warning]);
    await page.getByRole('link', { name: 'Settings' }).click();
    const contents = page.getByRole('navigation', { name: 'On this page' });
    await contents.getByRole('button', { name: 'Keyboard' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keyboard');
    await contents.getByRole('link', { name: 'About Longshore' }).click();
    await page.getByRole('heading', { name: 'Support bundle' }).waitFor();
  });

  it('says what it is made of, and which keys there are', async () => {
    const { page } = await open({ session: sampleSession() });
    await page.getByRole('heading', { name: 'Transfers', level: 1 }).waitFor();
    await page.keyboard.press('4');
    await page.getByRole('button', { name: 'Show the licences' }).click();
    const licences = page.getByRole('list', { name: 'Licences' });
    await licences.getByText('react-dom').click();
    await licences.locator('details[open]').getByText('Permission is hereby granted').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

interface FakeNotification {
  readonly title: string;
  readonly body: string;
  readonly silent: boolean;
  readonly tag: string;
}

/** A browser whose window is behind another, and whose person allows notifications when asked. Runs in the page. */
function fakeNotifications(): void {
  const shown: FakeNotification[] = [];
  class Shown {
    static permission = 'default';
    static async requestPermission() {
      Shown.permission = 'granted';
      return 'granted';
    }
    onclick = () => {};
    constructor(title: string, { body, silent, tag }: Omit<FakeNotification, 'title'>) {
      shown.push({ title, body, silent, tag });
      Object.assign(window, { click: () => this.onclick() });
    }
    close() {}
  }
  document.hasFocus = () => false;
  Object.assign(window, { Notification: Shown, shown });
}
