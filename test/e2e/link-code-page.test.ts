import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Download } from '#protocol/hosted/downloads.ts';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import { lookEverywhere } from '#test/support/browser/looks.ts';
import { inAll } from '#test/support/level.ts';
import { linkedPackage } from '#test/support/service/download-link.ts';
import { parseMail, startMailServer, type TestMailServer } from '#test/support/service/mail-server.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** A link that asks for a code: real service, real mail server, real browser. */
describeInBrowser('the page of a link that asks for a code', (browserOf) => {
  let web: BuiltPages;
  let server: TestMailServer;
  let t: TestService;
  let offset = 0;

  beforeAll(async () => {
    [web, server] = await Promise.all([buildPages('web'), startMailServer()]);
    t = await startTestService({
      webDir: web.folder,
      now: () => new Date(Date.now() + offset),
      smtpUrl: `smtp://127.0.0.1:${server.port}`,
      mailFrom: 'files@harbour.example',
    });
  });
  afterAll(async () => {
    await t?.close();
    await server?.close();
  });

  const made = (fields: Record<string, unknown> = {}) =>
    linkedPackage(
      t,
      { 'a.txt': 'hello' },
      { package: { name: 'Day 12' }, link: { email: 'mia@example.com', verify_recipient: true, ...fields } },
    );
  const mails = () => server.received.map(({ content }) => parseMail(content));
  const lastCode = () => /\b\d{4} \d{4}\b/.exec(mails().at(-1)!.text)![0];
  const wrong = (code: string) => `${(Number(code[0]) + 1) % 10}${code.slice(1)}`;
  const give = async (page: Page, code: string) => {
    await page.getByLabel('Code', { exact: true }).fill(code);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
  };

  it('has it mailed, says what is wrong with one, opens with the right one, and asks once', async () => {
    const { sender, link } = await made();
    const { page, complaints, close } = await openPage(browserOf(), link.url, { reducedMotion: 'reduce' });
    const translate = (on: Page) => on.locator('select.language').selectOption('de');
    const back = (on: Page) => on.locator('select.language').selectOption('en');
    await page.getByRole('heading', { name: 'These files are for one person' }).waitFor();
    expect(mails()).toEqual([]);
    expect(await lookEverywhere(page, { translate })).toEqual([]);
    await back(page);

    await page.getByRole('button', { name: 'Mail me the code' }).click();
    await page.getByText(/^We mailed a code to m…\u2060?@example\.com\./).waitFor();
    await expect.poll(() => mails().length).toBe(1);
    const field = page.getByLabel('Code', { exact: true });
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code');
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
    // A minute is between two.
    expect(await page.getByRole('button', { name: /^Mail another code in/ }).isDisabled()).toBe(true);
    const first = lastCode();
    // In the page's words: a browser's own are of another language, and do not say what is missing.
    await give(page, first.slice(0, 6));
    await page.getByText('The code has 8 digits.').waitFor();
    await give(page, wrong(first));
    await page.getByText('This code is wrong.').waitFor();
    expect(await lookEverywhere(page, { translate })).toEqual([]);
    await back(page);
    for (let tries = 0; tries < 4; tries++) {
      await give(page, wrong(first));
      await page.getByText('This code is wrong.').waitFor();
    }
    await give(page, first);
    await page.getByText('This code is no longer valid').waitFor();

    offset += 61_000;
    await page.reload();
    await page.getByRole('button', { name: 'Mail me the code' }).click();
    await expect.poll(() => mails().length).toBe(2);
    await give(page, lastCode());
    await page.getByRole('heading', { name: 'Day 12' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Day 12' }).waitFor();
    const download = await downloadBy(page, () => page.getByRole('button', { name: 'Download', exact: true }).first().click());
    await download.cancel();
    const { body } = await t.call<{ records: Download[] }>('GET', `/v1/packages/${sender.package.id}/downloads`, { headers: sender.token });
    expect(body.records).toMatchObject([{ email: 'mia@example.com', verified: true }]);
    expect(complaints.filter((one) => !one.includes('401'))).toEqual([]);
    await close();
  });

  it(
    'asks for the password first, and says that a code is on its way already',
    inAll('service/link-codes; a code that is asked for, and a password on the download page'),
    async () => {
      const { link } = await made({ password: 'harbour!' });
      const before = mails().length;
      const { page, close } = await openPage(browserOf(), link.url, { reducedMotion: 'reduce' });
      await page.getByLabel('Password').fill('harbour!');
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.getByRole('button', { name: 'Mail me the code' }).click();
      await page.getByText('We mailed a code to').waitFor();
      await page.reload();
      await page.getByLabel('Password').fill('harbour!');
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.getByRole('button', { name: 'Mail me the code' }).click();
      await page.getByText('A code was mailed a moment ago.').waitFor();
      // No address is shown then that somebody could compare.
      expect(await page.getByText('the address above').count()).toBe(0);
      await expect.poll(() => mails().length).toBe(before + 1);
      await give(page, lastCode());
      await page.getByRole('heading', { name: 'Day 12' }).waitFor();
      await close();
    },
  );
});
