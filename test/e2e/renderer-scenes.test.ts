import { expect, it } from 'vitest';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import { cutButtons, sticksOut } from '#test/support/browser/looks.ts';
import { whole } from '#test/support/level.ts';
import { scenes } from './scenes.ts';

describeAgentPage('the agent’s page is accessible in light and dark, wide and narrow', {}, ({ open }) => {
  // In a run of the first level every other scene begins in the dark, and its other theme is seen on a phone alone.
  const faces = scenes.map((scene, index) => ({
    ...scene,
    themes: whole || index % 2 === 0 ? (['light', 'dark'] as const) : (['dark', 'light'] as const),
  }));
  const coloursThere = whole ? [] : ['color-contrast'];

  it.each(faces)('$name', async ({ agent: how, prepare, act, shows, themes }) => {
    const { agent, page } = await open(how, { prepare, colorScheme: themes[0], reducedMotion: 'reduce' });
    await act?.(page, agent);
    await page.getByText(shows).first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: themes[1] });
    if (whole) expect(await axeFindings(page, ['color-contrast'])).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect([...(await sticksOut(page)), ...(await cutButtons(page))]).toEqual([]);
    // Where the buttons that stay in sight cover no half of anything: a dialog at its end, a page in a window that is as high.
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
    const atThisSize = ['button-name', 'target-size', ...coloursThere];
    if (isDialog) expect(await axeFindings(page, [...atThisSize, ...scrolling])).toEqual([]);
    else {
      if (scrolls) expect(await axeFindings(page, scrolling)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 4_000 });
      expect(await axeFindings(page, atThisSize)).toEqual([]);
    }
  });
});
