import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import { sizes, sticksOut } from '#test/support/browser/looks.ts';
import { inAll } from '#test/support/level.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, type TestUser } from '#test/support/service/users.ts';

const probe = '<img src=x onerror="window.attacked=1">=1+1';

describeInBrowser('the audit log in the console', (browserOf) => {
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

  const ask = (method: string, path: string, body: unknown) =>
    service.call(method, path, { headers: { 'x-user-token': owner.token, 'user-agent': probe }, body });

  it('teaches what will stand there, tells what happened, and looks good', async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${team}/audit-log`, { userId: owner.userId });
    await expectGoodLooks(page, { en: 'Nothing has happened yet', de: 'Noch ist nichts geschehen' });
    // At 400 % (WCAG 2.2, 1.4.10).
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await sticksOut(page)).toEqual([]);
    await page.setViewportSize(sizes.desk);
    await ask('POST', `/v1/teams/${team}/tags`, { name: probe });
    await ask('PUT', `/v1/teams/${team}`, { max_expiry_days: 60, recipient_domains: ['example.com', 'films.example.org'] });
    for (let n = 0; n < 110; n += 1) await ask('POST', `/v1/teams/${team}/tags`, { name: `Tag ${n}` });
    await page.reload();
    const list = page.getByRole('list', { name: 'Audit log' });
    await list.getByText('Tag 109').waitFor();

    // Filters stand in the address.
    await page.getByLabel('About').selectOption('team');
    await list.getByRole('button', { name: /Team settings changed/ }).click();
    await page.getByText('0 → 60').waitFor();
    await page.getByText('– → example.com, films.example.org').waitFor();
    expect(new URL(page.url()).searchParams.get('action')).toBe('team');
    await expectGoodLooks(page, { en: 'Team settings changed', de: 'Team-Einstellungen geändert' });
    await page.getByRole('button', { name: 'All by this person' }).click();
    await page.getByRole('button', { name: 'Remove the filter “One person”' }).click();
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('Nothing found').waitFor();
    await page.getByRole('button', { name: 'Remove all filters' }).click();
    await list.getByText('Tag 109').waitFor();

    // Further pages come while one scrolls, and texts of others are only shown.
    await page.mouse.move(700, 600);
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 20_000);
        return await list.getByText(probe).count();
      })
      .toBe(1);
    await list.getByRole('button', { name: /Tag made <img/ }).click();
    await page.getByText(probe).nth(1).waitFor();
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expect(complaints).toEqual([]);
    await close();
  });

  it('is verified, compared with a link that was kept, and exported', inAll('service/audit-log'), async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${team}/audit-log?action=team`, {
      userId: owner.userId,
    });
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The log is intact. All 112 entries').waitFor();
    const head = await page.locator('code').innerText();
    expect(head).toMatch(/^112:[0-9a-f]{64}$/);
    await expectGoodLooks(page, { en: 'The log is intact', de: 'Das Protokoll ist unverändert' });
    await page.getByLabel('A link that you kept').fill(head.replace('112:', '111:'));
    await page.getByText('Position 111 has another hash than was noted.').waitFor();
    await page.getByLabel('A link that you kept').fill(head);
    await page.getByText('The log is intact').waitFor();
    await page.getByLabel('A link that you kept').fill('nonsense');
    await page.getByText('This is not a link of the log').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Export' }).click();
    const download = await downloadBy(page, () => page.getByRole('menuitem', { name: /As CSV/ }).click());
    expect(download.suggestedFilename()).toBe('audit-log.csv');
    const rows = parse(await readFile(await download.path()), { columns: true }) as Record<string, string>[];
    expect(rows.map((row) => row['action'])).toEqual(['team.changed']);
    expect(complaints).toEqual([]);
    await close();
  });

  it('is for owners and admins', async () => {
    const { userId } = await addUser(service, 'member', team);
    const { page, close } = await openConsole(browserOf(), service, `/t/${team}/audit-log`, { userId });
    await page.getByText('You may not see this').waitFor();
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await close();
  });
});
