import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FormField } from '#protocol/hosted/forms.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import { sizes } from '#test/support/browser/looks.ts';
import { inAll } from '#test/support/level.ts';
import { png } from '#test/support/service/images.ts';
import { askForm, askPortalPackage, askResponse, formField, newPortal } from '#test/support/service/portals.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { putConnection } from '#test/support/service/transfers.ts';

const hostile = '<img src=x onerror=alert(1)>';

describeInBrowser("the console's editor of Portals", (browserOf) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startConsole();
  });
  afterAll(async () => {
    await service?.close();
  });

  const open = (portal: Portal, tab = '') =>
    openConsole(browserOf(), service, `/t/${service.teamId}/portals/${portal.id}${tab === '' ? '' : `?tab=${tab}`}`);
  const read = async (id: string) =>
    (await service.call<Portal>('GET', `/v1/portals/${id}`, { headers: { 'x-api-key': service.apiKey } })).body;
  const save = async (page: Page) => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
  };

  it('changes a page, shown beside it as it will be', async () => {
    const portal = await newPortal(service, { name: 'Dailies' });
    const { page, complaints, close } = await open(portal);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(`Dailies ${hostile}`);
    await page.getByLabel('Message to senders').fill('Both cameras, please.');
    const preview = page.locator('.portal-preview');
    await preview.getByText('Both cameras, please.').waitFor();
    await page.getByLabel('Colour of buttons and lines').check();
    await page.getByLabel('Logo', { exact: true }).setInputFiles({ name: 'photo.exe', mimeType: 'image/png', buffer: png({}, 90) });
    await page.getByRole('img', { name: 'Logo' }).waitFor();
    expect(await preview.locator('.frame-logo').getAttribute('src')).toMatch(/\/images\/[0-9a-f-]{36}$/);
    await page.getByLabel('Background picture', { exact: true }).setInputFiles({
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: Buffer.from('<html><script>alert(1)</script>'),
    });
    await page.getByText('The image is no SVG that can be read').waitFor();
    await page.getByLabel('Pattern').fill('NL_{digits:4}_{A|B}');
    await page.getByLabel('In words').fill('Shoot and camera');
    await preview.getByText('Like NL_1234_A · Shoot and camera').waitFor();
    await expectGoodLooks(page, { en: 'Who may send', de: 'Wer senden darf' });
    await save(page);
    const saved = await read(portal.id);
    expect(saved).toMatchObject({ name: `Dailies ${hostile}`, message: 'Both cameras, please.', name_pattern: 'NL_{digits:4}_{A|B}' });
    expect(saved.logo_url).toContain(`${service.url}/images/`);
    const visitor = await browserOf().newPage();
    await visitor.goto(`${service.url}/p/${portal.subdomain}`);
    await visitor.getByText('Like NL_1234_A · Shoot and camera').waitFor();
    expect(await visitor.locator('.frame-logo').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(2);
    await visitor.close();
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
    await close();
  });

  it('shows its mails as they will look, before anything is saved', async () => {
    const portal = await newPortal(service, { name: 'Dailies in' });
    const { page, complaints, close } = await open(portal);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(`Muster ${hostile}`);
    const asked = page.waitForRequest(/mail_preview/);
    await page.getByText('How its mails look').click();
    expect((await asked).postDataJSON()).toMatchObject({ kind: 'portal', name: `Muster ${hostile}` });
    const frame = page.frameLocator('.mail-frame');
    await frame.getByText(`Muster ${hostile}`).filter({ visible: true }).first().waitFor();
    await page.getByLabel('Mail', { exact: true }).selectOption('request');
    await frame.getByText('asks you to send files').filter({ visible: true }).first().waitFor();
    await expectGoodLooks(page, { en: 'How its mails look', de: 'So sehen die E-Mails aus' });
    await page.getByLabel('Mail', { exact: true }).selectOption('expires');
    await page.getByLabel('Shown').selectOption('text');
    await page.locator('pre').getByText('expires tomorrow').waitFor();
    expect((await read(portal.id)).name).toBe('Dailies in');
    expect(complaints).toEqual([]);
    await close();
  });

  it('says what is wrong at the field, and keeps what was not saved', async () => {
    const portal = await newPortal(service, { name: 'Grading' });
    const { page, close } = await open(portal);
    await page.getByLabel('Pattern').fill('NL_{numbers}');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('It has {numbers}, which is none of').waitFor();
    expect(await page.getByLabel('Pattern').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Pattern').fill('NL_{digits}');
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.goBack();
    await page.getByText('These changes were not saved last time.').waitFor();
    expect(await page.getByLabel('Pattern').inputValue()).toBe('NL_{digits}');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    expect(await page.getByLabel('Pattern').inputValue()).toBe('');
    await close();
  });

  it(
    'gives a connection a filter, and takes it away again',
    inAll('service/portals and service/filters, and a page that is changed and saved'),
    async () => {
      const headers = { 'x-user-token': service.userToken };
      const rules = [{ action: 'include', criterion: 'file_name', operator: 'regex_match', values: ['\\.mov$'] }];
      const made = await service.call<{ id: string }>('POST', `/v1/teams/${service.teamId}/filters`, {
        headers,
        body: { name: `Films ${hostile}`, rules },
      });
      const connection = await putConnection(service, { name: `Archive ${hostile}` });
      const portal = await newPortal(service, { name: 'Filtered' });
      const { page, complaints, close } = await open(portal);
      await page.getByRole('checkbox', { name: 'Archive' }).check();
      const filter = page.getByLabel('Filter for Archive');
      await filter.selectOption({ label: `Filter: Films ${hostile}` });
      await expectGoodLooks(page, { en: 'Packages are transferred to', de: 'Pakete werden übertragen nach' });
      await save(page);
      expect((await read(portal.id)).cloud_connections).toEqual([{ id: connection, target_action: 'transfer', filter_id: made.body.id }]);
      await filter.selectOption('All files');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expect.poll(async () => (await read(portal.id)).cloud_connections).toEqual([{ id: connection, target_action: 'transfer' }]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('tells the second of two who save, and puts both changes together', inAll('the same of a Team, in team'), async () => {
    const portal = await newPortal(service, { name: 'Two hands' });
    const [one, other] = [await open(portal), await open(portal)];
    await other.page.getByLabel('Message to senders').fill('from the other');
    await one.page.getByRole('textbox', { name: 'Name', exact: true }).fill('Named by one');
    await save(one.page);
    await other.page.getByRole('button', { name: 'Save', exact: true }).click();
    await other.page.getByText('Somebody else has changed this Portal').waitFor();
    expect(await read(portal.id)).toMatchObject({ name: 'Named by one', message: '' });
    await other.page.getByRole('button', { name: 'Put my changes on top of theirs' }).click();
    await save(other.page);
    expect(await read(portal.id)).toMatchObject({ name: 'Named by one', message: 'from the other' });
    await one.close();
    await other.close();
  });

  it('builds a form by keyboard, and says at which field something is wrong', async () => {
    const portal = await newPortal(service, { name: 'With a form' });
    const { page, complaints, close } = await open(portal, 'form');
    await expectGoodLooks(page, { en: 'This Portal asks nothing yet', de: 'Dieses Portal fragt noch nichts' });
    await page.getByRole('button', { name: 'Begin a form' }).click();
    const adding = page.getByRole('button', { name: 'Add a field' });
    const add = async (kind: string, label: string) => {
      const place = await adding.boundingBox();
      await adding.click();
      // It stays where it is while its menu is open.
      expect(await adding.boundingBox()).toEqual(place);
      await page.getByRole('menuitem', { name: kind, exact: true }).click();
      await page.getByLabel('Label').fill(label);
    };
    await add('A line of text', 'Roll');
    await add('One of a list', 'Camera');
    await page.getByLabel('Choices').fill('A\nB\nB');
    await page.getByLabel('Help').fill('As written on the slate.');
    await page.getByRole('button', { name: /^Move Camera/ }).press('ArrowUp');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('An option is named twice.').waitFor();
    await page.getByLabel('Choices').fill('A\nB');
    await page.getByLabel('Answer', { exact: true }).selectOption('required');
    await expectGoodLooks(page, { en: 'As senders see it', de: 'Wie Absender es sehen' });
    // A long label makes no row wider than its panel, and what ends the form takes one line of a phone.
    await page.setViewportSize(sizes.phone);
    await page.getByLabel('Label').fill('Which of the cameras it was, as it is written on the slate');
    const rightEdge = (part: string) =>
      page
        .locator(part)
        .first()
        .evaluate((one) => one.getBoundingClientRect().right);
    expect(await rightEdge('.field-row')).toBeLessThan(await rightEdge('.panel:has(.field-rows)'));
    expect(await page.locator('.editor-end .editor-acts').evaluate((one) => one.clientHeight)).toBeLessThan(60);
    await page.getByLabel('Label').fill('Camera');
    await page.setViewportSize(sizes.desk);
    await save(page);
    const { body } = await service.call<{ fields: FormField[] }>('GET', `/v1/portals/${portal.id}/form`, {
      headers: { 'x-api-key': service.apiKey },
    });
    expect(body.fields).toMatchObject([
      { label: 'Camera', type: 'dropdown', options: ['A', 'B'], visibility: 'required', help: 'As written on the slate.', position: 0 },
      { label: 'Roll', type: 'short_text', position: 1 },
    ]);
    await page.getByRole('button', { name: /^Move Roll/ }).dragTo(page.getByRole('button', { name: /^Move Camera/ }));
    await expect.poll(() => page.locator('.field-row-name').allInnerTexts()).toEqual(['Roll', 'Camera']);
    await page.getByRole('button', { name: 'Save as a template' }).click();
    await page.getByText('The template was saved.').waitFor();
    const next = await newPortal(service, { name: 'From a template' });
    await page.goto(`${service.url}/t/${service.teamId}/portals/${next.id}?tab=form`);
    await page.getByLabel('Begin with a template').selectOption({ label: 'With a form' });
    await page.getByRole('button', { name: /^Move Roll/ }).waitFor();
    expect(complaints.filter((one) => !/40[04]/.test(one))).toEqual([]);
    await close();
  });

  it(
    'keeps a form that was not saved, and tells what somebody else has saved meanwhile',
    inAll('the same of a Team, in team; service/forms'),
    async () => {
      const portal = await newPortal(service, { name: 'Two at a form' });
      const asked = { fields: [formField('roll', { label: 'Roll' })], delivery_formats: ['json'] };
      const { body: form } = await askForm(service, portal.id, asked);
      const { page, complaints, close } = await open(portal, 'form');
      const title = page.getByLabel('Name of the form');
      await title.fill(`Mine ${hostile}`);
      await page.getByText('Not saved yet.').waitFor();
      page.on('dialog', (dialog) => void dialog.accept());
      await page.reload();
      await page.getByText('These changes were not saved last time.').waitFor();
      expect(await title.inputValue()).toBe(`Mine ${hostile}`);
      const theirs = await service.call('PUT', `/v1/metadata/forms/${form.id}`, {
        headers: { 'x-api-key': service.apiKey },
        body: { ...asked, name: 'Theirs', disabled: false },
      });
      expect(theirs.status).toBe(200);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expectGoodLooks(page, { en: 'Somebody else has changed this form', de: 'Jemand anderes hat dieses Formular geändert' });
      await page.getByRole('button', { name: 'Take theirs' }).click();
      expect(await title.inputValue()).toBe('Theirs');
      await title.fill('Mine again');
      await service.call('PUT', `/v1/metadata/forms/${form.id}`, {
        headers: { 'x-api-key': service.apiKey },
        body: { ...asked, name: 'Theirs again', disabled: true },
      });
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Put my changes on top of theirs' }).click();
      await save(page);
      // What was done is not told on top of the button that does it. It is told for as long as the pointer is there.
      await page.locator('.toast').hover();
      const [told, bar] = [await page.locator('.toast').boundingBox(), await page.locator('.editor-end').boundingBox()];
      expect(told!.y + told!.height).toBeLessThanOrEqual(bar!.y);
      const { body: saved } = await service.call('GET', `/v1/portals/${portal.id}/form`, { headers: { 'x-api-key': service.apiKey } });
      expect(saved).toMatchObject({ name: 'Mine again' });
      await title.fill('Thrown away');
      await page.getByRole('button', { name: 'Discard changes' }).click();
      expect(await title.inputValue()).toBe('Mine again');
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('shows answers of 40 fields as a table, and saves them as a CSV', inAll('service/portal-requests'), async () => {
    const portal = await newPortal(service, { name: 'Answered' });
    const fields = Array.from({ length: 40 }, (_, n) => formField(`f${n}`, { label: `Field ${n}`, position: n }));
    await askForm(service, portal.id, { fields });
    const { body } = await askResponse(service, portal.id, { f0: { value: hostile }, f39: { value: '=1+1' } });
    await askPortalPackage(service, portal.id, { name: `Day ${hostile}`, form_data_id: body.id });
    const { page, complaints, close } = await open(portal, 'answers');
    await expectGoodLooks(page, { en: '1 of 1', de: '1 von 1' });
    expect(await page.getByRole('columnheader').count()).toBe(43);
    const download = await downloadBy(page, () => page.getByRole('button', { name: 'Save as CSV' }).click());
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toContain("'=1+1");
    expect(text.startsWith('\uFEFFpackage_id,package_name')).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });
});
