import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Link } from '#protocol/hosted/links.ts';
import type { TeamSettings } from '#protocol/hosted/teams.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import { lookEverywhere, sizes, sticksOut } from '#test/support/browser/looks.ts';
import { inAll } from '#test/support/level.ts';
import { png } from '#test/support/service/images.ts';
import { managing, putPackage } from '#test/support/service/packages.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, type TestUser } from '#test/support/service/users.ts';

const logo = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="60"><rect width="160" height="60" fill="#1f6feb"/></svg>',
);

describeInBrowser('a Team in the console', (browserOf) => {
  let service: TestService;
  let team: string;
  let owner: TestUser;
  beforeAll(async () => {
    service = await startConsole();
    team = await addTeam(service, 'Northlight');
    owner = await addUser(service, 'owner', team);
  });
  afterAll(async () => {
    await service?.close();
  });

  const settings = async () =>
    (await service.call<TeamSettings>('GET', `/v1/teams/${team}`, { headers: { 'x-user-token': owner.token } })).body;

  it('looks good, is changed and saved, and says what is wrong at its field', async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${team}/team`, { userId: owner.userId });
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByLabel('Name of the Team').waitFor();
    expect(await save.isDisabled()).toBe(true);

    await page.getByLabel('Logo').setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: logo });
    await page.getByRole('img', { name: 'Logo' }).waitFor();
    await page.getByLabel('A colour of your own').check();
    await page.getByLabel('Address of your imprint').fill('https://example.com/imprint');
    await page.getByLabel('Address of your privacy policy').fill('no address');
    await page.getByLabel('Send only to these domains').fill('example.com\nfilms.example.org');
    await page.getByLabel('A longest time that packages are kept').check();
    await page.getByLabel('Days', { exact: true }).fill('30');
    await page.getByLabel('Limit downloads by link').check();
    await page.getByLabel('a day before it expires').check();
    await page.getByLabel('Ask recipients for a mailed code', { exact: true }).check();
    await page.getByLabel('Always ask recipients for a mailed code').check();
    expect(await page.getByLabel('Ask recipients for a mailed code', { exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('Language of mails').selectOption('de');
    await save.click();
    await page.getByLabel('Address of your privacy policy').and(page.locator('[aria-invalid=true]')).waitFor();
    await expectGoodLooks(page, { en: 'They hold for every member', de: 'Sie gelten für alle Mitglieder' });

    await page.getByLabel('Address of your privacy policy').fill('https://example.com/privacy');
    await page.getByLabel('Days that packages are kept', { exact: true }).fill('31');
    await save.click();
    await page.getByText('It is longer than max_expiry_days, 30 days.').first().waitFor();
    await page.getByLabel('Days that packages are kept', { exact: true }).fill('20');
    await save.click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await settings()).toMatchObject({
      ...{ primary_color: '#0b6b74', imprint_url: 'https://example.com/imprint', privacy_url: 'https://example.com/privacy' },
      ...{ recipient_domains: ['example.com', 'films.example.org'], max_expiry_days: 30, custom_expiry_default: 20 },
      ...{
        mail_language: 'de',
        verify_recipient_default: true,
        verify_recipient_required: true,
        notify_default: ['expires'],
        download_limit_enabled: true,
        download_limit_default: 5,
        logo_url: expect.stringContaining('/images/'),
      },
    });
    expect(await save.isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });

  it('tells what somebody else has saved meanwhile, and keeps what was not saved', async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${team}/team`, { userId: owner.userId });
    await page.getByLabel('Name of the Team').fill('Mine');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('These changes were not saved last time.').waitFor();
    const headers = { 'x-user-token': owner.token };
    await service.call('PUT', `/v1/teams/${team}`, { headers, body: { mail_language: 'en' } });
    await page.getByRole('button', { name: 'Save' }).click();
    await expectGoodLooks(page, { en: 'Somebody else has changed these settings', de: 'Jemand anderes hat diese Einstellungen geändert' });
    await page.getByRole('button', { name: 'Put my changes on top of theirs' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await settings()).toMatchObject({ name: 'Mine', mail_language: 'en' });
    await service.call('PUT', `/v1/teams/${team}`, { headers, body: { name: 'Northlight' } });
    expect(complaints).toEqual([]);
    await close();
  });

  it(
    'shows its branding, imprint and privacy policy on the download page',
    inAll('service/team-settings; e2e/account-pages shows both'),
    async () => {
      const id = await putPackage(service, { team_id: team, created_by: owner.userId, name: 'Dailies' });
      const headers = await managing(service, id, owner.userId);
      const link = (await service.call<Link>('POST', `/v1/packages/${id}/links`, { headers, body: {} })).body;
      const { page, complaints, close } = await openPage(browserOf(), link.url, { locale: 'en-GB' });
      await page.getByRole('img', { name: 'Northlight' }).waitFor();
      expect(await page.getByRole('link', { name: 'Imprint' }).getAttribute('href')).toBe('https://example.com/imprint');
      expect(await page.getByRole('link', { name: 'Privacy' }).getAttribute('rel')).toContain('noopener');
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('shows its usage, and saves it', inAll('service/usage, and settings that are saved'), async () => {
    const { db } = service.service.services;
    await db.updateTable('users').set({ name: '<img src=x onerror="window.attacked=1">' }).where('id', '=', owner.userId).execute();
    await putPackage(service, { team_id: team, created_by: owner.userId, size: 5_000_000, finalized_at: service.service.services.now() });
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${team}/usage?to=2020-01-01`, { userId: owner.userId });
    await expectGoodLooks(page, { en: 'Nothing in this time', de: 'Nichts in dieser Zeit' });
    await page.getByLabel('To', { exact: true }).fill('');
    await page.getByRole('cell', { name: /^5(\.0+)? MB$/ }).waitFor();
    await expectGoodLooks(page, { en: 'Not downloaded', de: 'Nicht heruntergeladen' });
    // On a phone nothing of it lies beside the screen.
    await page.setViewportSize(sizes.phone);
    const edges = await page
      .locator('.usage-table td')
      .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().right)));
    expect(edges.length).toBeGreaterThan(4);
    expect(Math.max(...edges)).toBeLessThanOrEqual(sizes.phone.width);
    // At 400 % (WCAG 2.2, 1.4.10).
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await sticksOut(page)).toEqual([]);
    await page.setViewportSize(sizes.desk);
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    const download = await downloadBy(page, () => page.getByRole('button', { name: 'Save as CSV' }).click());
    expect(download.suggestedFilename()).toBe('usage-member.csv');
    await page.getByLabel('From', { exact: true }).fill('2020-01-01');
    await page.getByText('At most 366 days at once').waitFor();
    expect(await page.getByRole('button', { name: 'Save as CSV' }).isDisabled()).toBe(true);
    await page.getByLabel('To', { exact: true }).fill('2020-12-31');
    await page.getByText('Nothing in this time').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('is for owners and admins', async () => {
    const { userId } = await addUser(service, 'integration_manager', team);
    const { page, close } = await openConsole(browserOf(), service, `/t/${team}/team`, { userId });
    await page.getByText('You may not see this').waitFor();
    await close();
  });

  it('shows its mails as they will look, before anything is saved', inAll('the same of a Portal, in portal-editor'), async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${team}/team`, { userId: owner.userId });
    const frame = page.frameLocator('iframe');
    await frame.getByText('Dailies, day 12').first().waitFor();
    const saved = await settings();
    await page.getByLabel('Name of the Team').fill('Nordlicht & <i>Söhne</i>');
    await frame.getByText('Nordlicht & <i>Söhne</i>').first().waitFor();
    await page.getByLabel('Logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png({ width: 64, height: 16 }) });
    await expect.poll(() => frame.locator('img').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(64);
    // Inline styles count in there, as in mail programs.
    await page.getByLabel('A colour of your own').check();
    const bar = frame.locator('td').nth(1);
    await expect.poll(() => bar.evaluate((cell) => getComputedStyle(cell).backgroundColor)).toBe('rgb(11, 107, 116)');
    expect(await frame.locator('a[href]').count()).toBe(0);
    await expectGoodLooks(page, { en: 'How your mails look', de: 'So sehen Ihre E-Mails aus' });

    const width = () => page.locator('iframe').evaluate((one) => one.clientWidth);
    expect(await width()).toBe(600);
    await page.getByLabel('Shown').selectOption('360');
    expect(await width()).toBe(360);
    await page.locator('.mail-choices').getByLabel('Language').selectOption('de');
    await frame.getByText('Muster, Drehtag 12').first().waitFor();
    await page.getByLabel('Mail', { exact: true }).selectOption('failed');
    await frame.getByText('Was geschehen ist').waitFor();
    await page.getByLabel('Mail', { exact: true }).selectOption('invitation');
    await frame.getByText('Nordlicht & <i>Söhne</i> beitreten').waitFor();
    await page.getByLabel('Shown').selectOption('text');
    await page.locator('pre').getByText('Einladung ansehen').waitFor();
    expect(await lookEverywhere(page)).toEqual([]);

    await page.getByLabel('Address of your imprint').fill('no address');
    await page.getByText('Something in this form is not right yet').waitFor();
    expect(await settings()).toEqual(saved);
    expect(complaints).toEqual([]);
    await close();
  });
});
