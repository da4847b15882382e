import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiError } from '#protocol/errors.ts';
import { parseTraceparent, traceIdName, traceparentName } from '#protocol/trace-context.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import { lookEverywhere } from '#test/support/browser/looks.ts';
import { arrived, chooseFiles, chooseFolder, fillDetails, received, send, visitPortal } from '#test/support/browser/portal-visitor.ts';
import { soaking } from '#test/support/faults/seeds.ts';
import { inAll } from '#test/support/level.ts';
import { askForm, newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { everyField } from './portal-scenes.ts';

/** Where the app is said to be. */
const appUrl = 'https://apps.example.org/longshore';

/** A real service, a real browser, and a person who was given an address. */
describeInBrowser('the upload page', (browserOf) => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let web: BuiltPages;
  let service: TestService;

  beforeAll(async () => {
    folder = await tempFolder();
    web = await buildPages('web');
    service = await startTestService({ webDir: web.folder, allowPrivateWebhooks: true, baseDomain: 'portals.test', appUrl });
    await mkdir(join(folder.path, 'A001/audio'), { recursive: true });
    await writeFile(join(folder.path, 'A001/A001C001.mov'), randomBytes(3_000_000));
    await writeFile(join(folder.path, 'A001/audio/notes.txt'), 'Wind on take 3.\n');
    await writeFile(join(folder.path, 'A001/poster.jpg'), 'not taken everywhere');
    await writeFile(join(folder.path, 'empty.txt'), '');
  });
  afterAll(async () => {
    await service?.close();
    await folder?.remove();
  });

  const visit = (subdomain: string, options: Parameters<typeof visitPortal>[3] = {}) =>
    visitPortal(browserOf(), service, subdomain, options);

  it('sends a folder and an empty file, and gives a receipt', async () => {
    const portal = await newPortal(service, { name: 'Northlight dailies', message: 'Please send everything of the day.' });
    const { page, complaints, hosts, close } = await visit(portal.subdomain);
    await page.getByRole('heading', { name: 'Northlight dailies' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await chooseFolder(page, join(folder.path, 'A001'));
    await chooseFiles(page, join(folder.path, 'empty.txt'));
    await page.getByText('4 files, 3 MB', { exact: true }).waitFor();
    await fillDetails(page);
    await page.getByLabel('Message').fill('A and B camera');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send 4 files, 3 MB' }).click();
    await arrived(page);
    expect(await axeFindings(page)).toEqual([]);
    const { package: made, files } = await received(service, portal.id);
    expect(made).toMatchObject({
      name: 'Day 12',
      description: 'A and B camera',
      sender: 'mia@harbour.example',
      state: 'finalized',
      total_files: 4,
    });
    expect([...files.keys()].sort()).toEqual(['A001/A001C001.mov', 'A001/audio/notes.txt', 'A001/poster.jpg', 'empty.txt']);
    expect(files.get('A001/A001C001.mov')?.size).toBe(3_000_000);
    expect(complaints).toEqual([]);
    // Nobody else hears of a visitor.
    expect([...hosts].filter(Boolean).sort()).toEqual([new URL(service.url).host, new URL(service.storageUrl).host].sort());
    await close();
  });

  it.each([
    ['an unknown address', async () => 'no-such-portal-anywhere', 'There is no such page'],
    ['a Portal that is switched off', async () => (await newPortal(service, { active: false })).subdomain, 'This page takes no files now'],
    [
      'a Portal past its end',
      async () => (await newPortal(service, { expiry_enabled: true, expiry: '2026-01-31T12:00:00.000Z' })).subdomain,
      'This page has closed',
    ],
  ] satisfies [string, () => Promise<string>, string][])(
    'says what is the matter with %s',
    async (_, make: () => Promise<string>, words: string) => {
      const { page, complaints, close } = await visit(await make());
      await page.getByRole('alert').getByRole('heading', { name: words }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('asks for the access code, and for a pause after ten wrong ones', async () => {
    const portal = await newPortal(service, {
      name: '<img src=x onerror=alert(1)>',
      message: '<script>alert(2)</script>\nAll of the day, please.',
      primary_color: '#7a2e8f',
      access_code: 'Häfen 12',
    });
    const { page, complaints, close } = await visit(portal.subdomain, { reducedMotion: 'reduce' });
    await page.getByRole('heading', { name: 'This page has an access code' }).waitFor();
    // Whose page it is stands there before the code, as text.
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    await page.getByText('All of the day, please.').waitFor();
    expect(await page.locator('.portal-note img, .portal-note script').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Open' }).evaluate((one) => getComputedStyle(one).backgroundColor)).toBe(
      'rgb(122, 46, 143)',
    );
    expect(await lookEverywhere(page, { translate: (tab) => tab.getByRole('combobox').selectOption('de') })).toEqual([]);
    await page.getByRole('combobox').selectOption('en');
    expect(await page.getByLabel('Access code').getAttribute('type')).toBe('password');
    await page.getByLabel('Show the code').check();
    expect(await page.getByLabel('Access code').getAttribute('type')).toBe('text');
    const guess = async (code: string): Promise<void> => {
      await page.getByLabel('Access code').fill(code);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByRole('button', { name: 'Opening…' }).waitFor({ state: 'detached' });
    };
    await guess('häfen 12');
    await page.getByText('This access code is wrong.').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await guess('Häfen 12');
    await chooseFiles(page, join(folder.path, 'empty.txt'));
    await fillDetails(page);
    await send(page);
    await arrived(page);
    await page.getByText('All of the day, please.').waitFor();
    await page.reload();
    // Where the right code came from, wrong ones are counted by themselves.
    for (let tries = 0; tries < 11; tries++) await guess(`guess ${tries}`);
    await page
      .getByText(/Too many wrong codes\. Try again in \d+ min/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('asks everything that the form asks, and sends the answers', async () => {
    const portal = await newPortal(service);
    const form = await askForm(service, portal.id, { fields: everyField });
    expect(form.status).toBe(201);
    const { page, complaints, close } = await visit(portal.subdomain);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Some of it is missing or wrong.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.getByText('This is needed.').count()).toBe(5);
    // What the form asks is not asked twice, and what is hidden not at all.
    expect(await page.getByLabel('Name of the package').count()).toBe(0);
    expect(await page.getByText('Cost centre').count()).toBe(0);
    await chooseFiles(page, join(folder.path, 'empty.txt'));
    await page.getByLabel('Title of the delivery').fill('Day 13');
    await page.getByLabel('Your e-mail').fill('mia@');
    await page.getByText('This is not an e-mail address.').waitFor();
    await page.getByLabel('Your e-mail').fill('mia@harbour.example');
    await page.getByLabel('What is it?').fill('Second unit');
    await page.getByLabel('Camera', { exact: true }).selectOption('Drone');
    await page.getByRole('radio', { name: 'Second' }).check();
    await page.getByRole('checkbox', { name: 'Sound' }).check();
    await page.getByRole('checkbox', { name: 'Checksums were compared' }).check();
    await page.getByLabel('Day of the shoot').fill('2026-11-20');
    await page.getByLabel('Rolls').fill('twelve');
    await page.getByText('This is not a number.').waitFor();
    await page.getByLabel('Rolls').fill('12.5');
    await page.getByLabel('Camera report').fill('https://example.com/report');
    await page.getByLabel('Contact on set').fill('set@example.com');
    expect(await page.getByLabel('Production').getAttribute('readonly')).not.toBeNull();
    await send(page);
    await arrived(page);
    const { package: made, files, read } = await received(service, portal.id);
    expect(made).toMatchObject({ name: 'Day 13', sender: 'mia@harbour.example', description: 'Second unit' });
    expect(files.has('metadata.json')).toBe(true);
    const answers = JSON.parse((await read('metadata.json')).toString()) as Record<string, { value: unknown }>;
    expect(Object.fromEntries(Object.entries(answers).flatMap(([name, answer]) => (name === 'id' ? [] : [[name, answer.value]])))).toEqual({
      title: 'Day 13',
      from: 'mia@harbour.example',
      about: 'Second unit',
      camera: 'Drone',
      unit: 'Second',
      contents: ['Picture', 'Sound'],
      checked: true,
      day: '2026-11-20',
      slate: '12A',
      notes: '',
      rolls: '12.5',
      report: 'https://example.com/report',
      contact: 'set@example.com',
      production: 'Northlight',
      cost_centre: '4711',
    });
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows the id under which the service has a failure, to be copied', async () => {
    const portal = await newPortal(service);
    const { page, close } = await visit(portal.subdomain, { permissions: ['clipboard-read', 'clipboard-write'] });
    const traces: string[] = [];
    await page.route('**/v1/portals/*/packages', (route) => {
      const id = parseTraceparent(route.request().headers()[traceparentName])!.traceId;
      traces.push(id);
      return route.fulfill({ status: 500, headers: { [traceIdName]: id }, json: new ApiError('internal', { id }).body });
    });
    await chooseFiles(page, join(folder.path, 'empty.txt'));
    await fillDetails(page);
    await send(page);
    await page.getByText('Error ID').waitFor();
    expect(await lookEverywhere(page, { translate: () => page.getByLabel('Language').selectOption('Deutsch') })).toEqual([]);
    await page.getByRole('button', { name: 'Kopieren' }).click();
    await page.getByRole('button', { name: 'Kopiert' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(traces[0]);
    await close();
  });

  it(
    'says so where the part of it that sends does not come, and sends once it does',
    inAll('unit/web/lazy-load, and what the service refuses'),
    async () => {
      const portal = await newPortal(service);
      const { page, complaints, close } = await visit(portal.subdomain);
      const part = '**/assets-web/lazy-sending-*.js';
      await page.route(part, (route) => route.abort());
      await page.reload();
      await chooseFiles(page, join(folder.path, 'empty.txt'));
      await fillDetails(page);
      await send(page);
      const words = page.getByText('A part of this page could not be loaded.');
      await words.waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.unroute(part);
      // What was begun is left lying: the storage does not answer.
      await page.route(`${service.storageUrl}/**`, (route) => route.abort());
      await send(page);
      await page.getByText('No connection. It goes on by itself').waitFor();
      await page.route(part, (route) => route.abort());
      await page.reload();
      await page.getByRole('heading', { name: 'You have not finished sending' }).waitFor();
      await words.waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('button', { name: 'Go on' }).click();
      await arrived(page);
      const { files } = await received(service, portal.id);
      expect([...files.keys()]).toEqual(['empty.txt']);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('explains what it takes before anybody runs into it, and marks what it does not', async () => {
    const portal = await newPortal(service, {
      package_size_restriction_enabled: true,
      max_file_size: 2_000_000,
      max_file_count: 1,
      file_type_restriction_enabled: true,
      file_types: ['.txt', '.mov'],
      terms_of_service_enabled: true,
      terms_of_service: { title: 'Terms', description: 'Be kind.', checkbox_label: '', checkbox_url: 'https://example.com/terms' },
    });
    const { page, complaints, close } = await visit(portal.subdomain);
    for (const rule of ['Only files of the types .txt and .mov', 'Files of at most 2 MB each', 'At most 1 file'])
      await page.getByText(rule).waitFor();
    await chooseFiles(page, [
      join(folder.path, 'A001/A001C001.mov'),
      join(folder.path, 'A001/audio/notes.txt'),
      join(folder.path, 'empty.txt'),
      join(folder.path, 'A001/poster.jpg'),
    ]);
    await page.getByText('Too large for this page').waitFor();
    await page.getByText('This type is not taken here').waitFor();
    await page.getByText('This page takes at most 1 file, and you have chosen 2.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove 2 files that cannot be sent' }).click();
    await page.getByRole('button', { name: 'Remove empty.txt' }).click();
    await fillDetails(page);
    await send(page);
    await page.getByText('Please agree to the terms first.').waitFor();
    await page.getByRole('checkbox', { name: 'I agree' }).check();
    await send(page);
    await arrived(page);
    expect([...(await received(service, portal.id)).files.keys()]).toEqual(['notes.txt']);
    expect(complaints).toEqual([]);
    await close();
  });

  it('takes what is dropped on it, whole folders with their empty ones', async () => {
    await mkdir(join(folder.path, 'B001/empty'), { recursive: true });
    await writeFile(join(folder.path, 'B001/B001C001.mov'), 'picture');
    const portal = await newPortal(service);
    const { page, complaints, close } = await visit(portal.subdomain);
    const box = (await page.getByText('Drop files and folders here').boundingBox())!;
    const mouse = await page.context().newCDPSession(page);
    const data = { items: [], files: [join(folder.path, 'B001'), join(folder.path, 'empty.txt')], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await mouse.send('Input.dispatchDragEvent', { type, x: box.x + 5, y: box.y + 5, data });
      if (type === 'dragOver') await page.getByText('Let go to add them').waitFor();
    }
    await page.getByText('2 files, 7 bytes', { exact: true }).waitFor();
    await page.getByText('Empty folder').waitFor();
    await fillDetails(page);
    await send(page);
    await arrived(page);
    expect([...(await received(service, portal.id)).files.keys()].sort()).toEqual(['B001/B001C001.mov', 'empty.txt']);
    expect(complaints).toEqual([]);
    await close();
  });

  it('says what the service refuses, though the page did not know', async () => {
    const portal = await newPortal(service);
    const { page, close } = await visit(portal.subdomain);
    await chooseFiles(page, [join(folder.path, 'A001/audio/notes.txt'), join(folder.path, 'A001/poster.jpg')]);
    await fillDetails(page);
    const changed = await service.call('PUT', `/v1/portals/${portal.id}`, {
      headers: { 'x-api-key': service.apiKey },
      body: { file_type_restriction_enabled: true, file_types: ['.txt'] },
    });
    expect(changed.status).toBe(200);
    await send(page);
    await page.getByText('1 file did not get through.').waitFor();
    await page.getByText('this Portal takes only files of the types .txt').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Try again: poster.jpg' }).click();
    await page.getByText('1 file did not get through.').waitFor();
    await page.getByRole('button', { name: 'Finish without them' }).click();
    await arrived(page);
    expect([...(await received(service, portal.id)).files.keys()]).toEqual(['notes.txt']);
    await close();
  });

  it('speaks German, remembers a chosen language, and bears being read from the right', async () => {
    const portal = await newPortal(service, { name: 'Tagesmuster' });
    const { page, complaints, close } = await visit(portal.subdomain, { locale: 'de-AT' });
    await page.getByText('Dateien und Ordner hierher ziehen').waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
    expect(await page.title()).toBe('Dateien senden an Tagesmuster');
    await page.getByLabel('Sprache').selectOption('English');
    await page.getByText('Drop files and folders here').waitFor();
    await page.reload();
    await page.getByText('Drop files and folders here').waitFor();
    await chooseFolder(page, join(folder.path, 'A001'));
    for (const width of [360, 1_200]) {
      await page.setViewportSize({ width, height: 740 });
      for (const direction of ['rtl', 'ltr']) {
        await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), direction);
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      }
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it('can be worked by the keyboard alone, in the dark and without motion', async () => {
    const portal = await newPortal(service, { primary_color: '#ffd23f' });
    const { page, complaints, close } = await visit(portal.subdomain, { colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.getByRole('heading', { name: portal.name }).waitFor();
    await chooseFiles(page, join(folder.path, 'empty.txt'));
    expect(await axeFindings(page)).toEqual([]);
    await page.getByLabel('Your e-mail address').focus();
    await page.keyboard.type('mia@harbour.example');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Day 14');
    await page.keyboard.press('Enter');
    await arrived(page);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('All sent');
    expect(await axeFindings(page)).toEqual([]);
    const download = await downloadBy(page, () => page.getByRole('button', { name: 'Save a receipt' }).click());
    expect(download.suggestedFilename()).toBe('Day 14.txt');
    expect(await readFile(await download.path(), 'utf8')).toMatch(/Package: Day 14\n.*0\tblake3:[0-9a-f]{64}\tempty\.txt\n$/s);
    expect(complaints).toEqual([]);
    await close();
  });

  it(
    'wears the pictures and colour of its owner, and asks nobody else for them',
    inAll('service/portal-pictures; the colour beside the access code; unit/web/portal/page'),
    async () => {
      const keeper = createServer((request, response) => {
        if (request.url !== '/logo.svg') return response.writeHead(404).end();
        response.writeHead(200, { 'content-type': 'image/svg+xml' });
        response.end(
          '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><rect width="120" height="40" fill="#7a2e8f"/></svg>',
        );
      });
      await new Promise<void>((resolve) => keeper.listen(0, '127.0.0.1', resolve));
      const origin = `http://127.0.0.1:${(keeper.address() as AddressInfo).port}`;
      const portal = await newPortal(service, {
        logo_url: `${origin}/logo.svg`,
        background_url: `${origin}/none.jpg`,
        primary_color: '#7a2e8f',
      });
      const { page, complaints, hosts, close } = await visit(portal.subdomain);
      const logo = page.getByRole('img', { name: portal.name });
      await logo.waitFor();
      await expect.poll(() => logo.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(120);
      // A dark one would vanish in the dark.
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await logo.evaluate((image) => getComputedStyle(image).backgroundColor)).toBe('rgb(255, 255, 255)');
      await page.emulateMedia({ colorScheme: 'light' });
      // A picture that does not come leaves no hole.
      await page.locator('.frame-background').waitFor({ state: 'detached' });
      const send = page.getByRole('button', { name: 'Send' });
      // The colour comes over by and by.
      await expect.poll(() => send.evaluate((button) => getComputedStyle(button).backgroundColor)).toBe('rgb(122, 46, 143)');
      expect(await axeFindings(page)).toEqual([]);
      expect([...hosts].filter(Boolean)).toEqual([new URL(service.url).host]);
      expect(complaints).toEqual([]);
      await close();
      await new Promise((resolve) => keeper.close(resolve));
    },
  );

  it('hands the agent what it needs, and no secret', inAll('unit/web/portal/page'), async () => {
    const portal = await newPortal(service, { access_code: 'Häfen 12' });
    const { page, close } = await visit(portal.subdomain);
    await page.getByLabel('Access code').fill('Häfen 12');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the package').fill('Day & night');
    const address = new URL((await page.getByRole('link', { name: 'Open in the Longshore app' }).getAttribute('href'))!);
    expect(address.protocol).toBe('longshore:');
    expect(Object.fromEntries(address.searchParams)).toEqual({ service: service.url, portal: portal.subdomain, name: 'Day & night' });
    await close();
  });

  it('says what to do where no app answers the hand-over', inAll('unit/web/app-link, and e2e/hand-over'), async () => {
    const portal = await newPortal(service);
    const { page, close } = await visit(portal.subdomain);
    await page.getByRole('link', { name: 'Open in the Longshore app' }).click();
    await page.getByText('No app has opened?').waitFor();
    const place = await page.getByRole('link', { name: 'Get the app' }).getAttribute('href');
    expect((await fetch(place!, { redirect: 'manual' })).headers.get('location')).toBe(appUrl);
    expect(await axeFindings(page)).toEqual([]);
    // What was begun here goes on.
    await chooseFiles(page, join(folder.path, 'empty.txt'));
    await page.getByText('1 file, 0 bytes', { exact: true }).waitFor();
    await close();
  });

  it("is at a Portal's own name as well, with all that it needs from there", async () => {
    const portal = await newPortal(service, { name: 'Northlight dailies' });
    const port = new URL(service.url).port;
    const { page, complaints, hosts, close } = await visit(portal.subdomain);
    await page.goto(`http://${portal.subdomain}.portals.test:${port}/`);
    await page.getByRole('heading', { name: 'Northlight dailies' }).waitFor();
    await chooseFiles(page, join(folder.path, 'A001/audio/notes.txt'));
    await fillDetails(page);
    await send(page);
    await arrived(page);
    expect([...(await received(service, portal.id)).files.keys()]).toEqual(['notes.txt']);
    expect([...hosts].filter((host) => host.endsWith(`.portals.test:${port}`))).toEqual([`${portal.subdomain}.portals.test:${port}`]);
    await page.goto(`http://no-such-portal.portals.test:${port}/`);
    await page.getByRole('alert').getByRole('heading', { name: 'There is no such page' }).waitFor();
    // Beyond this machine the page comes by HTTP here, and a browser says what it does not do then.
    expect(complaints.filter((one) => !one.startsWith('The Cross-Origin-Opener-Policy header has been ignored'))).toEqual([]);
    await close();
  });

  it('names what it cannot read of a folder, and takes the rest', inAll('unit/web/portal/files'), async () => {
    const portal = await newPortal(service);
    const { page, complaints, close } = await visit(portal.subdomain);
    await page.addInitScript(() => {
      const locked = {
        kind: 'directory',
        name: 'locked',
        values() {
          throw new DOMException('', 'NotAllowedError');
        },
      };
      const folder = (name: string, children: readonly unknown[]) => ({
        kind: 'directory',
        name,
        values: async function* () {
          yield* children;
        },
      });
      const gone = { kind: 'file', name: 'gone.wav', getFile: () => Promise.reject(new DOMException('', 'NotFoundError')) };
      const there = { kind: 'file', name: 'there.wav', getFile: async () => new File(['take'], 'there.wav') };
      Object.assign(window, {
        showOpenFilePicker: () => Promise.reject(new DOMException('', 'AbortError')),
        showDirectoryPicker: async () => folder('C001', [folder('audio', [gone, there]), locked]),
      });
    });
    await page.reload();
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await page.getByText('2 files could not be read and will not be sent, such as C001/').waitFor();
    await page.getByText('1 file, 4 bytes', { exact: true }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  /** A folder of so many files in three hundred others. */
  async function manyFiles(name: string, count: number): Promise<string> {
    const many = join(folder.path, name);
    const places = Array.from({ length: 300 }, (_, place) => join(many, `roll-${place % 10}`, `take-${place}`));
    for (const inside of places) await mkdir(inside, { recursive: true });
    for (let n = 0; n < count; n++) await writeFile(join(places[n % 300]!, `frame-${Math.floor(n / 300)}.txt`), `${n}`);
    return many;
  }

  // Many times as many as are in sight.
  const manyToList = soaking ? 5_000 : 1_800;

  it(`lists ${manyToList} files in three hundred folders`, inAll('folders of a few files'), async () => {
    const many = await manyFiles('listed', manyToList);
    const portal = await newPortal(service);
    const { page, complaints, close } = await visit(portal.subdomain);
    await chooseFolder(page, many);
    await page.getByText(new RegExp(`^${manyToList.toLocaleString('en')} files, `)).waitFor();
    // Only what is in sight is in the page.
    expect(await page.locator('.window li').count()).toBeLessThan(60);
    const list = page.getByRole('region', { name: 'Chosen files' });
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.locator(`.window li[aria-posinset="${manyToList}"]`).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  // More requests of many files than are under way at once.
  const manyToSend = soaking ? 5_000 : 1_500;

  it(`sends ${manyToSend} files in three hundred folders`, inAll('a folder and an empty file', { timeout: 300_000 }), async () => {
    const many = await manyFiles('many', manyToSend);
    const portal = await newPortal(service);
    const { page, complaints, close } = await visit(portal.subdomain);
    await chooseFolder(page, many);
    await fillDetails(page);
    await send(page);
    await page.getByRole('heading', { name: 'All sent' }).waitFor({ timeout: 240_000 });
    const { package: made, files, read } = await received(service, portal.id);
    expect(made.total_files).toBe(manyToSend);
    expect((await read('many/roll-7/take-127/frame-3.txt')).toString()).toBe('1027');
    expect(files.size).toBe(manyToSend);
    expect(complaints).toEqual([]);
    await close();
  });
});
