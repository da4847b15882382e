import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { allLooks } from '#test/support/browser/all-looks.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import { cutButtons, sticksOut } from '#test/support/browser/looks.ts';
import { whole } from '#test/support/level.ts';
import { alikeScenes } from './alike-scenes.ts';
import { scenes } from './scenes.ts';

/**
 * On a phone, where the buttons that stay in sight cover no half of anything: a dialog at its end, a page in a window that is as
 * high.
 */
async function lookAtPhone(page: Page, rules: readonly string[] | undefined): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  expect([...(await sticksOut(page)), ...(await cutButtons(page))]).toEqual([]);
  const { isDialog, scrolls } = await page.evaluate(() => {
    const dialog = document.querySelector('dialog[open]');
    dialog?.scrollTo(0, 100_000);
    // What axe's rule is about: parts of the page, not the page itself.
    const parts = [...document.body.querySelectorAll('*')].filter(
      (one) => one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth,
    );
    return { isDialog: dialog !== null, scrolls: parts.some((one) => /auto|scroll/.test(getComputedStyle(one).overflow)) };
  });
  // A high window shows all, so nothing in it can be scrolled; at a dialog's end what can be is the same.
  const scrolling = ['scrollable-region-focusable'];
  if (isDialog) expect(await axeFindings(page, rules && [...rules, ...scrolling])).toEqual([]);
  else {
    if (scrolls) expect(await axeFindings(page, scrolling)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 4_000 });
    expect(await axeFindings(page, rules)).toEqual([]);
  }
}

describeAgentPage('the agent’s page is accessible in light and dark, wide and narrow', {}, ({ open }) => {
  // In a run of the first level one of those that are alike, at a desk or on a phone, in the light or in the dark, by turns.
  const faces = scenes
    .filter(({ name }) => whole || !(name in alikeScenes))
    .map((scene, index) => ({ ...scene, look: allLooks[(index * 2) % allLooks.length]! }));

  it.each(faces)('$name', async ({ agent: how, prepare, act, shows, look }) => {
    const { agent, page } = await open(how, { prepare, colorScheme: whole ? 'light' : look.theme, reducedMotion: 'reduce' });
    await act?.(page, agent);
    await page.getByText(shows).first().waitFor();
    if (!whole && look.size === 'phone') return await lookAtPhone(page, undefined);
    expect(await axeFindings(page)).toEqual([]);
    if (!whole) return;
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeFindings(page, ['color-contrast'])).toEqual([]);
    await lookAtPhone(page, ['button-name', 'target-size']);
  });
});
