import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeFindings } from '#test/support/browser/axe.ts';
import { buildPages } from '#test/support/browser/built-pages.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addUser } from '#test/support/service/users.ts';
import { eventually } from '#test/support/system/processes.ts';
import { accountScenes, invited } from './account-scenes.ts';

/** A real service, a real browser, and somebody who got a message. */
describeInBrowser('the pages of invitations and forgotten passwords', (browserOf) => {
  let service: TestService;
  beforeAll(async () => {
    const web = await buildPages('web');
    service = await startTestService({ webDir: web.folder, limits: { signInsPerAddress: 10_000, passwordResetsPerAddress: 10_000 } });
  });
  afterAll(async () => {
    await service?.close();
  });

  const faces = accountScenes.flatMap((scene, index) => {
    // Each scene once in each language; looks take turns.
    const [one, other] = index % 2 === 0 ? (['light', 'dark'] as const) : (['dark', 'light'] as const);
    return [
      { scene, language: 'en', colorScheme: one, width: 390 },
      { scene, language: 'de', colorScheme: other, width: 1280 },
    ] as const;
  });

  it.each(faces)('$scene.name ($language, $colorScheme, $width px)', async ({ scene, language, colorScheme, width }) => {
    const path = await scene.open(service);
    const options = { viewport: { width, height: 844 }, colorScheme, locale: language === 'de' ? 'de-DE' : 'en-GB' };
    const { page, complaints, hosts, close } = await openPage(browserOf(), service.url + path, options);
    await page.locator('h1').waitFor();
    await scene.act?.(page);
    await page.getByText(scene.shows[language]).first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    for (const wide of [width, 1280, 390]) {
      await page.setViewportSize({ width: wide, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(wide);
    }
    expect(await page.evaluate('document.documentElement.lang')).toBe(language);
    expect(complaints).toEqual([]);
    // Nobody else hears of who was mailed what.
    expect([...hosts].filter(Boolean)).toEqual([new URL(service.url).host]);
    await close();
  });

  it('keep what was mailed out of every address that is asked for but that of its call, and out of the bar once it was used', async () => {
    const { token } = await invited(service);
    const { page, close } = await openPage(browserOf(), 'about:blank');
    const asked: { url: string; headers: Record<string, string> }[] = [];
    page.on('request', (request) => asked.push({ url: request.url(), headers: request.headers() }));
    await page.goto(`${service.url}/invitation#${token}`);
    await page.getByLabel('Your name').fill('Jonas Weber');
    await page.getByLabel('Password', { exact: true }).fill('chosen by himself');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'You are in Northlight Pictures' }).waitFor();
    expect(page.url()).toBe(`${service.url}/invitation`);
    const withToken = asked.filter(({ url }) => new URL(url).pathname.includes(token));
    expect(withToken.map(({ url }) => new URL(url).pathname)).toEqual([`/v1/invitations/${token}`, `/v1/invitations/${token}/accept`]);
    for (const { headers } of asked) expect(headers['referer'] ?? '').toBe('');
    await close();
  });

  it('speak with the service alone, by their own policy', async () => {
    const answer = await service.call('GET', '/password');
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("connect-src 'self';");
    expect(policy).not.toContain(new URL(service.storageUrl).host);
    expect([answer.status, answer.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
  });

  it('lead to mail in the language that the page speaks, whatever that of the browser is', async () => {
    const { email } = await addUser(service, 'guest');
    const { page, close } = await openPage(browserOf(), `${service.url}/password`, { locale: 'en-GB' });
    await page.getByRole('combobox').selectOption('de');
    await page.getByLabel('E-Mail-Adresse').fill(email);
    await page.getByRole('button', { name: 'Nachricht senden' }).click();
    await page.getByRole('heading', { name: 'Sehen Sie in Ihre E-Mails' }).waitFor();
    const { db } = service.service.services;
    const languages = async () =>
      (await db.selectFrom('messages').select('language').where('recipient', '=', email).execute()).map(({ language }) => language);
    await eventually('a message', async () => (await languages()).length > 0);
    expect(await languages()).toEqual(['de']);
    await close();
  });

  it('show another message that is opened in the same tab', async () => {
    const [first, second] = [await invited(service), await invited(service)];
    const { page, close } = await openPage(browserOf(), `${service.url}/invitation#${first.token}`);
    await page.locator('input[name=email]').waitFor();
    expect(await page.locator('input[name=email]').inputValue()).toBe(first.email);
    await page.evaluate(`location.hash = ${JSON.stringify(second.token)}`);
    await page.locator(`input[value="${second.email}"]`).waitFor();
    await close();
  });
});
