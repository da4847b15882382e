import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ListedApiKey } from '#protocol/hosted/accounts.ts';
import type { Filter } from '#protocol/hosted/filters.ts';
import type { Tag } from '#protocol/hosted/tags.ts';
import type { Role } from '#protocol/roles.ts';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { firstOf } from '#test/support/level.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { addUser, type TestUser } from '#test/support/service/users.ts';

/** Would run if a page took it for more than text. */
const probe = '<img src=x onerror="document.title=1"> &amp;';

describeInBrowser('tags, filters and API keys', (browserOf) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startConsole();
  });
  afterAll(async () => {
    await service?.close();
  });

  const open = (view: string, who?: TestUser) =>
    openConsole(browserOf(), service, `/t/${service.teamId}/${view}`, who ? { userId: who.userId } : {});
  const list = async <T>(what: string) =>
    (await service.call<T[]>('GET', `/v1/teams/${service.teamId}/${what}`, { headers: { 'x-user-token': service.userToken } })).body;

  it('makes, renames and deletes tags', async () => {
    const { page, complaints, close } = await open('tags');
    await expectGoodLooks(page, { en: 'No tag yet', de: 'Noch kein Schlagwort' });
    await page.getByRole('button', { name: 'New tag' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Season 2');
    await page.getByRole('dialog').getByRole('button', { name: 'New tag' }).click();
    await page.getByRole('button', { name: 'Actions for Season 2' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(probe);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: `Actions for ${probe}` }).waitFor();
    expect((await list<Tag>('tags')).map(({ name }) => name)).toEqual([probe]);
    // The name of another is refused in the dialog.
    await page.getByRole('button', { name: 'New tag' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(probe.toUpperCase());
    await page.getByRole('dialog').getByRole('button', { name: 'New tag' }).click();
    await page.getByText('this Team has a tag').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expectGoodLooks(page, { en: 'Words that sort packages', de: 'Wörter, die Pakete' });
    await page.getByRole('button', { name: `Actions for ${probe}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'No tag yet' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows live which names a filter lets through, and why it is no filter', async () => {
    const { page, complaints, close } = await open('filters');
    await expectGoodLooks(page, { en: 'No filter yet', de: 'Noch kein Filter' });
    await page.getByRole('button', { name: 'New filter' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Originals');
    await page.getByRole('button', { name: 'Add: Films' }).click();
    await page.getByText('Let through: 3 of 5.').waitFor();
    await page.getByLabel('All names but those that match').check();
    await page.getByText('Let through: 2 of 5.').waitFor();
    await page.getByLabel('File names').fill(`${probe}\nday 1/A.mov`);
    await page.getByText('Let through: 1 of 2.').waitFor();
    await page.getByLabel('Patterns').fill('(?=a)');
    await page.getByText('look-ahead is not supported').waitFor();
    await expectGoodLooks(page, { en: 'Try it', de: 'Ausprobieren' });
    await page.getByLabel('Patterns').fill('^\\.');
    await page.getByText('Let through: 2 of 2.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'New filter' }).click();
    await page.getByRole('button', { name: 'Actions for Originals' }).waitFor();
    expect((await list<Filter>('filters'))[0]!.rules).toEqual([
      { action: 'exclude', criterion: 'file_name', operator: 'regex_match', values: ['^\\.'] },
    ]);
    await expectGoodLooks(page, { en: 'used by no Portal', de: 'von keinem Portal genutzt' });
    await page.getByRole('button', { name: 'Actions for Originals' }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    expect(await page.getByLabel('Patterns').inputValue()).toBe('^\\.');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(probe);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: `Actions for ${probe}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'No filter yet' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('loses no change of a filter that two people make at once', async () => {
    const headers = { 'x-api-key': service.apiKey };
    const rules = [{ action: 'include', criterion: 'file_name', operator: 'regex_match', values: ['^day'] }];
    const { body: made } = await service.call<Filter>('POST', `/v1/teams/${service.teamId}/filters`, {
      headers,
      body: { name: 'Of both', rules },
    });
    const theirs = (value: string) =>
      service.call('PUT', `/v1/filters/${made.id}`, { headers, body: { rules: [{ ...rules[0], values: [value] }] } });
    const now = async () => (await service.call<Filter>('GET', `/v1/filters/${made.id}`, { headers })).body;
    const { page, complaints, close } = await open('filters');
    await page.getByRole('button', { name: 'Actions for Of both' }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Of me');
    await theirs('^night');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    await page.getByText('Somebody else has changed this filter').waitFor();
    await expectGoodLooks(page, { en: 'Somebody else has changed this filter', de: 'Jemand anderes hat diesen Filter' });
    expect((await now()).name).toBe('Of both');
    await page.getByRole('button', { name: 'Put my changes on top of theirs' }).click();
    expect(await page.getByLabel('Patterns').inputValue()).toBe('^night');
    await save.click();
    await page.getByRole('button', { name: 'Actions for Of me' }).waitFor();
    expect(await now()).toMatchObject({ name: 'Of me', rules: [{ values: ['^night'] }] });
    await service.call('DELETE', `/v1/filters/${made.id}`, { headers });
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows a new API key once, and its last use', async () => {
    const { page, complaints, close } = await open('api-keys');
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(probe);
    await page.getByLabel('Valid until').fill('2001-01-01');
    await page.getByRole('dialog').getByRole('button', { name: 'New API key' }).click();
    await page.getByText('This day is over.').waitFor();
    await page.getByLabel('Valid until').fill('2099-01-31');
    await expectGoodLooks(page, { en: 'What uses it', de: 'Was ihn benutzt' });
    await page.getByRole('dialog').getByRole('button', { name: 'New API key' }).click();
    const secret = await page.getByRole('textbox', { name: 'API key' }).inputValue();
    expect(secret).toMatch(/^ls_/);
    // A slip of a key does not lose it.
    await page.keyboard.press('Escape');
    await page.getByText('it is shown this once').waitFor();
    await expectGoodLooks(page, { en: 'Your new API key', de: 'Ihr neuer API-Schlüssel' });
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('never used').first().waitFor();
    expect((await service.call('GET', '/v1/users/me', { headers: { 'x-api-key': secret } })).status).toBe(200);
    expect(await page.content()).not.toContain(secret);
    const made = (await list<ListedApiKey>('api_keys')).find(({ name }) => name === probe)!;
    const { db, now } = service.service.services;
    await db.updateTable('api_keys').set({ last_request_at: now() }).where('id', '=', made.id).execute();
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page
      .getByText(/last used/)
      .first()
      .waitFor();
    await expectGoodLooks(page, { en: 'until 31 January 2099', de: 'bis 31. Januar 2099' });
    await page.getByRole('button', { name: `Actions for ${probe}` }).click();
    await page.getByRole('menuitem', { name: 'Turn off' }).click();
    await page.getByText(`${probe} is turned off.`).waitFor();
    expect((await service.call('GET', '/v1/users/me', { headers: { 'x-api-key': secret } })).status).toBe(401);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(`${probe} is turned on.`).waitFor();
    expect((await service.call('GET', '/v1/users/me', { headers: { 'x-api-key': secret } })).status).toBe(200);
    await page.getByRole('button', { name: `Actions for ${probe}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText(`${probe} is deleted.`).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  const entriesOfRoles: [Role, readonly string[]][] = [
    ['guest', ['Members', 'Teamspaces', 'Tags']],
    ['member', ['Members', 'Teamspaces', 'Tags']],
    ['integration_manager', ['Members', 'Teamspaces', 'Tags', 'Filters', 'API keys']],
    ['admin', ['Members', 'Teamspaces', 'Tags', 'Filters', 'API keys']],
    ['owner', ['Members', 'Teamspaces', 'Tags', 'Filters', 'API keys']],
  ];
  it.each(firstOf(entriesOfRoles))('shows a %s only what they may use', async (role, shown) => {
    const who = await addUser(service, role);
    const { page, complaints, close } = await open('tags', who);
    await page.getByRole('heading', { name: 'No tag yet' }).waitFor();
    const entries = await page.getByRole('navigation').getByRole('link').allInnerTexts();
    const mine = ['Members', 'Teamspaces', 'Tags', 'Filters', 'API keys'];
    expect(entries.filter((entry) => mine.includes(entry))).toEqual(shown);
    expect(await page.getByRole('button', { name: 'New tag' }).count()).toBe(role === 'guest' ? 0 : 1);
    for (const [view, label] of [
      ['filters', 'Filters'],
      ['api-keys', 'API keys'],
    ] as const) {
      await page.goto(`${service.url}/t/${service.teamId}/${view}`);
      await page.getByRole('heading', { name: shown.includes(label) ? label : 'You may not see this', exact: true }).waitFor();
    }
    expect(complaints).toEqual([]);
    await close();
  });
});
