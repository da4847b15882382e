import { afterAll, beforeAll, expect, it } from 'vitest';
import { ssoInBrowser } from '#main/cli/sso-login.ts';
import type { Account } from '#protocol/hosted/accounts.ts';
import type { Sso } from '#protocol/hosted/sso.ts';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { inAll } from '#test/support/level.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, type TestUser } from '#test/support/service/users.ts';
import { type OidcProvider, startOidcProvider } from '#test/support/sso/oidc-provider.ts';

/** With a real provider, from its registration to a colleague's first sign-in. */
describeInBrowser('single sign-on in the console', (browserOf) => {
  let service: TestService;
  let oidc: OidcProvider;
  let team: string;
  let owner: TestUser;
  const records: string[] = [];
  beforeAll(async () => {
    service = await startConsole({ allowPrivateSso: true, resolveTxt: async () => records });
    team = await addTeam(service, 'Northlight');
    owner = await addUser(service, 'owner', team);
    oidc = await startOidcProvider([service.service.services.urls.ssoCallback(team)], {
      mia: { email: 'mia@northlight.example', email_verified: true, name: '<img src=x onerror="window.attacked=1">', groups: ['crew'] },
    });
  });
  afterAll(async () => {
    await service?.close();
    await oidc?.close();
  });

  const settings = async () => (await service.call<Sso>('GET', `/v1/teams/${team}/sso`, { headers: { 'x-user-token': owner.token } })).body;

  it('is set up by an owner: domain, provider, roles, trial', async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${team}/team`, { userId: owner.userId });
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await page.getByLabel('Domain', { exact: true }).fill('northlight.example');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Waits for its record').waitFor();
    await page.getByRole('button', { name: 'Check northlight.example' }).click();
    await page.getByText('has no such TXT record yet').waitFor();

    await page.getByLabel('Issuer').fill('http://127.0.0.1:1');
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByText('The connection was refused').waitFor();
    await expectGoodLooks(page, { en: 'longshore-verification=', de: 'Wartet auf den Eintrag' });

    records.push((await settings()).domains[0]!.record.value);
    await page.getByRole('button', { name: 'Check northlight.example' }).click();
    await page.getByText('Verified', { exact: true }).waitFor();
    await page.getByLabel('Issuer').fill(oidc.issuer);
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByText(`${oidc.issuer}/auth`).waitFor();
    await page.getByLabel('Client ID').fill(oidc.clientId);
    await page.getByLabel('Client secret').fill(oidc.clientSecret);
    await page.getByLabel('Scopes').fill('openid email profile groups');
    await page.getByRole('button', { name: 'Add a group' }).click();
    await page.getByLabel('Group', { exact: true }).fill('crew');
    await page.getByLabel('Role', { exact: true }).selectOption('admin');
    await page.getByLabel('Everybody else').selectOption('none');
    await page.getByLabel('Members can sign in').check();
    expect(await page.getByLabel('Only through the company').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await expectGoodLooks(page, { en: 'No sign-in has come through', de: 'noch keine Anmeldung durchgekommen' });

    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByLabel('Account').fill('mia');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('This person would be signed in').waitFor();
    await expectGoodLooks(page, { en: 'The trial has come through', de: 'Der Versuch ist durchgekommen' });
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('link', { name: 'Back to the settings' }).click();
    await page.getByLabel('Only through the company').check();
    await page.getByText('members with a password are turned away').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await settings()).connection?.sso_only).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });

  it(
    'keeps what was not saved, but the secret, and tells what somebody else has saved meanwhile',
    inAll('the same of a Team, in team'),
    async () => {
      const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${team}/sso`, { userId: owner.userId });
      await page.getByLabel('Client secret').fill('not to be kept');
      await page.getByLabel('Everybody else').selectOption('guest');
      page.on('dialog', (dialog) => void dialog.accept());
      await page.reload();
      await page.getByText('These changes were not saved last time.').waitFor();
      expect(await page.getByLabel('Everybody else').inputValue()).toBe('guest');
      expect(await page.getByLabel('Client secret').inputValue()).toBe('');
      const { has_client_secret: _, proven_at: __, updated_at: ___, ...before } = (await settings()).connection!;
      const body = { ...before, scopes: ['openid', 'email', 'groups'] };
      const theirs = await service.call<Sso>('PUT', `/v1/teams/${team}/sso`, { headers: { 'x-user-token': owner.token }, body });
      expect(theirs.status).toBe(200);
      await page.getByRole('button', { name: 'Save' }).click();
      await expectGoodLooks(page, { en: 'Somebody else has changed single sign-on', de: 'Jemand anderes hat das Single Sign-on geändert' });
      await page.getByRole('button', { name: 'Put my changes on top of theirs' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect((await settings()).connection).toMatchObject({ scopes: ['openid', 'email', 'groups'], default_role: 'guest', sso_only: true });
      // As the tests below have it.
      await service.call('PUT', `/v1/teams/${team}/sso`, { headers: { 'x-user-token': owner.token }, body: before });
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('signs a colleague in, to where they wanted to go', async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${team}/members`, { userId: null });
    await page.getByRole('link', { name: 'Sign in with your company' }).click();
    await page.getByLabel('E-mail address').fill('x@elsewhere.example');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('There is no sign-in through a company').waitFor();
    await expectGoodLooks(page, { en: 'For people whose company signs them in', de: 'Für alle, die ihre Firma anmeldet' });
    await page.getByLabel('E-mail address').fill('mia@northlight.example');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByLabel('Account').fill('mia');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { name: 'Members', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/t/${team}/members`);
    const account = await page.evaluate(async () => {
      const answer = await fetch('/v1/users/me', { headers: { 'x-longshore-page': '1' } });
      return (await answer.json()) as Account;
    });
    expect([account.user.email, account.teams.map(({ role }) => role)]).toEqual(['mia@northlight.example', ['admin']]);
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    // The refusal of another domain's address.
    expect(complaints.filter((one) => !/403/.test(one))).toEqual([]);
    await close();
  });

  it('turns away who comes by a password, and says how to come in', async () => {
    const admin = await addUser(service, 'admin', team);
    const { page, close } = await openConsole(browserOf(), service, `/t/${team}/members`, { userId: admin.userId });
    await expectGoodLooks(page, { en: 'Members of this Team sign in through their company', de: 'melden sich über ihre Firma an' });
    await page.getByRole('link', { name: 'Sign in with your company' }).click();
    await page.getByLabel('E-mail address').waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe(`/t/${team}/members`);
    await close();
  });

  it('signs a program of this machine in, after asking the person', async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, '/sso/app', { userId: null });
    await page.getByText('This address is incomplete').waitFor();
    const proof = await ssoInBrowser({
      serviceUrl: service.url,
      address: 'mia@northlight.example',
      async show(url) {
        await page.goto(url);
        await expectGoodLooks(page, { en: 'Sign the Longshore app in', de: 'Die Longshore-App anmelden' });
        await page.getByRole('button', { name: 'Go on' }).click();
        await page.getByLabel('Account').fill('mia');
        await page.getByRole('button', { name: 'Go on' }).click();
        await page.getByText('You are signed in. You can close this window').waitFor();
      },
    });
    const body = { code: proof.sso_code, code_verifier: proof.sso_verifier };
    expect((await service.call<Account>('POST', '/v1/sso/token', { body })).body.user.email).toBe('mia@northlight.example');
    expect(complaints.filter((one) => !/favicon/.test(one))).toEqual([]);
    await close();
  });

  it('answers a callback that nobody began', inAll('service/sso-attacks'), async () => {
    const { page, close } = await openConsole(browserOf(), service, `/sso/callback/${team}?code=x&state=y`, { userId: null });
    await expectGoodLooks(page, { en: 'This sign-in was begun in another browser', de: 'Sie sind nicht angemeldet' });
    expect(new URL(page.url()).search).toBe('');
    await close();
  });
});
