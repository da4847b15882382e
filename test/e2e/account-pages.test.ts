import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeFindings } from '#test/support/browser/axe.ts';
import { buildPages } from '#test/support/browser/built-pages.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { sizes, sticksOut } from '#test/support/browser/looks.ts';
import { firstOf, whole } from '#test/support/level.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addUser } from '#test/support/service/users.ts';
import { eventually } from '#test/support/system/processes.ts';
import { accountScenes, invited } from './account-scenes.ts';
import { alikeScenes } from './alike-scenes.ts';

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

  // Half of them begin in either language, and in either theme: each is looked at in both, and loaded once. In a run of the first
  // level one of those that are alike, as it begins.
  const faces = accountScenes
    .filter(({ name }) => whole || !(name in alikeScenes))
    .map((scene, index) => ({
      scene,
      languages: firstOf(index % 2 === 0 ? (['en', 'de'] as const) : (['de', 'en'] as const)),
      themes: index % 4 < 2 ? (['light', 'dark'] as const) : (['dark', 'light'] as const),
    }));

  it.each(faces)('$scene.name ($languages, $themes)', async ({ scene, languages, themes }) => {
    const path = await scene.open(service);
    const locale = languages[0] === 'de' ? 'de-DE' : 'en-GB';
    // A theme that comes over by and by is none of both while axe looks.
    const options = { viewport: sizes.phone, colorScheme: themes[0], reducedMotion: 'reduce', locale } as const;
    const { page, complaints, hosts, close } = await openPage(browserOf(), service.url + path, options);
    await page.locator('h1').waitFor();
    await scene.act?.(page);
    for (const [turn, language] of languages.entries()) {
      if (turn > 0) {
        await page.getByRole('combobox').selectOption(language);
        await page.emulateMedia({ colorScheme: themes[turn]! });
      }
      await page.getByText(scene.shows[language]).first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
      // Beginning with the size that it has, and ending with that of the next look.
      for (const size of turn === 0 ? [sizes.phone, sizes.desk] : [sizes.desk, sizes.phone]) {
        await page.setViewportSize(size);
        expect(await sticksOut(page)).toEqual([]);
      }
      expect(await page.evaluate('document.documentElement.lang')).toBe(language);
    }
    expect(complaints).toEqual([]);
    // Nobody else hears of who was mailed what.
    expect([...hosts].filter(Boolean)).toEqual([new URL(service.url).host]);
    await close();
  });

  it('keep what was mailed out of every address that is asked for but that of its call, and out of the bar once it was used', async () => {
    const { token, email } = await invited(service);
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
    await page.getByRole('link', { name: 'Continue in the browser' }).click();
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(email);
    await close();
  });

  it('show the imprint and the privacy policy of the Team that invites', async () => {
    const { token, team } = await invited(service);
    const legal = { imprint_url: 'https://example.com/imprint', privacy_url: 'https://example.com/privacy' };
    await service.service.services.db.updateTable('teams').set(legal).where('id', '=', team).execute();
    const { page, close } = await openPage(browserOf(), `${service.url}/invitation#${token}`);
    expect(await page.getByRole('link', { name: 'Imprint' }).getAttribute('href')).toBe(legal.imprint_url);
    expect(await page.getByRole('link', { name: 'Privacy' }).getAttribute('href')).toBe(legal.privacy_url);
    expect(await sticksOut(page)).toEqual([]);
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
