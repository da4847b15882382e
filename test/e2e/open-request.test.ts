import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openPlace } from '#protocol/deep-link.ts';
import { describeAgentPage, type PageOptions } from '#test/support/browser/agent-page.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import type { FakeAgent } from '#test/support/browser/fake-agent.ts';
import { sampleSession } from '#test/support/browser/samples.ts';
import { inAll } from '#test/support/level.ts';
import { handOverAddress } from '#web/portal/page/hand-over-address.ts';

const ask = (url: string): string => `longshore://download?${new URLSearchParams({ url })}`;
/** FakeAgent's own service. */
const known = 'https://share.example.com';
const facts = {
  subdomain: 'northlight',
  name: 'Dailies, day 12',
  sender: 'mia@harbour.example',
  description: 'A and B camera\nfrom the yard',
};

describeAgentPage('a longshore:// address in the agent’s page', { session: sampleSession() }, ({ open }) => {
  const openAt = (address: string, look: PageOptions = {}) => open({}, { path: openPlace(address), ...look });
  const changes = (agent: FakeAgent) => agent.calls.filter((call) => call.method !== 'GET');
  /** The addresses in the tab's history that the page can see. */
  const past = (page: Page): Promise<string[]> => page.evaluate('navigation.entries().map(({ url }) => url)');
  const hash = (page: Page): Promise<string> => page.evaluate(() => location.hash);

  it('shows a download, warns of a service that the agent does not know, and does nothing when refused', async () => {
    const { agent, page } = await openAt(ask('https://elsewhere.example/d/01JD3?secret=abcdefgh'));
    const dialog = page.getByRole('dialog', { name: 'Get these files?' });
    await dialog.getByText('So far this agent does not work with elsewhere.example.').waitFor();
    expect(await dialog.textContent()).toContain('/d/01JD3');
    expect(await dialog.textContent()).not.toContain('abcdefgh');
    expect((await past(page)).filter((url) => url.includes('elsewhere.example'))).toHaveLength(1);
    // A hasty Enter or Escape refuses.
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await hash(page)).toBe('#/transfers');
    expect(changes(agent)).toEqual([]);
    // Whoever goes back is not asked again.
    expect((await past(page)).filter((url) => url.includes('elsewhere.example'))).toEqual([]);
    await page.evaluate(() => location.assign('#/about'));
    await page.goBack();
    expect(await hash(page)).toBe('#/transfers');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it(
    'takes the place of the form that it was pasted into, which asks nothing',
    inAll('a download that is shown; e2e/send-form closes what is on top'),
    async () => {
      const { page } = await open();
      await page.getByRole('main').getByRole('button', { name: 'Get files' }).click();
      await page.getByLabel('Download link').fill(ask(`${known}/d/01JD3?secret=abcdefgh`));
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Get these files?' }).waitFor();
      await page.getByRole('dialog', { name: 'Get files', exact: true }).waitFor({ state: 'detached' });
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    },
  );

  it(
    'fills in the form to get files once the person agrees, and still fetches nothing',
    inAll('a download that is shown; e2e/get-form'),
    async () => {
      const { agent, page } = await openAt(ask(`${known}/d/01JD3?secret=abcdefgh`));
      const dialog = page.getByRole('dialog', { name: 'Get these files?' });
      await dialog.getByText('this agent asks share.example.com for the files').waitFor();
      expect(await dialog.getByText('So far this agent').count()).toBe(0);
      await dialog.getByRole('button', { name: 'Go on' }).click();
      await page.getByRole('dialog', { name: 'Get files' }).waitFor();
      expect(await hash(page)).toBe('#/transfers');
      expect(changes(agent)).toEqual([]);
      // A form that is being filled in stays under one that another address opens.
      await page.getByLabel('Download link').fill(`${known}/d/2?secret=abcdefgh`);
      await page.evaluate((place) => location.assign(place), openPlace(handOverAddress({ baseUrl: known, ...facts })));
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByRole('dialog', { name: 'Send files' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Send files' }).waitFor({ state: 'detached' });
      expect(await page.getByLabel('Download link').inputValue()).toBe(`${known}/d/2?secret=abcdefgh`);
    },
  );

  it('shows what an upload page hands over', async () => {
    const { agent, page } = await openAt(handOverAddress({ baseUrl: known, ...facts }));
    const dialog = page.getByRole('dialog', { name: 'Send files through this Portal?' });
    for (const text of ['share.example.com', facts.subdomain, facts.name, facts.sender, 'A and B camera\nfrom the yard']) {
      await dialog.getByText(text, { exact: true }).waitFor();
    }
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(changes(agent)).toEqual([]);
  });

  it('says what is wrong with an address that it does not take, and shows nothing of it', async () => {
    const { page } = await openAt('longshore://download?url=http%3A%2F%2Felsewhere.example%2Fd%2F1%3Fsecret%3Dx');
    const dialog = page.getByRole('dialog', { name: 'Longshore cannot open this address' });
    await dialog.getByText('What it gives as “url” cannot be used.').waitFor();
    expect(await dialog.textContent()).not.toContain('elsewhere.example');
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('takes an address while the page stands, and shows texts of strangers as text', async () => {
    const { page } = await openAt(ask(`${known}/d/1?secret=x`));
    await page.getByRole('dialog', { name: 'Get these files?' }).waitFor();
    const name = '<img src=x onerror=alert(1)>';
    await page.evaluate((place) => location.assign(place), openPlace(handOverAddress({ baseUrl: known, ...facts, name })));
    await page.getByRole('dialog', { name: 'Send files through this Portal?' }).getByText(name, { exact: true }).waitFor();
  });

  it('knows the services of all sessions', inAll('unit/renderer/open/known-service'), async () => {
    const { page } = await openAt(ask('https://second.example/d/1?secret=x'));
    await page.getByText('So far this agent does not work with second.example.').waitFor();
    await page.route('**/api/v1/sessions', (route) => route.fulfill({ json: [{ id: 's2', service_url: 'https://second.example/' }] }));
    await page.evaluate((place) => location.assign(place), openPlace(ask('https://second.example/d/2?secret=x')));
    await page.getByRole('dialog').getByText('/d/2').waitFor();
    await page.getByText('So far this agent does not work with').waitFor({ state: 'detached' });
  });

  it('speaks German', inAll('the same requests in English; renderer-scenes in German'), async () => {
    const { page } = await openAt(ask('https://anderswo.example/d/1?secret=x'), { locale: 'de-DE' });
    const dialog = page.getByRole('dialog', { name: 'Diese Dateien holen?' });
    await dialog.getByText('Bisher arbeitet dieser Agent nicht mit anderswo.example.').waitFor();
    await dialog.getByRole('button', { name: 'Jetzt nicht' }).click();
  });
});
