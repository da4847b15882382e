import { beforeAll, expect, it } from 'vitest';
import { axeFindings, axeFindingsByRules } from '#test/support/browser/axe.ts';
import { openPage, type WatchedPage } from '#test/support/browser/chromium.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { doubtfulLinks, doubtfulTexts } from '#test/support/browser/readable.ts';
import { sparedRules } from '#test/support/browser/spared-rules.ts';

describeInBrowser('texts that can be read without asking axe', (browserOf) => {
  let watched: WatchedPage;
  beforeAll(async () => {
    watched = await openPage(browserOf(), 'about:blank');
  });
  const show = async (style: string, body: string) => {
    await watched.page.goto('about:blank');
    const head = `<title>Read</title><meta name="viewport" content="width=device-width"><style>body { background: #fff } ${style}</style>`;
    await watched.page.setContent(`<!doctype html><html lang="en">${head}<main>${body}</main></html>`);
    return watched.page;
  };

  it.each([
    ['on the page', 'p { color: #333 }', '<p>Read me</p>'],
    ['on a colour of its own', 'p { color: #fff; background: #333 }', '<p>Read me</p>'],
    ['through what is translucent', 'p { color: #000; background: rgb(0 0 0 / 10%) }', '<p>Read me</p>'],
    ['with a mixed colour', 'p { background: color-mix(in srgb, #333 45%, #000); color: #fff }', '<p>Read me</p>'],
    ['in what stands over the page', 'div { position: fixed; inset: 0; background: #fff }', '<p>Below</p><div><p>Read me</p></div>'],
    ['where what is beside it is painted', 'span { float: right; width: 9px; height: 9px; background: #444 }', '<span></span><p>Read</p>'],
    ['that is large', 'h1 { color: #888; font-size: 32px }', '<h1>Read me</h1>'],
    ['that is cut off', 'p { width: 40px; overflow: hidden; white-space: nowrap }', '<p>Read me, who am longer than this</p>'],
    ['that nobody has to read', 'button { color: #eee; background: #fff }', '<button disabled>Not now</button>'],
    ['that leaves what has no colour', 'div { height: 9px } p { color: #333 }', '<div><p>Read me</p></div><p>Read me, too</p>'],
    [
      'under what is painted over a part of it',
      'main { position: relative } i { position: absolute; top: 10px; width: 9px; height: 9px; background: #444 }',
      '<p>Read me</p><i></i>',
    ],
    ['in a field', 'input { color: #000; background: #fff }', '<input aria-label="Name" value="Read me">'],
  ])('a text %s is certain', async (_, style, body) => {
    const page = await show(style, body);
    expect(await doubtfulTexts(page)).toEqual([]);
    expect(await axeFindingsByRules(page, ['color-contrast'])).toEqual([]);
  });

  it.each([
    ['that is too pale', 'p { color: #aaa }', '<p>Read me</p>'],
    ['that is a little too pale', 'p { color: #777 }', '<p>Read me</p>'],
    ['that is pale on the colour of an ancestor', 'main { background: #444 } p { color: #333 }', '<div><p>Read me</p></div>'],
    ['that is translucent', 'p { color: rgb(0 0 0 / 40%) }', '<p>Read me</p>'],
    ['on what is translucent', 'p { color: #333; background: rgb(0 0 0 / 60%) }', '<p>Read me</p>'],
    ['in what is not shown as it is', 'div { opacity: 0.4 } p { color: #333 }', '<div><p>Read me</p></div>'],
    [
      'over what lies under it',
      'div { position: relative } i { position: absolute; inset: 0; background: #444 } p { position: relative; color: #333; margin: 0 }',
      '<div><i></i><p>Read me</p></div>',
    ],
    [
      'over what is sunk below it',
      'main { position: relative; z-index: 0 } div { position: relative; top: 0 } i { position: absolute; inset: 0; z-index: -1; background: #444 } p { color: #333; margin: 0 }',
      '<p>Read me</p><div style="margin-top:-20px;height:20px"><i></i></div>',
    ],
    [
      'over what comes up to it',
      'p { color: #333; margin: 0 } div { margin-top: -30px; height: 60px; background: #444 }',
      '<p>Read me</p><div></div>',
    ],
    [
      'that others come up to',
      'p { color: #333; margin: 0 0 -30px; background: #fff; height: 30px } div { height: 60px; background: #444 }',
      '<p>Read me</p><div></div>',
    ],
    [
      'that stands over the page without a colour of its own',
      'div { height: 60px; background: #444 } p { position: absolute; top: 10px; color: #333; margin: 0 }',
      '<div></div><p>Read me</p>',
    ],
    [
      'that leaves the box whose colour it needs',
      'main { background: #444 } p { width: 30px; color: #222; background: #fff; white-space: nowrap }',
      '<p>Read me, who am far longer than that</p>',
    ],
    [
      'that leaves what has no colour, and meets another',
      'div { height: 9px } p { margin: 0; color: #333; font-size: 20px } section { height: 60px; background: #444 }',
      '<div><p>Read me</p></div><section></section>',
    ],
    [
      'whose own colour another comes over',
      'div { height: 9px } p { margin: 0; color: #333; background: #fff; font-size: 20px } section { height: 60px; background: #444 }',
      '<div><p>Read me</p></div><section></section>',
    ],
    [
      'that nothing cuts off where it is placed',
      'main { background: #fff } section { overflow: hidden; height: 9px } p { position: absolute; top: 60px; color: #333 } div { margin-top: 30px; height: 90px; background: #444 }',
      '<section><p>Read me</p></section><div></div>',
    ],
    [
      'on the colour of what is not seen itself',
      'body { background: #444 } main { visibility: hidden; background: #fff } p { visibility: visible; color: #333 }',
      '<p>Read me</p>',
    ],
    ['in a field', 'input { color: #aaa; background: #fff }', '<input aria-label="Name" value="Read me">'],
    ['in a theme that nobody named', ':root { color-scheme: dark } body { background: none } p { color: #444 }', '<p>Read me</p>'],
  ])('a text %s is axe’s to judge', async (_, style, body) => {
    const page = await show(style, body);
    expect(await doubtfulTexts(page)).not.toEqual([]);
    // What it says, whether it complains or not.
    expect(await axeFindings(page, ['color-contrast'])).toEqual(await axeFindingsByRules(page, ['color-contrast']));
    expect((await axeFindings(page)).filter((one) => one.startsWith('color-contrast'))).toEqual(
      await axeFindingsByRules(page, ['color-contrast']),
    );
  });

  it('a link is certain where it is underlined, a block, or alone, and else axe’s to judge', async () => {
    const links = '<p>Read <a href="#x">this</a> at once</p>';
    expect(await doubtfulLinks(await show('', links))).toEqual([]);
    expect(await doubtfulLinks(await show('a { text-decoration: none; display: inline-block }', links))).toEqual([]);
    expect(await doubtfulLinks(await show('a { text-decoration: none }', '<p><a href="#x">This</a> <a href="#y">that</a></p>'))).toEqual(
      [],
    );
    const page = await show('a { text-decoration: none; color: #222 } p { color: #333 }', links);
    expect(await doubtfulLinks(page)).toHaveLength(1);
    expect(await axeFindings(page, ['link-in-text-block'])).toEqual([expect.stringMatching(/^link-in-text-block: /)]);
  });

  it('spacing within elements is axe’s to judge where one insists on it', async () => {
    const insisting = await show('', '<h1>Here</h1><p style="letter-spacing: 0 !important">Read me</p>');
    expect((await axeFindings(insisting)).map((one) => one.split(':')[0])).toEqual(['avoid-inline-spacing']);
    expect(await sparedRules(insisting)).toEqual(['color-contrast']);
    expect(await sparedRules(await show('', '<p style="letter-spacing: 0">Read me</p>'))).toEqual([
      'color-contrast',
      'avoid-inline-spacing',
    ]);
  });

  const [small, large] = ['width: 20px; height: 20px; padding: 0', 'width: 30px; height: 30px; padding: 0'];
  it.each([
    ['target-size', 'large enough', `button { ${large} }`, '<button>A</button><button>B</button>'],
    ['target-size', 'small and alone', `button { ${small} }`, '<button>A</button><p>Read me</p>'],
    [
      'target-size',
      'small in what takes the focus',
      `main { outline: 0 } button { ${small} }`,
      '<div tabindex="-1"><button>A</button></div>',
    ],
    ['button-name', 'with a text', '', '<button><i aria-hidden="true">+</i> Add</button>'],
    ['button-name', 'with a label', '', '<button aria-label="Add"><i aria-hidden="true">+</i></button>'],
    ['button-name', 'that is not shown', '', '<button hidden></button>'],
    ['scrollable-region-focusable', 'that fits', 'div { overflow: auto; height: 90px }', '<div><p>Read me</p></div>'],
    ['scrollable-region-focusable', 'that is cut off', 'div { overflow: hidden; height: 9px }', '<div><p>Read me</p></div>'],
  ])('%s is certain of something %s', async (rule, _, style, body) => {
    const page = await show(style, body);
    expect(await sparedRules(page, [rule])).toEqual([rule]);
    expect(await axeFindingsByRules(page, [rule])).toEqual([]);
  });

  it.each([
    ['target-size', 'small beside others', `button { ${small}; border: 0 }`, '<button>A</button><button>B</button>'],
    [
      'target-size',
      'that others cover',
      `button { ${large} } a { position: absolute; left: 20px; top: 20px; ${large} }`,
      '<button>A</button><a href="#b">B</a>',
    ],
    ['button-name', 'with a text that is not read out', '', '<button><i aria-hidden="true">+</i></button>'],
    ['button-name', 'whose text a phone leaves out', 'span { display: none }', '<button><span>Add</span></button>'],
    ['scrollable-region-focusable', 'that no key can scroll', 'div { overflow: auto; height: 9px }', '<div><p>Read</p><p>me</p></div>'],
  ])('%s is axe’s to judge of something %s', async (rule, _, style, body) => {
    const page = await show(style, body);
    expect(await sparedRules(page, [rule])).toEqual([]);
    expect(await axeFindings(page, [rule])).toEqual(await axeFindingsByRules(page, [rule]));
    // Chromium lets a key scroll what holds nothing that takes the focus, and axe knows.
    if (rule !== 'scrollable-region-focusable') expect(await axeFindings(page, [rule])).not.toEqual([]);
  });
});
