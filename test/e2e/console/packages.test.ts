import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#service/ids.ts';
import { stored } from '#service/portals/manage.ts';
import { defaultSettings } from '#service/portals/settings.ts';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { inAll } from '#test/support/level.ts';
import { linkedPackage } from '#test/support/service/download-link.ts';
import { linkCode } from '#test/support/service/link-codes.ts';
import { packageState, putPackage } from '#test/support/service/packages.ts';
import { openLink } from '#test/support/service/sender.ts';
import { ownerEmail, type TestService } from '#test/support/service/start-service.ts';
import { putConnection, putTransfer } from '#test/support/service/transfers.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

/** What a stranger could write where a person reads it. */
const probe = '<img src=x onerror="document.title=1">';

describeInBrowser('packages in the console', (browserOf) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startConsole({ allowPrivateWebhooks: true });
  });
  afterAll(async () => {
    await service?.close();
  });

  /** A Team of its own, with packages of these names. */
  async function teamWith(names: readonly string[], fields: Parameters<typeof putPackage>[1] = {}) {
    const teamId = await addTeam(service, 'Northlight');
    const { userId } = await addUser(service, 'owner', teamId);
    const at = service.service.services.now().getTime();
    const ids = [];
    for (const [index, name] of names.entries())
      ids.push(
        await putPackage(service, {
          team_id: teamId,
          created_by: userId,
          name,
          size: 2_400_000_000,
          total_files: 12,
          recipients: ['post@example.com', 'grade@example.com', 'sound@example.com'],
          created_at: new Date(at - index * 60_000),
          ...fields,
        }),
      );
    return { teamId, userId, ids };
  }

  it('are listed, searched and filtered by the address, and look good', async () => {
    const { teamId, userId, ids } = await teamWith(['Dailies, day 12', `Conform ${probe}`, 'Sound mix']);
    const { db, now } = service.service.services;
    await db.updateTable('packages').set({ contains_virus: true }).where('id', '=', ids[0]!).execute();
    // More than one list of choices holds.
    const times = { created_at: now(), updated_at: now() };
    const spaces = Array.from({ length: 51 }, (_, n) => ({ id: newId(), team_id: teamId, name: `Space ${n}`, ...times }));
    await db.insertInto('teamspaces').values(spaces).execute();
    await db
      .insertInto('teamspaces')
      .values({ id: newId(), team_id: teamId, name: `Über ${probe}`, ...times })
      .execute();
    const portals = Array.from({ length: 51 }, (_, n) => ({
      ...stored({ ...defaultSettings, name: `Door ${n}`, subdomain: `d-${newId()}` }),
      ...{ id: newId(), team_id: teamId, tag_id: null, teamspace_id: null, ...times },
    }));
    await db.insertInto('portals').values(portals).execute();
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${teamId}/packages`, { userId });
    await page.getByText(probe).waitFor();
    await page.getByText('never expires').first().waitFor();
    await page.getByText('Virus', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select Sound mix' }).check();
    await page.getByRole('button', { name: 'Filters' }).click();
    const space = page.getByLabel('Teamspace', { exact: true });
    await page.getByText('50 of 52. Search to find the others.').waitFor();
    await expectGoodLooks(page, { en: '1 package selected', de: '1 Paket ausgewählt' });
    expect(await space.getByRole('option').allInnerTexts()).not.toContain(`Über ${probe}`);
    await page.getByRole('searchbox', { name: 'Teamspace: search' }).fill('ÜBER');
    await page.getByText('1 found').waitFor();
    await space.selectOption(`Über ${probe}`);
    await page.getByText('No package matches').waitFor();
    // It is named still where it is not in the list.
    await page.reload();
    await expect.poll(() => space.locator('option:checked').innerText()).toBe(`Über ${probe}`);
    await space.selectOption('Any');
    const portal = page.getByLabel('Portal', { exact: true });
    await page.getByRole('searchbox', { name: 'Portal: search' }).fill('door 50');
    await page.getByText('1 found').waitFor();
    await portal.selectOption('Door 50');
    await page.getByText('No package matches').waitFor();
    await portal.selectOption('Any');
    await page.getByRole('checkbox', { name: 'Select Sound mix' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('day 12');
    await expect
      .poll(() =>
        page
          .getByRole('listitem')
          .filter({ has: page.getByRole('checkbox') })
          .count(),
      )
      .toBe(1);
    expect(new URL(page.url()).searchParams.get('q')).toBe('day 12');
    await page.reload();
    await page.getByRole('link', { name: 'Dailies, day 12' }).waitFor();
    await page.getByRole('button', { name: 'Received' }).click();
    await page.getByText('No package matches').waitFor();
    expect(await page.title()).toBe('Packages · Longshore');
    expect(complaints).toEqual([]);
    await close();
  });

  it(
    'are loaded page by page while one scrolls, with few rows in the page',
    inAll('service/package-list; unit/web/console/packages'),
    async () => {
      const { teamId, userId } = await teamWith(Array.from({ length: 130 }, (_, index) => `Reel ${index}`));
      const { page, close } = await openConsole(browserOf(), service, `/t/${teamId}/packages`, { userId });
      await page.getByText('130 packages').waitFor();
      await expect
        .poll(async () => {
          await page.mouse.wheel(0, 3_000);
          return await page.getByText('Reel 129', { exact: true }).count();
        })
        .toBe(1);
      expect(await page.getByRole('checkbox').count()).toBeLessThan(60);
      await close();
    },
  );

  it('are deleted together; those that fail are named', async () => {
    const { teamId, userId, ids } = await teamWith(['One', 'Two', 'Three']);
    const { page, close } = await openConsole(browserOf(), service, `/t/${teamId}/packages`, { userId });
    for (const name of ['One', 'Two', 'Three']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.route(`**/v1/packages/${ids[1]}`, (route) =>
      route.fulfill({ status: 403, json: { code: 131078, message: 'Not this one.' } }),
    );
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Done for 2 packages.').waitFor();
    await page.getByText('Two: Not this one.').waitFor();
    expect(await packageState(service, ids[0]!)).toBe('expired');
    expect(await packageState(service, ids[1]!)).toBe('finalized');
    // Its page says what became of it, and invites to nothing.
    await page.goto(`${service.url}/t/${teamId}/packages/${ids[0]}`);
    await page.getByText('Deleted by somebody, before its time').waitFor();
    await page.getByText('Deleted', { exact: true }).waitFor();
    await page.getByText('There is no link.').waitFor();
    await close();
  });

  it(
    'are kept longer, tagged and archived together, and renamed',
    inAll('several that are deleted together; service/package-life and service/tags'),
    async () => {
      const { teamId, userId, ids } = await teamWith(['One', 'Two']);
      const { db, now } = service.service.services;
      const tag = { id: newId(), team_id: teamId, name: 'Season 2', created_at: now(), updated_at: now() };
      await db.insertInto('tags').values(tag).execute();
      const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${teamId}/packages`, { userId });
      const dialog = page.getByRole('dialog');
      const begin = async (act: string): Promise<void> => {
        for (const name of ['One', 'Two']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
        await page.getByRole('region', { name: '2 packages selected' }).getByRole('button', { name: act, exact: true }).click();
      };
      const end = (act: string) => dialog.getByRole('button', { name: act, exact: true }).click();
      const rows = () => db.selectFrom('packages').select(['name', 'state', 'tag_id', 'expiry']).where('team_id', '=', teamId).execute();

      await begin('Change expiry');
      await expectGoodLooks(page, { en: 'Kept until the end of', de: 'Aufbewahren bis Ende des' });
      await dialog.getByLabel('Kept until the end of').fill('2001-03-01');
      await end('Change expiry');
      await dialog.getByText('Choose a day that is to come.').waitFor();
      await dialog.getByLabel('Kept until the end of').fill('2031-03-01');
      await end('Change expiry');
      await expect.poll(async () => (await rows()).map(({ expiry }) => expiry?.getFullYear())).toEqual([2031, 2031]);
      await begin('Tag');
      await end('Tag');
      await dialog.getByText('Choose a tag.').waitFor();
      await dialog.getByLabel('Tag', { exact: true }).selectOption('Season 2');
      await end('Tag');
      await expect.poll(async () => (await rows()).map(({ tag_id: id }) => id)).toEqual([tag.id, tag.id]);

      await page.getByRole('link', { name: 'One' }).click();
      await page.getByRole('button', { name: 'More for this package' }).click();
      await page.getByRole('menuitem', { name: 'Rename' }).click();
      await dialog.getByLabel('Name').fill(`Uno ${probe}`);
      await end('Rename');
      await page.getByRole('heading', { level: 1, name: `Uno ${probe}` }).waitFor();
      await dialog.waitFor({ state: 'detached' });
      await db.updateTable('packages').set({ state: 'expired' }).where('id', 'in', ids).execute();
      await db.updateTable('packages').set({ name: 'One' }).where('id', '=', ids[0]!).execute();
      await page.goto(`${service.url}/t/${teamId}/packages?show=expired`);
      await begin('Archive');
      await end('Archive');
      await expect.poll(async () => (await rows()).map(({ state }) => state)).toEqual(['archived', 'archived']);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it(
    'say that a virus was found, in the list, on their page and at the file',
    inAll('service/viruses; e2e/download-page for what is said of one'),
    async () => {
      const linked = await linkedPackage(service, { 'clean.txt': 'a', 'infected.exe': 'b' }, { package: { name: `Infected ${probe}` } });
      const { id } = linked.sender.package;
      const { db } = service.service.services;
      await db.updateTable('packages').set({ contains_virus: true }).where('id', '=', id).execute();
      await db.updateTable('files').set({ virus_detected: true }).where('package_id', '=', id).where('name', '=', 'infected.exe').execute();
      const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/packages?q=Infected`);
      await page.locator('.package-row').getByText('Virus', { exact: true }).waitFor();
      await expectGoodLooks(page, { en: '2 files', de: '2 Dateien' });
      await page.getByRole('link', { name: 'Infected' }).click();
      await page.locator('.file-row', { hasText: 'infected.exe' }).getByText('Virus', { exact: true }).waitFor();
      expect(await page.locator('.file-row', { hasText: 'clean.txt' }).getByText('Virus', { exact: true }).count()).toBe(0);
      await expectGoodLooks(page, { en: 'A virus was found in it.', de: 'Darin wurde ein Virus gefunden.' });
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it(
    'are put on hold with a reason, and deleted by nobody until that is lifted',
    inAll('service/package-hold, and a hold that is shown in live'),
    async () => {
      const { teamId, userId, ids } = await teamWith([`Evidence ${probe}`]);
      const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${teamId}/packages/${ids[0]}`, { userId });
      const more = page.getByRole('button', { name: 'More for this package' });
      await more.click();
      await page.getByRole('menuitem', { name: 'Put on hold' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Put on hold' }).click();
      await page.getByText('Say why, in some words.').waitFor();
      await expectGoodLooks(page, { en: 'Nobody and no expiry deletes it', de: 'Niemand und kein Ablauf löscht es' });
      await dialog.getByRole('textbox', { name: 'Reason' }).fill(`Dispute ${probe}`);
      await dialog.getByRole('button', { name: 'Put on hold' }).click();
      await page.getByText('On hold since').waitFor();
      await page.getByText(`Reason: Dispute ${probe}`).waitFor();
      await more.click();
      expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0);
      await page.keyboard.press('Escape');
      await expectGoodLooks(page, { en: 'nothing of it is deleted', de: 'Nichts davon wird gelöscht' });
      // The list says so, too.
      await page.getByRole('link', { name: 'Packages' }).first().click();
      await page.locator('.package-row').getByText('On hold', { exact: true }).waitFor();
      await page.goBack();
      await more.click();
      await page.getByRole('menuitem', { name: 'Lift the hold' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Lift the hold' }).click();
      await page.getByText('The hold is lifted.').waitFor();
      await expect.poll(() => page.getByText('On hold since').count()).toBe(0);
      expect(complaints).toEqual([]);
      await close();
      // Who may not is not shown it.
      const member = await addUser(service, 'member', teamId);
      await service.service.services.db.updateTable('packages').set({ created_by: member.userId }).where('id', '=', ids[0]!).execute();
      const other = await openConsole(browserOf(), service, `/t/${teamId}/packages/${ids[0]}`, { userId: member.userId });
      await other.page.getByRole('button', { name: 'More for this package' }).click();
      await other.page.getByRole('menuitem', { name: 'Delete' }).waitFor();
      expect(await other.page.getByRole('menuitem', { name: 'Put on hold' }).count()).toBe(0);
      await other.close();
    },
  );

  it('have a page with links, downloads, files to look at, and what webhooks were told, live', async () => {
    await service.call('POST', `/v1/teams/${service.teamId}/custom_webhooks`, {
      headers: { 'x-api-key': service.apiKey },
      // Nobody is there: the delivery fails, and says so.
      body: { active: true, events: ['package.finalized'], method: 'POST', scope: 'team', name: 'Slack', url: 'http://127.0.0.1:9/hook' },
    });
    const linked = await linkedPackage(
      service,
      { 'A001/a.mov': 'a', 'A001/b.mov': 'b', 'notes.txt': `c ${probe}` },
      { package: { name: `Dailies ${probe}` }, link: { email: 'post@example.com' } },
    );
    const id = linked.sender.package.id;
    // What the scan found, and what a check of the storage has.
    const at = service.service.services.now();
    const [ill, large] = ['A001/a.mov', 'A001/b.mov'].map((name) => linked.files.get(name)!.id) as [string, string];
    await service.service.services.db.updateTable('files').set({ virus_detected: true }).where('id', '=', ill).execute();
    await service.service.services.db
      .insertInto('scan_findings')
      .values({ file_id: large, package_id: id, kind: 'unscanned', detail: 'too_large', created_at: at })
      .execute();
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/packages/${id}`);
    await page.getByRole('heading', { name: `Dailies ${probe}` }).waitFor();
    await page.getByText('Nobody has downloaded it yet.').waitFor();
    // It asks for a code, which proves who downloads.
    const { db } = service.service.services;
    await db.updateTable('links').set({ verify_recipient: true }).where('id', '=', linked.link.id).execute();
    const { id: linkId, download_secret: secret } = linked.link;
    expect((await service.call('POST', `/v1/links/${linkId}/codes?secret=${secret}`)).status).toBe(202);
    const opened = await openLink(service, linked.link, undefined, { 'x-link-code': await linkCode(service, linkId) });
    const headers = { 'x-package-token': opened.body.package_token, 'user-agent': 'longshore/0.1.0' };
    await service.call('GET', `/v1/packages/${id}/files/${linked.files.get('notes.txt')!.id}/download`, { headers });
    await page.getByText('longshore 0.1.0, from 127.0.0.1').waitFor();
    await page.getByText('proved by a mailed code').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'longshore 0.1.0' }).getByText('notes.txt', { exact: true }).waitFor();
    await page.getByText(/asks for a mailed code/).waitFor();
    await page.getByText('b.mov').waitFor();
    for (const text of ['Found in 1 file.', 'too large to scan']) await page.getByText(text).waitFor();
    await page.getByRole('button', { name: 'Send again to Slack' }).waitFor();
    // Its deliveries, one of which failed: why, in the person's language.
    const connection = await putConnection(service, { name: `Archive ${probe}` });
    const delivery = { package_id: id, cloud_connection_id: connection, total_bytes: 42, bytes: 12 } as const;
    await putTransfer(service, { ...delivery, state: 'started' });
    const refused = 'There is no bucket of this name in the account. Make it, or correct the destination.';
    await putTransfer(service, { ...delivery, state: 'error', message: refused });
    await page.getByText(refused).waitFor();
    await expectGoodLooks(page, { en: 'What happened', de: 'In dem Konto gibt es keinen Bucket dieses Namens' });
    await page.getByRole('button', { name: 'Send again to Slack' }).first().click();
    await page.getByText('It is sent again.').waitFor();
    await page.getByRole('button', { name: 'Look at notes.txt' }).click();
    await page.getByRole('dialog').getByText(`c ${probe}`).waitFor();
    await expectGoodLooks(page, { en: '1 of 2', de: '1 von 2' });
    await page.keyboard.press('ArrowRight');
    // Here is no button to download it.
    await page.getByRole('dialog').getByText('This browser cannot show this file.', { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Add a link' }).click();
    const ask = page.getByRole('checkbox', { name: 'Ask them for a code that is mailed to this address' });
    expect(await ask.count()).toBe(0);
    await page.getByLabel('E-mail address').fill('grade@example.com');
    await ask.check();
    await page.getByRole('dialog').getByRole('button', { name: 'Add a link' }).click();
    await page.getByText('The link is made.').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'grade@example.com' }).first().waitFor();
    const made = db.selectFrom('links').select('verify_recipient').where('package_id', '=', id).where('email', '=', 'grade@example.com');
    expect(await made.executeTakeFirst()).toEqual({ verify_recipient: true });
    const mails = () =>
      db.selectFrom('messages').select('recipient').where('package_id', '=', id).where('recipient', '=', 'grade@example.com').execute();
    expect(await mails()).toHaveLength(1);
    const notify = async () => (await db.selectFrom('packages').select('notify').where('id', '=', id).executeTakeFirstOrThrow()).notify;
    await page.getByRole('checkbox', { name: 'A day before it expires' }).click();
    await expect.poll(notify).toEqual(['expires']);
    await expect.poll(() => page.getByRole('checkbox', { name: 'A day before it expires' }).isChecked()).toBe(true);
    // Whoever is here downloads by a link of their own, which is made once.
    const download = async () => {
      const tab = page.context().waitForEvent('page');
      await page.getByRole('button', { name: 'Download', exact: true }).click();
      await (await tab).waitForURL(/\/d\/[0-9a-f-]{36}\?secret=/);
      await page.getByRole('listitem').filter({ hasText: ownerEmail }).first().waitFor();
      await (await tab).close();
      return (await tab).url();
    };
    expect(await download()).toBe(await download());
    await page.getByRole('button', { name: 'Links' }).first().click();
    await page.getByRole('menuitem', { name: 'End it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
    await page.getByText('The link has ended.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('show on the first view what goes on', async () => {
    const { teamId, userId } = await teamWith(['Dailies, day 12', 'Conform'], {
      finalized_at: service.service.services.now(),
      usage_total_bytes: 2_400_000_000,
      expiry: new Date(service.service.services.now().getTime() + 86_400_000),
    });
    const { page, close } = await openConsole(browserOf(), service, `/t/${teamId}`, { userId });
    await page.getByText('4.8 GB', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Conform' }).waitFor();
    await expectGoodLooks(page, { en: 'Expires soon', de: 'Läuft bald ab' });
    await close();
  });

  it('are there for guests to read, and nothing else', inAll('contract/permissions, and view-states for a guest'), async () => {
    const { teamId, ids } = await teamWith(['Dailies, day 12'], { through_portal: true });
    const guest = await addUser(service, 'guest', teamId);
    const { page, close } = await openConsole(browserOf(), service, `/t/${teamId}/packages`, { userId: guest.userId });
    await page.getByRole('link', { name: 'Dailies, day 12' }).click();
    await page.getByRole('heading', { name: 'Dailies, day 12' }).waitFor();
    expect(page.url()).toContain(ids[0]!);
    expect(await page.getByRole('button', { name: 'Add a link' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Change expiry' }).count()).toBe(0);
    await close();
  });
});
