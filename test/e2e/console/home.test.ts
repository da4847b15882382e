import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { putPackage } from '#test/support/service/packages.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

const day = 24 * 3_600_000;

describeInBrowser('what is stored, on Home', (browserOf) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startConsole();
  });
  afterAll(async () => {
    await service?.close();
  });

  /** A Team that has stored ever more for 20 days. */
  async function growingTeam() {
    const { db, now } = service.service.services;
    const team = await addTeam(service, 'Northlight');
    const daysAgo = (days: number) => new Date(now().getTime() - days * day);
    await db
      .updateTable('teams')
      .set({ created_at: daysAgo(19) })
      .where('id', '=', team)
      .execute();
    const size = 40_000_000_000;
    for (const [index, ago] of [18, 15, 14, 9, 6, 2].entries()) {
      const amounts = { size: size * (index + 1), usage_total_bytes: size * (index + 1), total_files: 1 };
      await putPackage(service, { team_id: team, created_by: null, through_portal: true, finalized_at: daysAgo(ago), ...amounts });
    }
    // As if it had been there on each of these days, when they were written down.
    await db.deleteFrom('storage_days').execute();
    await runJob(service.service.services, 'teams.storage_days', {});
    return team;
  }

  it('is shown by day, with the first step to its cost, and then the cost', async () => {
    const team = await growingTeam();
    const owner = await addUser(service, 'owner', team);
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${team}`, { userId: owner.userId });
    const chart = page.getByRole('list', { name: 'Stored by day' });
    await chart.waitFor();
    expect(await chart.getByRole('listitem').count()).toBe(20);
    expect(await chart.getByRole('listitem').last().textContent()).toMatch(/: 840 GB$/);
    await expectGoodLooks(page, { en: 'Set the price', de: 'Preis angeben' });

    await page.getByRole('link', { name: 'Set the price' }).click();
    await page.getByLabel('Price of a GiB for a month').fill('0.03');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Name the currency of storage_price, such as EUR.').first().waitFor();
    await page.getByLabel('Currency').selectOption('EUR');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Home' }).first().click();
    await page.getByText(/^€0\.\d\d a day as it is now/).waitFor();
    expect(await chart.getByRole('listitem').last().textContent()).toMatch(/: 840 GB, €0\.\d\d$/);
    // An operator has set limits, and little is left of one.
    await service.service.services.db
      .insertInto('quotas')
      .values({ holder_id: team, team_id: team, storage_limit: 1e12, storage_used: 850e9, traffic_limit: 20e12, counted: true })
      .execute();
    await page.reload();
    await page.getByText('850 GB of 1 TB are taken').waitFor();
    await page.getByText('Little is left of a limit').waitFor();
    await expectGoodLooks(page, { en: 'in the last 20 days', de: 'in den letzten 20 Tagen' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('is no more than a figure for who does not manage the Team', async () => {
    const team = await growingTeam();
    const member = await addUser(service, 'member', team);
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${team}`, { userId: member.userId });
    await page.getByText('840 GB').waitFor();
    expect(await page.getByRole('list', { name: 'Stored by day' }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});
