import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#service/ids.ts';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { inAll } from '#test/support/level.ts';
import { newPortal } from '#test/support/service/portals.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

const hostile = '<img src=x onerror=alert(1)>';

describeInBrowser("the console's Portals", (browserOf) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startConsole();
  });
  afterAll(async () => {
    await service?.close();
  });

  it('teaches the first step, and takes it in one click', async () => {
    const team = await addTeam(service, 'Northlight');
    const { userId } = await addUser(service, 'owner', team);
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${team}/portals`, { userId });
    await expectGoodLooks(page, { en: 'Your Team has no Portal yet', de: 'Ihr Team hat noch kein Portal' });
    await page.getByRole('button', { name: 'Portal in one click' }).last().click();
    await page.getByText('Your Portal is open.').waitFor();
    const address = await page.locator('.portal-address-link').getAttribute('href');
    const visitor = await browserOf().newPage();
    await visitor.goto(address!);
    await visitor.getByRole('heading', { name: 'Northlight' }).waitFor();
    await visitor.close();
    expect(complaints).toEqual([]);
    await close();
  });

  it('are cards with address, QR code and switch, found by name', async () => {
    const tagged = await newPortal(service, {
      name: `Dailies ${hostile}`,
      access_code: 'blue hour',
      access_level: 'private',
      primary_color: '#7a2e8f',
      expiry_enabled: true,
      expiry: '2031-03-01T00:00:00.000Z',
    });
    await newPortal(service, { name: 'Grading', active: false });
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/portals`);
    await expectGoodLooks(page, { en: 'Grading', de: 'Geschlossen' });
    await page.getByLabel('Search by name').fill('dail');
    await page.getByText('Grading').waitFor({ state: 'detached' });
    const card = page.getByRole('listitem').filter({ hasText: hostile });
    await card.getByRole('switch').click();
    await page.getByText('is closed.').waitFor();
    const read = () => service.service.services.db.selectFrom('portals').select('active').where('id', '=', tagged.id).executeTakeFirst();
    expect(await read()).toEqual({ active: false });
    expect(await card.getByRole('button', { name: /^Ask for files/ }).isDisabled()).toBe(true);
    await card.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'QR code' }).click();
    await expectGoodLooks(page, { en: 'Point a phone’s camera', de: 'Halten Sie die Kamera' });
    await page.keyboard.press('Escape');
    await card.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No Portal matches').waitFor();
    expect(await read()).toBeUndefined();
    expect(complaints).toEqual([]);
    await close();
  });

  it('ask people for files by mail', inAll('service/portal-requests'), async () => {
    const portal = await newPortal(service, { name: 'Camera cards', access_code: 'blue hour' });
    const { page, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/portals?name=Camera`);
    await page.getByRole('button', { name: 'Ask for files: Camera cards' }).click();
    await expectGoodLooks(page, { en: 'Replies go to you', de: 'Antworten gehen an Sie' });
    await page.getByLabel('E-mail addresses').fill('mia@example.com, not an address');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('not an address is not an e-mail address').waitFor();
    const email = `jonas-${newId()}@example.com`;
    await page.getByLabel('E-mail addresses').fill(`Jonas <${email}>\nmia-${email}`);
    await page.getByRole('textbox', { name: 'Message' }).fill('The cards, please.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('2 people were asked.').waitFor();
    const { db } = service.service.services;
    const asked = await db
      .selectFrom('portal_requests')
      .innerJoin('messages', 'portal_request_id', 'portal_requests.id')
      .select(['message', 'recipient'])
      .where('portal_id', '=', portal.id)
      .orderBy('recipient')
      .execute();
    expect(asked).toEqual([
      { message: 'The cards, please.', recipient: email },
      { message: 'The cards, please.', recipient: `mia-${email}` },
    ]);
    await close();
  });

  it('are made with an address of their own, which may be taken', async () => {
    const { subdomain } = await newPortal(service);
    const { page, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/portals`);
    await page.getByRole('button', { name: 'New Portal' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Tränen der Nacht');
    expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe('tranen-der-nacht');
    await page.getByLabel('Address', { exact: true }).fill(subdomain);
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByText('is taken by another Portal').waitFor();
    await page.getByLabel('Address', { exact: true }).fill(`p-${newId()}`);
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.waitForURL(/\/portals\/[0-9a-f-]{36}$/);
    await close();
  });

  it('are not for members', async () => {
    const { userId } = await addUser(service, 'member');
    const { page, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/portals`, { userId });
    await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
    expect(await page.getByRole('link', { name: 'Portals' }).count()).toBe(0);
    await close();
  });
});
