import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage, type WatchedPage } from '#test/support/browser/chromium.ts';
import { openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import { takePicture } from '#test/support/browser/guide-camera.ts';
import { arrived, chooseFolder, visitPortal } from '#test/support/browser/portal-visitor.ts';
import { parseMail, startMailServer, type TestMailServer } from '#test/support/service/mail-server.ts';
import { ownerEmail, ownerPassword, type TestService } from '#test/support/service/start-service.ts';
import { hasSwift, newSwiftBucket, type SwiftBucket } from '#test/support/storage/swift.ts';
import { seededBytes, writeTree } from '#test/support/system/file-tree.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="220" height="56" viewBox="0 0 220 56"><circle cx="28" cy="28" r="20" fill="none" stroke="#7a2e8f" stroke-width="6"/><circle cx="28" cy="28" r="7" fill="#7a2e8f"/><text x="62" y="36" font-family="sans-serif" font-size="24" font-weight="700" fill="#7a2e8f">Harbour</text></svg>`;

/**
 * What docs/guide.md shows, in the browser alone: from the first sign-in to files that came through a Portal, lie in a
 * bucket of the Team's and are downloaded by a link. The tests build on each other, and take the guide's pictures
 * where they are asked to (test/pictures.ts).
 */
describe.skipIf(!hasSwift())('with Swift', () =>
  describeInBrowser('the first day of a Team, in the browser alone', (browserOf) => {
    let folder: Awaited<ReturnType<typeof tempFolder>>;
    let mails: TestMailServer;
    let bucket: SwiftBucket;
    let service: TestService;
    let watched: WatchedPage;
    let page: Page;
    const at = (...names: string[]): string => join(folder.path, ...names);

    beforeAll(async () => {
      folder = await tempFolder();
      [mails, bucket] = await Promise.all([startMailServer(), newSwiftBucket()]);
      service = await startConsole({
        allowPrivateConnections: true,
        smtpUrl: `smtp://127.0.0.1:${mails.port}`,
        mailFrom: 'Longshore <longshore@harbour.example>',
      });
      writeTree(at('A001'), {
        'A001C001_231123.mov': seededBytes(3_000_000, 1),
        'A001C002_231123.mov': seededBytes(1_000_000, 2),
        'sound/T001.wav': seededBytes(400_000, 3),
        'report.pdf': seededBytes(40_000, 4),
      });
      await writeFile(at('logo.svg'), logo);
      watched = await openConsole(browserOf(), service, '/', { userId: null });
      page = watched.page;
      page.setDefaultTimeout(30_000);
    });
    afterAll(async () => {
      await service?.close();
      await mails?.close();
      await folder?.remove();
    });

    const go = (name: string) =>
      page.getByRole('navigation', { name: 'Parts of the console' }).getByRole('link', { name, exact: true }).click();
    /** The address that the first message to somebody leads to. */
    const mailedAddress = async (to: string, pattern: RegExp): Promise<string> => {
      const find = () => mails.received.find((one) => one.to.includes(to) && pattern.test(parseMail(one.content).text));
      await expect.poll(find).toBeDefined();
      return pattern.exec(parseMail(find()!.content).text)![0];
    };

    it('signs in and gives the Team its looks', async () => {
      await page.getByLabel('E-mail address').waitFor();
      await takePicture(page, 'sign-in', 600);
      await page.getByLabel('E-mail address').fill(ownerEmail);
      await page.getByLabel('Password').fill(ownerPassword);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('Nothing was sent or received yet').waitFor();
      await go('Team');
      await page.getByLabel('Logo').setInputFiles(at('logo.svg'));
      await page.getByRole('img', { name: 'Logo' }).waitFor();
      await page.getByLabel('A colour of your own').check();
      await page.locator('input[type=color]').fill('#7a2e8f');
      await page.getByLabel('Address of your imprint').fill('https://harbour.example/imprint');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      await takePicture(page, 'team');
    });

    it('connects a bucket, and sees that it works', async () => {
      await go('Integrations');
      await page.getByRole('button', { name: 'Connect storage' }).click();
      await page.getByLabel('Provider').selectOption('generic_s3');
      await page.getByLabel('Access key ID').fill('test:tester');
      await page.getByLabel('Secret access key').fill('testing');
      await page.getByLabel('Bucket').fill(bucket.name);
      await page.getByLabel('Endpoint').fill(bucket.endpoint);
      await page.getByLabel('path-style').selectOption({ label: 'yes' });
      await page.getByRole('textbox', { name: 'Name' }).fill('Archive');
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByRole('heading', { name: 'Archive', level: 1 }).waitFor();
      await page.getByText('It works.').waitFor();
      await takePicture(page, 'connection');
    });

    it('makes a Portal with logo, form and that bucket', async () => {
      await go('Portals');
      await page.getByRole('button', { name: 'New Portal' }).first().click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Camera cards');
      await page.getByRole('button', { name: 'Make it' }).click();
      await page.waitForURL(/\/portals\/[0-9a-f-]{36}$/);
      await page.getByLabel('Message to senders').fill('Whole cards, please, with sound.');
      await page.locator('.portal-preview .frame-logo').waitFor();
      await page.getByRole('checkbox', { name: 'Archive' }).check();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved.').waitFor();
      await takePicture(page, 'portal-editor', 900);
      await page.getByRole('link', { name: 'Form', exact: true }).click();
      await page.getByRole('button', { name: 'Begin a form' }).click();
      await page.getByRole('button', { name: 'Add a field' }).click();
      await page.getByRole('menuitem', { name: 'A line of text', exact: true }).click();
      await page.getByLabel('Label').fill('Shooting day');
      await page.getByLabel('Answer', { exact: true }).selectOption('required');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved.').waitFor();
      await takePicture(page, 'form-builder', 900);
      await go('Portals');
      await page.getByRole('switch').click();
      await page.getByText('is open.').waitFor();
      await takePicture(page, 'portals', 620);
    });

    it('invites a colleague, who comes by the mail', async () => {
      await go('Members');
      await page.getByRole('button', { name: 'Invite' }).first().click();
      await page.getByLabel('E-mail addresses').fill('jonas@harbour.example');
      await page.getByRole('button', { name: 'Send the invitation' }).click();
      await page.getByText('The invitation is on its way.').waitFor();
      const address = await mailedAddress('jonas@harbour.example', /http:\S+\/invitation#\S+/);
      const colleague = await openPage(browserOf(), address, { viewport: { width: 1_200, height: 800 } });
      await colleague.page.getByLabel('Your name').fill('Jonas Weber');
      await colleague.page.getByLabel('Password', { exact: true }).fill('chosen by himself');
      await takePicture(colleague.page, 'invitation', 700);
      await colleague.page.getByRole('button', { name: /Join/ }).click();
      await colleague.page.getByText('You are in ').waitFor();
      await colleague.close();
      await page.reload();
      await page.getByText('Jonas Weber').waitFor();
      await takePicture(page, 'members', 620);
    });

    it('receives through the Portal, in the bucket too', async () => {
      await go('Portals');
      const { pathname } = new URL((await page.locator('.portal-address-link').getAttribute('href'))!);
      const visitor = await visitPortal(browserOf(), service, pathname.split('/').at(-1)!, { viewport: { width: 1_200, height: 800 } });
      await visitor.page.getByText('Whole cards, please, with sound.').waitFor();
      await visitor.page.getByLabel('Shooting day').fill('12');
      await chooseFolder(visitor.page, at('A001'));
      await visitor.page.getByLabel('Your e-mail address').fill('mia@camera.example');
      await visitor.page.getByLabel('Name of the package').fill('Day 12');
      await takePicture(visitor.page, 'upload-page', 1_000);
      await visitor.page.getByRole('button', { name: /^Send\b/ }).click();
      await arrived(visitor.page);
      await takePicture(visitor.page, 'upload-receipt', 700);
      await visitor.close();
      await expect.poll(bucket.stored).toContain('Portal Downloads/Camera cards/Day 12/A001/sound/T001.wav');
    });

    it('sends from the browser, as a link', async () => {
      await page.addInitScript(() => {
        Object.assign(window, { showOpenFilePicker: undefined, showDirectoryPicker: undefined });
      });
      await page.reload();
      await go('Send');
      await chooseFolder(page, at('A001'));
      await page.getByLabel('Name of the package').fill('To the grade');
      await page.getByRole('textbox', { name: 'Message' }).fill('Day 12, all of it.');
      await takePicture(page, 'send', 900);
      await page.getByRole('button', { name: /^Send \d/ }).click();
      await page.getByText('“To the grade” is sent').waitFor();
      await takePicture(page, 'sent', 620);
    });

    it('gives it on by a link, which a browser downloads', async () => {
      await go('Packages');
      await page.getByRole('link', { name: 'Day 12' }).click();
      await page.getByRole('button', { name: 'Add a link' }).click();
      await page.getByLabel('E-mail address').fill('grade@studio.example');
      await page.getByLabel('Mail it to this address').check();
      await page.getByRole('dialog').getByRole('button', { name: 'Add a link' }).click();
      const address = await mailedAddress('grade@studio.example', /http:\S+\/d\/\S+/);
      const recipient = await openPage(browserOf(), address, { viewport: { width: 1_200, height: 800 } });
      const zip = await downloadBy(recipient.page, () => recipient.page.getByRole('button', { name: 'Download all as zip' }).click());
      expect((await readFile(await zip.path())).includes(seededBytes(400_000, 3))).toBe(true);
      await takePicture(recipient.page, 'download-page', 700);
      await recipient.close();
      await page.locator('.link-row').getByText('· 1 download').waitFor();
      await takePicture(page, 'package', 1_100);
      await go('Home');
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await page.getByText('Day 12').first().waitFor();
      await takePicture(page, 'home');
    });
  }),
);
