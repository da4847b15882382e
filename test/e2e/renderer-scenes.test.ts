import { expect, it } from 'vitest';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import { cutButtons, sticksOut } from '#test/support/browser/looks.ts';
import { scenes } from './scenes.ts';

describeAgentPage('the agent’s page is accessible in light and dark, wide and narrow', {}, ({ open }) => {
  it.each(scenes)('$name', async ({ agent: how, prepare, act, shows }) => {
    const { agent, page } = await open(how, { prepare, colorScheme: 'light', reducedMotion: 'reduce' });
    await act?.(page, agent);
    await page.getByText(shows).first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeFindings(page, ['color-contrast'])).toEqual([]);
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
    const atThisSize = ['button-name', 'target-size'];
    if (isDialog) expect(await axeFindings(page, [...atThisSize, ...scrolling])).toEqual([]);
    else {
      if (scrolls) expect(await axeFindings(page, scrolling)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 4_000 });
      expect(await axeFindings(page, atThisSize)).toEqual([]);
    }
  });
});
