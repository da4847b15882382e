import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgent } from '#main/headless.ts';
import { AgentError } from '#protocol/errors.ts';
import { ssoRefusals } from '#protocol/sso-refusals.ts';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { buildPages } from '#test/support/browser/built-pages.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { lookEverywhere } from '#test/support/browser/looks.ts';
import { sampleSession } from '#test/support/browser/samples.ts';
import { inAll } from '#test/support/level.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { putSso } from '#test/support/sso/connection.ts';
import { type OidcProvider, startOidcProvider } from '#test/support/sso/oidc-provider.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** Signing the agent in through a company, on its own page. */

const begin = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Sign in with your company' }).click();
  await page.getByLabel('E-mail at your company').fill('mia@harbour.example');
};

describeInBrowser('a real agent, service and provider', (browserOf) => {
  let service: TestService;
  let oidc: OidcProvider;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let agent: Awaited<ReturnType<typeof startAgent>>;
  beforeAll(async () => {
    [folder, service] = await Promise.all([tempFolder(), startConsole({ allowPrivateSso: true })]);
    oidc = await startOidcProvider([service.service.services.urls.ssoCallback(service.teamId)], {
      mia: { email: 'mia@harbour.example', email_verified: true, name: 'Mia' },
    });
    const { issuer, clientSecret: secret } = oidc;
    await putSso(service, service.teamId, { issuer, secret, domain: 'harbour.example' });
    agent = await startAgent({
      dataDir: folder.path,
      serviceUrl: service.url,
      listen: { host: '127.0.0.1', port: 0 },
      guiDir: (await buildPages('renderer')).folder,
      secrets: 'vault',
    });
  });
  afterAll(async () => {
    await agent?.close();
    await service?.close();
    await oidc?.close();
    await folder?.remove();
  });

  it('lead back to the agent, refused and then let in', async () => {
    const { page, close } = await openPage(browserOf(), `${agent.url}/`, { reducedMotion: 'reduce' });
    /** Presses a button that opens a page of the service, and goes to the provider as that account. */
    const signInAs = async (button: string, account: string): Promise<Page> => {
      const [opened] = await Promise.all([page.context().waitForEvent('page'), page.getByRole('button', { name: button }).click()]);
      await opened.getByRole('button', { name: 'Go on' }).click();
      await opened.getByLabel('Account').fill(account);
      await opened.getByRole('button', { name: 'Go on' }).click();
      return opened;
    };
    await begin(page);
    const refused = await signInAs('Open the browser', 'nobody');
    await refused.getByText(ssoRefusals.access_denied).waitFor();
    await refused.getByText('no such account').waitFor();
    await refused.getByRole('link', { name: 'Back to the app' }).click();
    await refused.getByText('You are not signed in. You can close this window').waitFor();
    await page.getByText(ssoRefusals.access_denied).waitFor();

    const done = await signInAs('Begin again', 'mia');
    await done.getByText('You are signed in. You can close this window').waitFor();
    await page.getByRole('heading', { name: 'Nothing on the move' }).waitFor();
    expect(agent.engine.session.list()).toMatchObject([{ kind: 'user', state: 'active', user: { email: 'mia@harbour.example' } }]);
    await close();
  });
});

describeAgentPage('the page while a person signs in through a company', { viewport: { width: 1_440, height: 900 } }, ({ open }) => {
  /** The browser would open a page of a service that is not there. */
  const openWaiting = async (state: () => object) => {
    const { agent, page } = await open({}, { reducedMotion: 'reduce' });
    await page.evaluate('window.open = () => null');
    const view = {
      id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
      url: 'https://share.example.com/sso/app',
      expires_at: '2126-11-20T08:10:00.000Z',
    };
    let cancelled = 0;
    // An answer that ends the waiting, before the words were looked for, would take them away unseen.
    let seen = false;
    await page.route('**/api/v1/sso_sign_ins**', (route) => route.fulfill({ status: 201, json: { ...view, state: 'waiting' } }));
    await page.route('**/api/v1/sso_sign_ins/*', (route) => {
      if (route.request().method() !== 'DELETE') return route.fulfill({ json: { ...view, state: 'waiting', ...(seen ? state() : {}) } });
      cancelled += 1;
      return route.fulfill({ status: 204 });
    });
    await begin(page);
    await page.getByRole('button', { name: 'Open the browser' }).click();
    await page.getByText('Waiting for you to sign in').waitFor();
    seen = true;
    const german = async () => {
      agent.settings = { ...agent.settings, language: 'de' };
      agent.tellSettings();
      await page.getByText('Agent läuft').waitFor();
    };
    return { agent, page, german, cancelled: () => cancelled };
  };

  it('waits in all looks, and can be cancelled', inAll('lead back to the agent; renderer-scenes for looks of the page'), async () => {
    const { page, german, cancelled } = await openWaiting(() => ({ state: 'waiting' }));
    expect(await page.getByRole('link', { name: 'Open it' }).getAttribute('href')).toBe('https://share.example.com/sso/app');
    expect(await lookEverywhere(page, { translate: german })).toEqual([]);
    await page.getByRole('button', { name: 'Abbrechen' }).click();
    await expect.poll(cancelled).toBe(1);
    await page.getByRole('button', { name: 'Anders anmelden' }).click();
    await page.getByLabel('Passwort', { exact: true }).waitFor();
  });

  it('says why it failed, in both languages', async () => {
    const error = new AgentError('sso_refused', { detail: ssoRefusals.login_required }).body;
    const { page, german } = await openWaiting(() => ({ state: 'failed', error }));
    await page.getByText(ssoRefusals.login_required).waitFor();
    expect(await lookEverywhere(page)).toEqual([]);
    await german();
    await page.getByText('Ihre Firma möchte, dass Sie sich zuerst auf ihrer eigenen Seite anmelden.').waitFor();
    await page.getByRole('button', { name: 'Neu beginnen' }).waitFor();
  });

  it('goes on once the agent is signed in', inAll('lead back to the agent, refused and then let in'), async () => {
    const session = { id: 's1', service_url: 'https://share.example.com', kind: 'user', state: 'active', login: true, ...sampleSession() };
    const { page } = await openWaiting(() => ({ state: 'done', session }));
    await page.getByRole('heading', { name: 'Nothing on the move' }).waitFor();
  });
});
