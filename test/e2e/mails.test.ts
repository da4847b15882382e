import { beforeAll, beforeEach, expect, it } from 'vitest';
import { axeFindings } from '#test/support/browser/axe.ts';
import { openPage, type WatchedPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { colourRules } from '#test/support/browser/looks.ts';
import { whole } from '#test/support/level.ts';
import { logoUrl, mails } from './mails.ts';

/** What `node test/e2e/stills.ts` makes pictures of, without the eye. */
describeInBrowser('mails in a browser', (browserOf) => {
  let watched: WatchedPage;
  let asked: string[] = [];
  // One tab for all of them: with answers in a server's place each would have another, and a process of its own.
  beforeAll(async () => {
    watched = await openPage(browserOf(), 'about:blank');
    // The logo is of another origin than this page.
    await watched.page.route(logoUrl, (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
    );
    watched.page.on('request', (request) => asked.push(request.url()));
  });
  beforeEach(async () => {
    await watched.page.goto('about:blank');
    asked = [];
  });

  const names = Object.keys(mails);
  /** Of each second kind of mail one, in either language by turns: all kinds have one frame. What is extreme comes in a whole run. */
  const firstNames = [
    ...Map.groupBy(
      names.filter((name) => !/-extreme-/.test(name)),
      (name) => name.replace(/-\w+$/, ''),
    ).values(),
  ]
    .filter((_, index) => index % 2 === 0)
    .map((languages, index) => languages[index % languages.length]!);

  // Colours of the dark are looked at in half of them then, of either language.
  const faces = whole ? names.map((name) => [name, true] as const) : firstNames.map((name, index) => [name, index % 4 < 2] as const);
  it.each(faces)('%s fits a phone and a desk, reads well, and loads the logo alone', async (name, isDark) => {
    const { page } = watched;
    const widthOf = (expression: string) => page.evaluate(`document.${expression}`);
    const fits = async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await widthOf('documentElement.scrollWidth')).toBe(360);
      await page.setViewportSize({ width: 800, height: 740 });
      expect(await widthOf('documentElement.scrollWidth')).toBe(800);
      expect(await widthOf('querySelector(".card").getBoundingClientRect().width')).toBe(560);
    };
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setContent(mails[name]!);
    await fits();
    // A message stands inside a mail program's page, whose landmarks are not its matter.
    const findings = (await axeFindings(page)).filter((finding) => !/^(landmark-one-main|region): /.test(finding));
    expect(findings).toEqual([]);
    if (isDark) {
      await page.emulateMedia({ colorScheme: 'dark' });
      await fits();
      expect(await axeFindings(page, colourRules)).toEqual([]);
    }
    expect(new Set(asked)).toEqual(new Set(mails[name]!.includes(logoUrl) ? [logoUrl] : []));
  });

  it('turn what is written from right to left', async () => {
    const { page, close } = await openPage(browserOf(), 'about:blank', { viewport: { width: 800, height: 740 } });
    await page.setContent(mails['upload-extreme-en']!);
    const side = (selector: string) =>
      page.evaluate(`(() => {
        const element = document.querySelector(${JSON.stringify(selector)});
        const range = document.createRange();
        range.selectNodeContents(element);
        const [text, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
        return text.left - box.left > box.right - text.right ? 'right' : 'left';
      })()`);
    expect([await side('h1'), await side('h2')]).toEqual(['right', 'left']);
    await close();
  });
});
