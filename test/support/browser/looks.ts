import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { soaking } from '../faults/seeds.ts';
import { whole } from '../level.ts';
import { allLooks, isFirstLook, type Look, lookHere } from './all-looks.ts';
import { axeFindings, axeFindingsHere } from './axe.ts';

/** Sizes that every view is looked at in, in CSS px. */
export const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

/** Of axe's rules those that see colours. Themes differ in nothing else, so another theme needs no more than these. */
export const colourRules: readonly string[] = ['color-contrast', 'link-in-text-block'];

/** Of the rules that axe has on by itself those that see what there is room for. */
const sizeRules: readonly string[] = ['scrollable-region-focusable'];

export interface LookOptions {
  /** Has the page, as it stands, speak its next language. Words differ in length, and are missing in one language alone. */
  readonly translate?: (page: Page) => Promise<unknown>;
}

/**
 * What is wrong with a page as it stands, one line each: by all of axe's rules, and by what stands out to the side. The page is not
 * loaded again: a test brings it into a state once, and looks at it in both sizes, themes and languages; in a whole run of tests in
 * all of them together, else in one of each, whose turn it is (all-looks.ts), and what the same test looks at later by what stands out.
 * It is left at a desk, in the light theme, and in the language that `translate` brought. With `LONGSHORE_SHOTS`, a folder, it
 * leaves pictures there.
 */
export async function lookEverywhere(page: Page, options: LookOptions = {}): Promise<string[]> {
  if (whole) return await lookAtAll(page, options);
  if (isFirstLook()) return await lookOnce(page, allLooks[lookHere(page)]!, options);
  await options.translate?.(page);
  return await sticksOut(page);
}

/** At one size, in one theme and one language. */
export async function lookOnce(page: Page, { size, theme, translated }: Look, { translate }: LookOptions = {}): Promise<string[]> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  if (translated) await translate?.(page);
  await page.setViewportSize(sizes[size]);
  await drawn(page);
  const how = `${size}, ${theme}${translated && translate ? ', translated' : ''}`;
  const findings = [...(await sticksOut(page)), ...(await axeFindingsHere(page))].map((one) => `${how}: ${one}`);
  await shooter(page)(how.replaceAll(', ', '-'));
  if (!translated) await translate?.(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(sizes.desk);
  await drawn(page);
  return findings;
}

/** In both sizes and both themes, and in both sizes in another language. */
export async function lookAtAll(page: Page, { translate }: LookOptions = {}): Promise<string[]> {
  const findings: string[] = [];
  const shoot = shooter(page);
  const note = (look: string, found: readonly string[]) => void findings.push(...found.map((one) => `${look}: ${one}`));
  const resize = async (size: keyof typeof sizes) => {
    await page.setViewportSize(sizes[size]);
    await drawn(page);
  };

  // A colour that comes over by and by is of neither theme while axe looks.
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await resize('desk');
  note('desk', await sticksOut(page));
  note('desk, light', await axeFindings(page));
  await shoot('desk-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  note('desk, dark', await axeFindings(page, colourRules));
  await shoot('desk-dark');
  await resize('phone');
  note('phone', await sticksOut(page));
  // By all rules where no other language follows at this size: what a phone leaves out has no name in either of them.
  note('phone, dark', await axeFindings(page, translate && !soaking ? [...colourRules, ...sizeRules] : undefined));
  await shoot('phone-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  if (translate) {
    // Its colours at this size and in this theme are those of the language before.
    await translate(page);
    await drawn(page);
    note('phone, translated', [...(await sticksOut(page)), ...(await axeFindings(page))]);
    await shoot('phone-translated');
  } else note('phone, light', await axeFindings(page, colourRules));
  await resize('desk');
  if (translate) note('desk, translated', await sticksOut(page));
  return findings;
}

/** Takes pictures into the folder of `LONGSHORE_SHOTS`, named by when they were; nothing without one. */
function shooter(page: Page): (look: string) => Promise<void> {
  const { LONGSHORE_SHOTS: folder } = process.env;
  if (!folder) return async () => undefined;
  const begun = Date.now();
  return async (look) => void (await page.screenshot({ path: join(folder, `${begun}-${look}.png`), animations: 'disabled' }));
}
/** What stands out of the page, or out of a dialog, to the side, is out of sight, or has hardly any room: one line each. */
export const sticksOut = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { scrollWidth } = document.documentElement;
    const dialogs = [...document.querySelectorAll('dialog[open]')].filter((one) => one.scrollWidth > one.clientWidth);
    const tabs = [...document.querySelectorAll<HTMLElement>('.tabs > [aria-current]')].filter((one) => {
      const [tab, bar] = [one.getBoundingClientRect(), one.parentElement!.getBoundingClientRect()];
      return tab.left < bar.left - 1 || tab.right > bar.right + 1;
    });
    const squeezed = [...document.querySelectorAll<HTMLElement>('.facts dd, .sending-row-name, .row-name')].filter(
      (one) => one.innerText.length > 12 && one.checkVisibility() && one.clientWidth > 0 && one.clientWidth < 96,
    );
    return [
      ...(scrollWidth > innerWidth ? [`the page is ${scrollWidth} px wide, its window ${innerWidth}`] : []),
      ...tabs.map((one) => `the chosen tab “${one.innerText}” is out of sight`),
      ...squeezed.map((one) => `“${one.innerText}” has ${one.clientWidth} px`),
      ...dialogs.map((one) => `a dialog of ${one.clientWidth} px holds ${one.scrollWidth}`),
    ];
  });

/** Buttons and choices whose words stand out of them, or break into several lines: one line each. */
export const cutButtons = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    /** As a screen reader alone has it. */
    const isHidden = (text: Node, within: Element): boolean => {
      for (let one = text.parentElement; one && one !== within; one = one.parentElement)
        if (one.offsetWidth <= 1 && one.getClientRects().length > 0) return true;
      return false;
    };
    const breaks = (text: Node): boolean => {
      const range = document.createRange();
      range.selectNodeContents(text);
      const middles = [...range.getClientRects()].filter(({ width }) => width > 1).map(({ top, height }) => top + height / 2);
      return Math.max(...middles) - Math.min(...middles) > 8;
    };
    return [...document.querySelectorAll<HTMLElement>('.button, .choice-option')].flatMap((one) => {
      const words = one.innerText.trim();
      if (words === '' || !one.checkVisibility()) return [];
      if (one.scrollWidth > one.clientWidth + 1) return [`“${words}” is wider than its button`];
      const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
      while (texts.nextNode())
        if (!isHidden(texts.currentNode, one) && breaks(texts.currentNode)) return [`“${words}” stands in several lines`];
      return [];
    });
  });

/** Resolves once the page has drawn itself: what listens to its size has heard of it by then, and what follows is done. */
const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
