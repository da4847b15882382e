import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { linkedPackage } from '#test/support/service/download-link.ts';
import { connectBy, offline, poll, putGateway } from '#test/support/service/gateways.ts';
import { askForm, askResponse, formField, newPortal, portalSender } from '#test/support/service/portals.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { putTransfer } from '#test/support/service/transfers.ts';

const program = '<u>grabber';
/** An attack by each text that a stranger can write and people read (test/unit/web/stranger-texts.test.ts has the list). */
const attack = (place: string): string => `${place}<img src=x onerror="window.attacked='${place}'"><script>window.attacked=1</script>`;

describeInBrowser('what strangers write, in the console', (browserOf) => {
  let service: TestService;
  /** A place of the console, and what stands there as text. */
  let places: readonly (readonly [address: string, texts: readonly string[]])[];
  beforeAll(async () => {
    service = await startConsole();
    const portal = await newPortal(service, { name: 'Open' });
    const fields = [formField('note', { label: 'Note' }), formField('kinds', { type: 'checkbox', options: ['a', 'b'], position: 1 })];
    await askForm(service, portal.id, { fields });
    const { body: answers } = await askResponse(service, portal.id, { note: { value: attack('answer') }, kinds: { value: ['a'] } });
    const [name, description] = [attack('name'), attack('message')];
    const sender = await portalSender(service, portal.id, { name, description, form_data_id: answers.id });
    // The service takes no name with < or >, which Windows cannot hold.
    const [folder, file] = ['&lt;b onclick=attacked=1&gt;', '&lt;img src=x onerror=attacked=1&gt;.mov'];
    const { link } = await linkedPackage(service, { [`${folder}/${file}`]: 'a' }, { sender });
    const opened = await service.call<{ package_token: string }>('GET', `/v1/links/${link.id}?secret=${link.download_secret}`);
    const [listed] = (
      await service.call<{ id: string }[]>('GET', `/v1/packages/${sender.package.id}/files`, {
        headers: { 'x-package-token': opened.body.package_token },
      })
    ).body;
    await service.call('GET', `/v1/packages/${sender.package.id}/files/${listed!.id}/download`, {
      headers: { 'x-package-token': opened.body.package_token, 'user-agent': program },
    });
    const gateway = await putGateway(service);
    const connection = await connectBy(service, gateway, { name: 'NAS' });
    await poll(service, gateway, { mounts: [offline(connection, attack('mount'))] } as never);
    await putTransfer(service, { package_id: sender.package.id, state: 'error', message: attack('transfer') });
    const team = `/t/${service.teamId}`;
    places = [
      [team, [name, program]],
      [`${team}/packages`, [name]],
      [`${team}/packages/${sender.package.id}`, [name, description, attack('answer'), file, folder, program, attack('transfer')]],
      [`${team}/portals/${portal.id}?tab=answers`, [name, attack('answer')]],
      [`${team}/integrations/connections/${connection.id}`, [attack('mount')]],
    ];
  });
  afterAll(async () => {
    await service?.close();
  });

  it('is text, and runs nowhere', async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, '/');
    for (const [address, texts] of places) {
      await page.goto(service.url + address);
      for (const text of texts) await page.getByText(text, { exact: false }).first().waitFor({ timeout: 15_000 });
      expect(await page.locator('img[src="x"], [onclick], main script').count()).toBe(0);
      expect(await page.evaluate('window.attacked')).toBeUndefined();
    }
    expect(complaints).toEqual([]);
    await close();
  });
});
