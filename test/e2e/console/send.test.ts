import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import { newId } from '#service/ids.ts';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { chooseFiles, chooseFolder } from '#test/support/browser/portal-visitor.ts';
import { countWakeLocks, wakeLocksOf } from '#test/support/browser/wake-locks.ts';
import { type StorageProxy, startStorageProxy } from '#test/support/faults/storage-proxy.ts';
import { inAll } from '#test/support/level.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { putConnection } from '#test/support/service/transfers.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Would run if a page took it for more than text. */
const probe = '<img src=x onerror="document.title=1">';

describeInBrowser('sending from the console', (browserOf) => {
  let service: TestService;
  let proxy: StorageProxy;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  // Of three chunks.
  const clip = randomBytes(36_000_000);
  /** Bytes: shorter than any of these chunks, which are held back while something is looked at. */
  const lessThanChunk = 8_000_000;
  beforeAll(async () => {
    folder = await tempFolder();
    proxy = await startStorageProxy();
    service = await startConsole({ storagePublicUrl: proxy.url, allowPrivateConnections: true });
    proxy.upstream = service.storageUrl;
    await mkdir(join(folder.path, 'A001/audio'), { recursive: true });
    await writeFile(join(folder.path, 'A001/A001C001.mov'), clip);
    await writeFile(join(folder.path, 'A001/audio/T001.wav'), 'sound');
    await writeFile(join(folder.path, 'A001/empty.txt'), '');
  });
  afterEach(() => {
    proxy.holdAbove(Number.POSITIVE_INFINITY);
  });
  afterAll(async () => {
    await service?.close();
    await proxy?.close();
    await folder?.remove();
  });

  /** A Team of its own with these settings, and one of its members. */
  async function teamWith(settings: Record<string, unknown> = {}, role: 'owner' | 'member' | 'guest' = 'owner') {
    const { db } = service.service.services;
    const teamId = await addTeam(service, 'Northlight');
    if (Object.keys(settings).length > 0) await db.updateTable('teams').set(settings).where('id', '=', teamId).execute();
    return { teamId, ...(await addUser(service, role, teamId)) };
  }

  /** Opens a place where pickers give no handles: those cannot be worked by a test. */
  async function open(path: string, userId: string) {
    const opened = await openConsole(browserOf(), service, path, { userId });
    await opened.page.addInitScript(() => {
      Object.assign(window, { showOpenFilePicker: undefined, showDirectoryPicker: undefined });
    });
    await countWakeLocks(opened.page);
    await opened.page.reload();
    return opened;
  }

  const send = (page: Page) => page.getByRole('button', { name: /^Send \d/ }).click();

  /** The bytes of a package as whoever has its link gets them, by path. */
  async function fetched(url: string, password?: string): Promise<Map<string, Buffer>> {
    const { pathname, search } = new URL(url);
    const opened = await service.call<LinkInfo>('GET', pathname.replace('/d/', '/v1/links/') + search, {
      headers: password === undefined ? {} : { 'x-link-password': password },
    });
    expect(opened.status).toBe(200);
    const headers = { 'x-package-token': opened.body.package_token };
    const base = `/v1/packages/${opened.body.package_id}/files`;
    const files = await service.call<File[]>('GET', base, { headers });
    const got = new Map<string, Buffer>();
    for (const { id, kind, path, name } of files.body.filter((file) => file.kind === 'file')) {
      const address = await service.call<{ url: string }>('GET', `${base}/${id}/download`, { headers });
      if (address.status === 200 && kind === 'file') {
        got.set(path === '' ? name : `${path}/${name}`, Buffer.from(await (await fetch(address.body.url)).arrayBuffer()));
      }
    }
    return got;
  }

  it('sends a folder as a link while other views are looked at, and every byte arrives', async () => {
    const { teamId, userId } = await teamWith();
    const { db, now } = service.service.services;
    const times = { created_at: now(), updated_at: now() };
    await db
      .insertInto('tags')
      .values({ id: newId(), team_id: teamId, name: probe, ...times })
      .execute();
    await db
      .insertInto('teamspaces')
      .values({ id: newId(), team_id: teamId, name: 'Grading', ...times })
      .execute();
    const { page, complaints, close } = await open(`/t/${teamId}`, userId);
    await page.getByRole('link', { name: 'Send the first package' }).click();
    await page.getByRole('heading', { name: 'Send', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Choose at least one file.').waitFor();
    await chooseFolder(page, join(folder.path, 'A001'));
    await page.getByText('3 files, 36 MB', { exact: true }).waitFor();
    expect(await page.getByLabel('Name of the package').getAttribute('placeholder')).toBe('A001');
    await page.getByLabel('Name of the package').fill(`Dailies ${probe}`);
    await page.getByRole('textbox', { name: 'Message' }).fill('A and B camera');
    await page.getByLabel('Password').fill('harbour');
    await page.getByLabel('Downloads by one link').fill('x');
    await page.getByText('Give a whole number').waitFor();
    await page.getByLabel('Downloads by one link').fill('5');
    await page.getByLabel('Teamspace').selectOption('Grading');
    await page.getByLabel('Tag').selectOption(probe);
    await expectGoodLooks(page, { en: 'About them', de: 'Angaben' });

    // Whoever leaves the view finds all again; whoever loads it anew, what a browser can keep.
    await page.getByRole('link', { name: 'Packages' }).click();
    await page.getByRole('link', { name: 'Send', exact: true }).first().click();
    await page.getByText('3 files, 36 MB', { exact: true }).waitFor();
    expect(await page.getByLabel('Password').inputValue()).toBe('harbour');
    await page.reload();
    await page.getByText('Browsers do not keep files.').waitFor();
    await expectGoodLooks(page, { en: 'Browsers do not keep files', de: 'Dateien bewahrt ein Browser nicht auf' });
    expect(await page.getByLabel('Name of the package').inputValue()).toBe(`Dailies ${probe}`);
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('A and B camera');
    expect(await page.getByLabel('Downloads by one link').inputValue()).toBe('5');
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain('harbour');
    await chooseFolder(page, join(folder.path, 'A001'));
    await page.getByText('Browsers do not keep files.').waitFor({ state: 'detached' });
    await page.getByLabel('Password').fill('harbour');

    proxy.holdAbove(lessThanChunk);
    await send(page);
    await page.getByRole('heading', { name: `Sending “Dailies ${probe}”` }).waitFor();
    await expectGoodLooks(page, { en: 'Stop and delete it', de: 'Beenden und löschen' });
    await expect.poll(() => wakeLocksOf(page)).toEqual({ asked: 1, active: 1 });
    await page.getByRole('link', { name: 'Packages' }).click();
    const line = page.getByRole('link', { name: `Sending “Dailies ${probe}”` });
    await line.waitFor();
    await page.getByRole('heading', { name: 'No packages yet' }).waitFor();
    await expectGoodLooks(page, { en: 'Sending “Dailies', de: 'wird gesendet' });
    proxy.holdAbove(Number.POSITIVE_INFINITY);
    await line.click();
    await page.getByRole('heading', { name: 'is sent' }).waitFor({ timeout: 45_000 });
    await expect.poll(async () => (await wakeLocksOf(page)).active).toBe(0);
    const url = await page.getByRole('textbox', { name: 'Link' }).inputValue();
    await expectGoodLooks(page, { en: 'Hand on this link', de: 'Geben Sie diesen Link weiter' });
    const got = await fetched(url, 'harbour');
    expect(got.get('A001/A001C001.mov')?.equals(clip)).toBe(true);
    expect(got.get('A001/audio/T001.wav')?.toString()).toBe('sound');
    expect(got.get('A001/empty.txt')?.length).toBe(0);
    await page.getByRole('link', { name: 'To the package' }).click();
    await page.getByText('A and B camera').waitFor();
    await page.getByText('Grading').first().waitFor();
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('longshore-own')))).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it('goes on after a reload, and keeps nothing that would let another person go on', async () => {
    const { teamId, userId } = await teamWith();
    const { page, complaints, close } = await open(`/t/${teamId}/send`, userId);
    await chooseFolder(page, join(folder.path, 'A001'));
    proxy.holdAbove(lessThanChunk);
    await send(page);
    await page.getByRole('heading', { name: 'Sending “A001”' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'You have not finished sending' }).waitFor();
    const kept = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const opening = indexedDB.open('longshore-uploads');
          opening.onsuccess = () => {
            const asking = opening.result.transaction('packages').objectStore('packages').getAll();
            asking.onsuccess = () => resolve(asking.result.map(({ token }: { token: string }) => token));
          };
        }),
    );
    expect(kept).toContain('');
    expect((kept as string[]).filter(Boolean)).toEqual([]);
    proxy.holdAbove(Number.POSITIVE_INFINITY);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('To be chosen again').waitFor();
    await chooseFolder(page, join(folder.path, 'A001'));
    await page.getByRole('heading', { name: '“A001” is sent' }).waitFor({ timeout: 45_000 });
    expect(complaints).toEqual([]);
    await close();
  });

  it('is stopped for good where the person says so', inAll('service/package-life, and a package that goes on after a reload'), async () => {
    const { teamId, userId } = await teamWith();
    const { page, complaints, close } = await open(`/t/${teamId}/send`, userId);
    await chooseFiles(page, join(folder.path, 'A001/A001C001.mov'));
    proxy.holdAbove(lessThanChunk);
    await send(page);
    await page.getByRole('button', { name: 'Stop and delete it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop and delete' }).click();
    await page.getByText('“A001C001” is not sent.').waitFor();
    proxy.holdAbove(Number.POSITIVE_INFINITY);
    const { db } = service.service.services;
    const [row] = await db.selectFrom('packages').select('state').where('team_id', '=', teamId).execute();
    expect(row?.state).toBe('expired');
    await page.getByText('Drop files and folders here').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('keeps to the policies of the Team before the service has to', async () => {
    const { teamId, userId } = await teamWith(
      {
        public_links_allowed: false,
        password_required: true,
        recipient_domains: ['harbour.example'],
        max_expiry_days: 3,
        verify_recipient_required: true,
      },
      'member',
    );
    const { page, complaints, close } = await open(`/t/${teamId}/send`, userId);
    await page.getByText('This Team sends to named people only').waitFor();
    // Connections are for those who manage them.
    expect(await page.getByText('In connected storage').count()).toBe(0);
    const code = page.getByRole('checkbox', { name: 'Ask each of them for a code that is mailed' });
    expect(await code.isChecked()).toBe(true);
    expect(await code.isDisabled()).toBe(true);
    await page.getByText('This Team always asks.').waitFor();
    await chooseFiles(page, join(folder.path, 'A001/audio/T001.wav'));
    await page.getByRole('textbox', { name: 'Recipients' }).fill('mia@elsewhere.example');
    await page.getByLabel('Kept until the end of').fill('2099-12-31');
    await send(page);
    for (const fault of ['does not send to mia@elsewhere.example', 'sends nothing without a password', 'does not keep packages so long'])
      await page.getByText(fault).first().waitFor();
    await expectGoodLooks(page, { en: 'This Team does not send to', de: 'Dieses Team sendet nicht an' });
    await page.getByRole('textbox', { name: 'Recipients' }).fill('Mia <mia@harbour.example>, post@harbour.example');
    await page.getByLabel('Password').fill('harbour');
    await page.getByLabel('Kept until the end of').fill('');
    await send(page);
    await page.getByText('This service sends no mail: copy each recipient’s link').waitFor({ timeout: 45_000 });
    const { db } = service.service.services;
    const links = await db
      .selectFrom('links')
      .innerJoin('packages', 'packages.id', 'links.package_id')
      .select(['links.email', 'links.verify_recipient as asks'])
      .where('packages.team_id', '=', teamId)
      .orderBy('links.email')
      .execute();
    expect(links).toEqual([
      { email: 'mia@harbour.example', asks: true },
      { email: 'post@harbour.example', asks: true },
    ]);
    expect(complaints).toEqual([]);
    await close();
  });

  it(
    'asks recipients for a code as the Team has chosen, or as it is ticked',
    inAll('service/team-settings and service/link-codes, and policies that the form keeps to'),
    async () => {
      const { teamId, userId } = await teamWith({ verify_recipient_default: true });
      const { page, complaints, close } = await open(`/t/${teamId}/send`, userId);
      const code = page.getByRole('checkbox', { name: 'Ask each of them for a code that is mailed' });
      for (const asks of [true, false]) {
        await chooseFiles(page, join(folder.path, 'A001/audio/T001.wav'));
        await page.getByRole('radio', { name: 'By e-mail' }).check();
        expect(await code.isChecked()).toBe(true);
        await page.getByRole('textbox', { name: 'Recipients' }).fill(`${asks}@harbour.example`);
        if (!asks) await code.uncheck();
        await send(page);
        await page.getByText('This service sends no mail: copy each recipient’s link').waitFor({ timeout: 45_000 });
        await page.getByRole('button', { name: 'Send something else' }).click();
      }
      const packages = await service.service.services.db
        .selectFrom('packages')
        .select(['recipients', 'verify_recipient as asks'])
        .where('team_id', '=', teamId)
        .orderBy('id')
        .execute();
      expect(packages).toEqual([
        { recipients: ['true@harbour.example'], asks: true },
        { recipients: ['false@harbour.example'], asks: false },
      ]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it.skipIf(!hasSwift())(
    'brings folders of an S3 bucket by itself, and sends them when all have come',
    inAll('service/imports, and a connection in first-day'),
    async () => {
      const { teamId, userId } = await teamWith();
      const swift = await newSwiftBucket();
      const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
      const s3 = new S3Client({ endpoint: swift.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
      for (const [Key, Body] of [
        ['dailies/day 1/A001C001.mov', clip],
        ['dailies/day 1/T001.wav', Buffer.from('sound')],
        [`notes ${probe}.txt`.replaceAll('/', '_'), Buffer.from('notes')],
      ] as const)
        await s3.send(new PutObjectCommand({ Bucket: swift.name, Key, Body, ContentLength: Body.length }));
      s3.destroy();
      const { page, complaints, close } = await open(`/t/${teamId}/send`, userId);
      await page.getByLabel('In connected storage').check();
      await page.getByRole('heading', { name: 'No storage is connected' }).waitFor();
      await putConnection(
        service,
        { team_id: teamId, name: `Cards ${probe}`, provider: 'generic_s3', direction: 'cloud_to_service' },
        {
          client_id: credentials.accessKeyId,
          client_secret: credentials.secretAccessKey,
          destination: swift.name,
          endpoint: swift.endpoint,
          region: 'us-east-1',
          force_s3_path_style: 'true',
        },
      );
      await page.reload();
      await page.getByLabel('In connected storage').check();
      await page.getByRole('checkbox', { name: 'Choose notes' }).check();
      await page.getByRole('button', { name: 'Open dailies' }).click();
      await page.getByRole('checkbox', { name: 'Choose day 1' }).check();
      await page.getByText('2 entries chosen').waitFor();
      await page.getByLabel('Name of the package').fill('From the cards');
      await expectGoodLooks(page, { en: '2 entries chosen', de: '2 Einträge gewählt' });
      await page.getByRole('button', { name: 'Send 2 entries' }).click();
      await page.getByRole('heading', { name: 'From the cards', level: 1 }).waitFor();
      const { db } = service.service.services;
      const read = () => db.selectFrom('packages').select(['id', 'state']).where('team_id', '=', teamId).executeTakeFirstOrThrow();
      await expect.poll(async () => (await read()).state, { timeout: 45_000 }).toBe('finalized');
      const link = await db
        .selectFrom('links')
        .select(['id', 'secret'])
        .where('package_id', '=', (await read()).id)
        .executeTakeFirstOrThrow();
      const got = await fetched(`${service.url}/d/${link.id}?secret=${link.secret}`);
      expect(got.get('day 1/A001C001.mov')?.equals(clip)).toBe(true);
      expect([...got.keys()].filter((name) => name.startsWith('notes _img'))).toHaveLength(1);
      expect(got.size).toBe(3);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('is not for guests', inAll('contract/permissions, and view-states for a guest'), async () => {
    const { teamId, userId } = await teamWith({}, 'guest');
    const { page, close } = await openConsole(browserOf(), service, `/t/${teamId}/packages`, { userId });
    await page.getByRole('heading', { name: 'No packages yet' }).waitFor();
    expect(await page.getByRole('link', { name: /Send/ }).count()).toBe(0);
    await page.goto(`${service.url}/t/${teamId}/send`);
    await page.getByText('You may not see this').waitFor();
    await close();
  });
});
