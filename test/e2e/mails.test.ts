import type { Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings } from '#test/support/browser/axe.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { logoUrl, mails } from './mails.ts';

/** What `node test/e2e/stills.ts` makes pictures of, without the eye. */
describeInBrowser('mails in a browser', (browserOf) => {
  describe.each(['light', 'dark'] as const)('(%s)', (colorScheme) => {
    it.each(Object.keys(mails))('%s fits a phone and a desk, reads well, and loads the logo alone', async (name) => {
      const { page, close } = await openPage(browserOf(), 'about:blank', { viewport: { width: 360, height: 740 }, colorScheme });
      const asked: string[] = [];
      const ask = (request: Request): void => void asked.push(request.url());
      page.on('request', ask);
      // The logo is of another origin than this page.
      await page.route(logoUrl, (route) =>
        route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
      );
      await page.setContent(mails[name]!);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      await page.setViewportSize({ width: 800, height: 740 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(800);
      expect(await page.evaluate('document.querySelector(".card").getBoundingClientRect().width')).toBe(560);
      // A message stands inside a mail program's page, whose landmarks are not its matter.
      const findings = (await axeFindings(page)).filter((finding) => !/^(landmark-one-main|region): /.test(finding));
      expect(findings).toEqual([]);
      expect(new Set(asked)).toEqual(new Set(mails[name]!.includes(logoUrl) ? [logoUrl] : []));
      await page.unroute(logoUrl);
      page.off('request', ask);
      await close();
    });
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
