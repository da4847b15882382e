import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectGoodLooks, openConsole, speak, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { sizes } from '#test/support/browser/looks.ts';
import { ownerEmail, ownerPassword, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

describeInBrowser("the console's frame", (browserOf) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startConsole();
  });
  afterAll(async () => {
    await service?.close();
  });

  it('signs in, leads to where the person wanted to go, and signs out', async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${service.teamId}?from=mail`, { userId: null });
    await page.getByLabel('E-mail address').fill(ownerEmail);
    await page.getByLabel('Password').fill('not this one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    await speak(page, 'de', 'Die E-Mail-Adresse oder das Passwort ist falsch.');
    await speak(page, 'en', 'The e-mail address or the password is wrong.');
    await page.getByLabel('Password').fill(ownerPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(page.url()).toBe(`${service.url}/t/${service.teamId}?from=mail`);
    // Scripts of the page cannot read what signs in.
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(`${service.url}/t/${service.teamId}`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('looks good before and after the sign-in', async () => {
    const before = await openConsole(browserOf(), service, '/', { userId: null });
    await expectGoodLooks(before.page, { en: 'Forgot your password?', de: 'Passwort vergessen?' });
    await before.close();
    const after = await openConsole(browserOf(), service, '/');
    await expectGoodLooks(after.page, { en: 'Nothing was sent or received yet', de: 'Noch wurde nichts gesendet oder empfangen' });
    expect(after.complaints).toEqual([]);
    await after.close();
  });

  it('leads to the sign-in at once where the person signs out in another tab', async () => {
    const { userId } = await addUser(service, 'member');
    const { page, close } = await openConsole(browserOf(), service, `/t/${service.teamId}?tab=a`, {
      userId,
      // Nothing but the other tab tells it: no stream and no answer does.
      prepare: (tab) => tab.route('**/v1/teams/*/events**', () => undefined),
    });
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.waitForLoadState('load');
    await page.route('**/v1/teams/**', () => undefined);
    const other = await page.context().newPage();
    await other.goto(`${service.url}/t/${service.teamId}`);
    await other.getByRole('button', { name: 'Your account' }).click();
    const asked: string[] = [];
    // The stream, which nobody answers, may be opened anew at any time.
    page.on('request', (request) => asked.push(...[new URL(request.url()).pathname].filter((path) => !path.endsWith('/events'))));
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You were signed out').waitFor();
    expect(asked[0]).toBe('/v1/users/me');
    expect(new URL(page.url()).searchParams.get('next')).toBe(`/t/${service.teamId}?tab=a`);
    await close();
  });

  it('leads to the sign-in and back where a session is ended elsewhere', async () => {
    const { userId, token } = await addUser(service, 'member');
    const { page, close } = await openConsole(browserOf(), service, `/t/${service.teamId}?tab=a`, { userId });
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await service.call('DELETE', '/v1/sessions', { headers: { 'x-user-token': token } });
    // The person comes back to the window.
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('You were signed out').waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe(`/t/${service.teamId}?tab=a`);
    await close();
  });

  it('leads to every view from a phone, whose bar has room for few', async () => {
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${service.teamId}`);
    const bar = page.getByRole('navigation', { name: 'Parts of the console' });
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    const views = await bar.getByRole('link').allTextContents();
    expect(views).toContain('Members');
    await page.setViewportSize(sizes.phone);
    await bar.getByRole('link', { name: 'Members' }).waitFor({ state: 'hidden' });
    const inBar = await bar.getByRole('link').allTextContents();
    await bar.getByRole('button', { name: 'More' }).click();
    const others = await page.getByRole('list', { name: 'Other parts' }).getByRole('link').allTextContents();
    expect([...inBar, ...others]).toEqual(views);
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    // It is closed by the choice, and says where the person is.
    await page.getByRole('link', { name: 'Members' }).waitFor({ state: 'hidden' });
    expect(await bar.getByRole('button', { name: 'More' }).getAttribute('data-here')).toBe('true');
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows the person’s Teams, and no others', async () => {
    const { userId } = await addUser(service, 'member');
    const other = await addTeam(service, 'Northlight Pictures');
    const foreign = await addTeam(service, 'Not theirs');
    const { db, now } = service.service.services;
    await db.insertInto('memberships').values({ id: other, team_id: other, user_id: userId, role: 'guest', created_at: now() }).execute();
    const { page, close } = await openConsole(browserOf(), service, '/', { userId });
    await page.getByRole('button', { name: 'Choose a Team: Harbour' }).click();
    await page.getByRole('menuitemradio', { name: 'Northlight Pictures' }).click();
    await page.getByRole('button', { name: 'Choose a Team: Northlight Pictures' }).waitFor();
    expect(page.url()).toBe(`${service.url}/t/${other}`);
    await page.goto(`${service.url}/t/${foreign}`);
    await page.getByRole('heading', { name: 'This Team is not yours' }).waitFor();
    await close();
  });

  it('says when the service does not answer, and goes on by itself', async () => {
    const { page, close } = await openConsole(browserOf(), service, '/');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.route('**/v1/**', (route) => route.abort());
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('The service does not answer.').waitFor();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.unroute('**/v1/**');
    await page.getByText('The service does not answer.').waitFor({ state: 'detached' });
    await close();
  });

  it('has a policy of its own', async () => {
    const answer = await service.call('GET', '/sign-in');
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toMatch(/default-src 'none'; script-src 'self' 'sha256-[\w+/=]+'; style-src 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  });
});
