import type { Page } from 'playwright-core';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Connection } from '#protocol/hosted/connections.ts';
import type { ListedWebhook } from '#protocol/hosted/webhooks.ts';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { sizes } from '#test/support/browser/looks.ts';
import { inAll } from '#test/support/level.ts';
import { store } from '#test/support/providers/files.ts';
import { createInMemoryProvider } from '#test/support/providers/in-memory-provider.ts';
import { putGateway } from '#test/support/service/gateways.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { useInMemoryClouds } from '#test/support/service/transfer-provider.ts';
import { putConnection } from '#test/support/service/transfers.ts';
import { addUser } from '#test/support/service/users.ts';
import { bodyOf, startHttpServer, type TestServer } from '#test/support/system/http-server.ts';

/** Would run if a page took it for more than text. */
const probe = '<img src=x onerror="document.title=1"> &amp;';

describeInBrowser('integrations', (browserOf) => {
  let service: TestService;
  let receiver: TestServer;
  const heard: { readonly headers: Record<string, string>; readonly text: string }[] = [];
  beforeAll(async () => {
    service = await startConsole({ allowPrivateWebhooks: true });
    receiver = await startHttpServer(async (request, response) => {
      heard.push({ headers: request.headers as Record<string, string>, text: (await bodyOf(request)).toString() });
      response.writeHead(heard.length === 1 ? 500 : 204).end();
    });
  });
  afterAll(async () => {
    await receiver?.close();
    await service?.close();
  });

  const open = () => openConsole(browserOf(), service, `/t/${service.teamId}/integrations`);
  const choose = async (page: Page, item: string) => {
    await page.locator('.page-header').getByRole('button', { name: 'Actions for' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const list = async <T>(what: string) =>
    (await service.call<T[]>('GET', `/v1/teams/${service.teamId}/${what}`, { headers: { 'x-user-token': service.userToken } })).body;

  it('shows its lists together, so that none pushes another down; one that the service refuses holds up none', async () => {
    for (const end of ['continue', 'abort'] as const) {
      const asked = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      let others: Promise<unknown> = Promise.resolve();
      const { page, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/integrations`, {
        prepare: async (one) => {
          others = Promise.all(['cloud_connections', 'custom_webhooks'].map((list) => one.waitForResponse(`**/${list}*`)));
          await one.route('**/storage_gateways', async (route) => {
            asked.resolve();
            await held.promise;
            await route[end]();
          });
        },
      });
      await Promise.all([asked.promise, others]);
      await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor();
      expect(await page.getByRole('heading', { level: 2 }).count()).toBe(0);
      held.resolve();
      await page.getByRole('heading', { name: 'No storage is connected' }).waitFor();
      await page.getByRole('heading', { name: 'No webhook' }).waitFor();
      await close();
    }
  });

  it('connects storage by a form of the catalogue, says what is missing, and never shows a secret again', async () => {
    const { cloudProviders } = service.service.services;
    useInMemoryClouds(service);
    const { page, complaints, close } = await open();
    await expectGoodLooks(page, { en: 'No storage is connected', de: 'Noch ist kein Speicher verbunden' });
    await page.getByRole('button', { name: 'Connect storage' }).click();
    await page.getByLabel('Provider').selectOption('wasabi_s3');
    await page.getByLabel('Files come from there').check();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    expect(await page.getByText('This is needed.').count()).toBe(5);
    await page.getByLabel('Access key ID').fill('id');
    await page.getByLabel('Secret access key').fill('hidden-secret');
    await page.getByLabel('Bucket').fill('dailies');
    await page.getByLabel('Endpoint').fill('not an address');
    await page.getByLabel('Region').fill('eu-central-1');
    await page.getByText('Endpoint must be a host name').waitFor();
    await expectGoodLooks(page, { en: 'Endpoint must be a host name', de: 'Muss ein Hostname sein' });
    await page.getByLabel('Endpoint').fill('s3.example.com');
    await page.getByLabel('Folders that files come from').fill(`dailies\n${probe}`);
    await page.getByRole('textbox', { name: 'Name' }).fill(probe);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { name: probe, level: 1 }).waitFor();
    const [made] = await list<Connection>('cloud_connections');
    expect(made).toMatchObject({
      name: probe,
      provider: 'wasabi_s3',
      direction: 'cloud_to_service',
      source_directory_ids: ['dailies', probe],
    });
    await page.getByText('It works.').waitFor();
    // Its folders to begin with are known without asking the provider.
    await page.getByRole('button', { name: 'Open dailies' }).waitFor();
    await expectGoodLooks(page, { en: 'Look inside', de: 'Hineinsehen' });

    await page.getByRole('button', { name: 'Change' }).click();
    expect(await page.getByLabel('Secret access key').inputValue()).toBe('');
    expect(await page.content()).not.toContain('hidden-secret');
    await page.getByLabel('Folders that files come from').fill('reels');
    await page.getByRole('textbox', { name: 'Name' }).fill('Camera cards');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Camera cards', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Open reels' }).waitFor();
    // Another place wants the secrets again.
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Bucket').fill('elsewhere');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('client_secret').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await choose(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Camera cards is deleted.').waitFor();
    expect(await list('cloud_connections')).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
    Object.assign(service.service.services, { cloudProviders });
  });

  it('validates step by step with the words of each, and shows an error with what to do', async () => {
    const { page, complaints, close } = await open();
    await page.getByRole('button', { name: 'Connect storage' }).click();
    await page.getByLabel('Provider').selectOption('postlab');
    await page.getByRole('link', { name: 'What to make there' }).and(page.locator('[href$="/setup/postlab"]')).waitFor();
    await page.getByLabel('Team key').fill('key');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    // Whether it works is tried without being asked for: nothing else tells.
    await page.getByText('It does not work yet.').waitFor();
    await page.getByText('Write: failed').waitFor();
    await page.getByText('Does not work', { exact: true }).waitFor();
    const [made] = await list<Connection>('cloud_connections');
    const { db } = service.service.services;
    await db
      .updateTable('cloud_connections')
      .set({ state: 'error', state_message: `The key was refused. ${probe}` })
      .where('id', '=', made!.id)
      .execute();
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('then validate again').waitFor();
    await expectGoodLooks(page, { en: 'It does not work yet.', de: 'Es geht noch nicht.' });
    expect(complaints).toEqual([]);
    await close();
  });

  it(
    'shows each step while the check runs, and stops it',
    inAll('service/connections-places; unit/web/console/check-progress'),
    async () => {
      const { cloudProviders } = service.service.services;
      const clouds = useInMemoryClouds(service);
      const listing = Promise.withResolvers<void>();
      clouds.before = (call) => (call === 'list' && clouds.cloud.files.size > 0 ? listing.promise : Promise.resolve());
      const connection = await putConnection(service, { target_directory_id: 'in' });
      const { page, complaints, close } = await openConsole(
        browserOf(),
        service,
        `/t/${service.teamId}/integrations/connections/${connection}`,
      );
      await page.getByRole('button', { name: 'Validate' }).click();
      await page.getByText('Write: went well').waitFor();
      await page.getByText('List: under way…').waitFor();
      await expectGoodLooks(page, { en: 'List: under way…', de: 'Auflisten: läuft …' });
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('List: stopped').waitFor();
      listing.resolve();
      await expect.poll(() => clouds.cloud.files.size).toBe(0);
      await page.getByRole('button', { name: 'Validate' }).click();
      await page.getByText('It works.').waitFor();
      expect(await page.getByText('went well').count()).toBe(5);
      expect(complaints).toEqual([]);
      await close();
      Object.assign(service.service.services, { cloudProviders });
    },
  );

  it(
    'lets folders be chosen by looking inside, before it is connected and after',
    inAll('service/connections-storage, and a connection that is made of the same form'),
    async () => {
      const { cloudProviders } = service.service.services;
      const clouds = useInMemoryClouds(service);
      const provider = createInMemoryProvider(clouds.cloud);
      for (const path of [`dailies/${probe}/a.mov`, 'stills/b.jpg', 'c.txt']) await store(provider, path, Buffer.from('x'));
      const { page, complaints, close } = await open();
      await page.getByRole('button', { name: 'Connect storage' }).click();
      await page.getByLabel('Provider').selectOption('wasabi_s3');
      await page.getByLabel('Files come from there').check();
      await page.getByRole('button', { name: 'Choose by looking inside' }).click();
      await page.getByText('This is needed.').first().waitFor();
      await page.getByLabel('Access key ID').fill('id');
      await page.getByLabel('Secret access key').fill('secret');
      await page.getByLabel('Bucket').fill('dailies');
      await page.getByLabel('Endpoint').fill('s3.example.com');
      await page.getByLabel('Region').fill('eu-central-1');
      await page.getByRole('button', { name: 'Choose by looking inside' }).click();
      await page.getByText('c.txt').waitFor();
      expect(await page.getByLabel('Choose c.txt').count()).toBe(0);
      await page.getByRole('button', { name: 'Open dailies' }).click();
      await page.getByLabel(`Choose ${probe}`).check();
      const sources = page.getByLabel('Folders that files come from');
      expect(await sources.inputValue()).toBe(`dailies/${probe}`);
      await expectGoodLooks(page, { en: 'Close the folders', de: 'Ordner schließen' });
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByRole('heading', { name: 'Wasabi', level: 1 }).waitFor();
      await page.getByText('It works.').waitFor();
      await page.getByRole('button', { name: `Open ${probe}` }).waitFor();

      await page.getByRole('button', { name: 'Change' }).click();
      await page.getByRole('button', { name: 'Choose by looking inside' }).click();
      await page.getByRole('dialog').getByLabel('Choose stills').check();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      // The dialog has such a button as well, before anything is saved.
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Open stills' }).waitFor();
      const made = (await list<Connection>('cloud_connections')).find(({ provider: name }) => name === 'wasabi_s3');
      expect(made?.source_directory_ids).toEqual([`dailies/${probe}`, 'stills']);
      expect(complaints).toEqual([]);
      await close();
      Object.assign(service.service.services, { cloudProviders });
    },
  );

  it('shows what to set up at a provider, with policies to be copied', inAll('unit/web/console/setup'), async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/integrations/setup/wasabi_s3`);
    await page.getByRole('heading', { name: 'Access key' }).waitFor();
    await page.getByLabel('Name of your bucket').fill('northlight');
    const policy = page.locator('pre', { hasText: 's3:AbortMultipartUpload' });
    expect(JSON.parse(await policy.innerText())).toMatchObject({
      Statement: [{ Resource: 'arn:aws:s3:::northlight' }, { Resource: 'arn:aws:s3:::northlight/*' }],
    });
    await expectGoodLooks(page, { en: 'Name of your bucket', de: 'Legen Sie einen Benutzer nur für Longshore an' });
    await page.getByLabel('Provider').selectOption('google_cloud_storage');
    await page.getByText('A service account').first().waitFor();
    expect(page.url()).toContain('/setup/google_cloud_storage');
    // A step that has a wide table or a policy in it is no wider than the page.
    await page.getByLabel('Provider').selectOption('iconik');
    await page.getByText('s3:RestoreObject').first().waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    const tooWide = `[...document.querySelectorAll('article li')].filter((step) =>
      step.getBoundingClientRect().right > step.closest('article').getBoundingClientRect().right).length`;
    expect([await page.locator('article li table').count(), await page.evaluate(tooWide)]).toEqual([1, 0]);
    await page.goto(`${service.url}/t/${service.teamId}/integrations/setup/nothing`);
    await page.getByRole('heading', { name: 'No such provider', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows gateways with their mounts, and removes one', inAll('service/gateways, and webhooks that are made and removed'), async () => {
    const { id } = await putGateway(service, service.teamId);
    const { db } = service.service.services;
    await db.updateTable('storage_gateways').set({ name: probe }).where('id', '=', id).execute();
    const mount = { name: 'NAS', provider: 'synology_sg', authorization: {}, storage_gateway_id: id };
    await service.call('POST', `/v1/teams/${service.teamId}/cloud_connections`, {
      headers: { 'x-user-token': service.userToken },
      body: mount,
    });
    const { page, complaints, close } = await open();
    await page.getByText('1 mount').waitFor();
    await page.getByText('NAS: Offline').waitFor();
    await expectGoodLooks(page, { en: '1 mount', de: '1 Mount' });
    await page.getByRole('button', { name: `Actions for ${probe}` }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('heading', { name: 'No gateway' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('makes a webhook, shows its secret once, sends a test and replays a delivery', async () => {
    const { page, complaints, close } = await open();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByRole('button', { name: 'Make', exact: true }).click();
    await page.getByText('Give an address that begins with').waitFor();
    await page.getByLabel('Address').fill(`${receiver.url}/hook`);
    await page.getByRole('textbox', { name: 'Name' }).fill(probe);
    await page.getByLabel('a package was begun').check();
    await page.getByLabel('Headers').fill('X-Studio: northlight');
    await expectGoodLooks(page, { en: 'Tell it of', de: 'Er erfährt' });
    await page.getByRole('button', { name: 'Make', exact: true }).click();
    const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue();
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    const [made] = await list<ListedWebhook>('custom_webhooks');
    expect(made).toMatchObject({ events: ['package.created', 'package.finalized'], scope: 'team', headers: { 'X-Studio': 'northlight' } });
    await page.getByRole('link', { name: probe }).click();
    await page.getByRole('heading', { name: 'Nothing was sent yet' }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Given up').waitFor();
    await page.getByText('It answered 500.').waitFor();
    new Verifier(secret).verify(heard[0]!.text, heard[0]!.headers);
    // A real event, which is delivered, and replayed.
    const { body } = await service.call<{ id: string }>('POST', `/v1/teams/${service.teamId}/packages`, {
      headers: { 'x-user-token': service.userToken },
      body: { name: 'P', description: '', recipients: [] },
    });
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    const rows = page.getByRole('list', { name: 'Deliveries' });
    await expect
      .poll(async () => {
        await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
        return await rows.getByText('Delivered').count();
      })
      .toBe(1);
    await page.getByRole('button', { name: 'Send again' }).click();
    await rows.getByText('attempt 2').waitFor();
    expect(heard.slice(1).map(({ text }) => (JSON.parse(text) as { object: { id: string } }).object.id)).toEqual([body.id, body.id]);
    await expectGoodLooks(page, { en: 'attempt 2', de: 'Versuch 2' });
    // On a phone the words have the width, and what came of it stands below.
    await page.setViewportSize(sizes.phone);
    const row = page.locator('.delivery-row').first();
    const boxOf = async (part: string) => (await row.locator(part).boundingBox())!;
    const [words, acts] = [await boxOf('.row-main'), await boxOf('.row-acts')];
    expect(acts.y).toBeGreaterThanOrEqual(words.y + words.height);
    await page.setViewportSize(sizes.desk);
    await choose(page, 'New secret');
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    expect(await page.getByRole('textbox', { name: 'Secret' }).inputValue()).not.toBe(secret);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await choose(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No webhook' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('is not for members', async () => {
    const { userId } = await addUser(service, 'member');
    const { page, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/integrations`, { userId });
    await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
    expect(await page.getByRole('link', { name: 'Integrations' }).count()).toBe(0);
    await close();
  });
});
