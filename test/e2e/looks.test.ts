import { expect, it } from 'vitest';
import { allLooks } from '#test/support/browser/all-looks.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { lookAtAll, lookOnce } from '#test/support/browser/looks.ts';

describeInBrowser('a look everywhere', (browserOf) => {
  const page = (style: string, body: string) => `<!doctype html><html lang="en"><title>Looked at</title><meta name="viewport"
    content="width=device-width"><style>:root { color-scheme: light dark } ${style}</style><main><h1>Here</h1>${body}</main></html>`;

  it.each([
    ['nothing where nothing is wrong', '', '<p>All is well</p>', []],
    [
      'colours of one theme',
      'p { color: #333; background: #fff } @media (prefers-color-scheme: dark) { p { color: #555; background: #444 } }',
      '<p>Read me</p>',
      [/^desk, dark: color-contrast: /, /^phone, dark: color-contrast: /],
    ],
    [
      'colours that one size alone shows, in either theme',
      'p { color: #ccc; background: #fff } @media (min-width: 800px) { p { display: none } }',
      '<p>Read me</p>',
      [/^phone, dark: color-contrast: /, /^phone, light: color-contrast: /],
    ],
    ['what has no name', '@media (max-width: 800px) { button { display: none } }', '<button></button>', [/^desk, light: button-name: /]],
    ['a page that is too wide for a phone', 'p { width: 500px }', '<p>Wide</p>', [/^phone: the page is 508 px wide, its window 390$/]],
    [
      'a dialog that is too wide for what it holds',
      'dialog { width: 300px; overflow: auto } p { width: 400px }',
      '<dialog open aria-label="Choice" tabindex="0"><p>Wide</p></dialog>',
      [/^desk: a dialog of \d+ px holds \d+$/, /^phone: a dialog of \d+ px holds \d+$/],
    ],
  ])('finds %s', async (_, style, body, findings) => {
    const watched = await openPage(browserOf(), 'about:blank');
    await watched.page.setContent(page(style, body));
    expect(await lookAtAll(watched.page)).toEqual(findings.map((one) => expect.stringMatching(one)));
    await watched.close();
  });

  it('finds what another language lacks, and leaves the page as wide and light as it began', async () => {
    const watched = await openPage(browserOf(), 'about:blank', { viewport: { width: 1440, height: 900 } });
    await watched.page.setContent(page('', '<button aria-label="Close"></button>'));
    const translate = () => watched.page.evaluate(() => document.querySelector('button')?.setAttribute('aria-label', ''));
    expect(await lookAtAll(watched.page, { translate })).toEqual([expect.stringMatching(/^phone, translated: button-name: /)]);
    expect(await watched.page.evaluate(() => [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches])).toEqual([1440, false]);
    await watched.close();
  });

  it('finds colours that one size alone shows in the light theme, too, where another language is looked at', async () => {
    const watched = await openPage(browserOf(), 'about:blank');
    const hidden = 'p { color: #ccc; background: #fff } @media (min-width: 800px) { p { display: none } }';
    await watched.page.setContent(page(`${hidden} @media (prefers-color-scheme: dark) { p { color: #000 } }`, '<p>Read me</p>'));
    expect(await lookAtAll(watched.page, { translate: async () => undefined })).toEqual([
      expect.stringMatching(/^phone, translated: color-contrast: /),
    ]);
    await watched.close();
  });

  it.each(allLooks)('finds in one of them what is wrong there, and nothing else: $size, $theme, translated: $translated', async (look) => {
    const watched = await openPage(browserOf(), 'about:blank');
    const inOneTheme = 'p { color: #333; background: #fff } @media (prefers-color-scheme: dark) { p { color: #555; background: #444 } }';
    await watched.page.setContent(
      page(`${inOneTheme} div { width: 500px }`, '<p>Read me</p><div>Wide</div><button aria-label="Close"></button>'),
    );
    const translate = () => watched.page.evaluate(() => document.querySelector('button')?.setAttribute('aria-label', ''));
    const how = `${look.size}, ${look.theme}${look.translated ? ', translated' : ''}`;
    expect(
      (await lookOnce(watched.page, look, { translate })).map((one) => one.replace(/(color-contrast|button-name): .*/s, '$1')),
    ).toEqual([
      ...(look.size === 'phone' ? [`${how}: the page is 508 px wide, its window 390`] : []),
      ...(look.translated ? [`${how}: button-name`] : []),
      ...(look.theme === 'dark' ? [`${how}: color-contrast`] : []),
    ]);
    // It is left as after a look at all of them.
    expect(await watched.page.evaluate(() => [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches])).toEqual([1440, false]);
    expect(await watched.page.getByRole('button').getAttribute('aria-label')).toBe('');
    await watched.close();
  });
});
