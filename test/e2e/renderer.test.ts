import { describe, expect, it } from 'vitest';
import { ApiError } from '#protocol/errors.ts';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import { sampleSession, sampleTransfer } from '#test/support/browser/samples.ts';
import { scenes } from './scenes.ts';
import { stateScenes, toldElsewhere } from './state-scenes.ts';

describeAgentPage('the agent’s page in a browser', {}, ({ open }) => {
  it('says that the service cannot be reached', async () => {
    const { page } = await open(
      {},
      {
        prepare: (fake) => {
          fake.signIn = () => {
            throw new ApiError('service_unreachable', { url: 'https://share.example.com', detail: 'the name is not known' });
          };
        },
      },
    );
    await page.getByRole('textbox', { name: 'E-mail' }).fill('mia@harbour.example');
    await page.getByLabel('Password', { exact: true }).fill('right');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The service at https://share.example.com cannot be reached: the name is not known.').waitFor();
  });

  it('copies the link', async () => {
    const url = 'https://share.example.com/d/1?secret=2';
    const { page } = await open({ session: sampleSession(), transfers: [sampleTransfer({ state: 'complete', url })] });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link of Dailies, day 12' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url);
  });

  it('asks for the token of an agent beyond this machine, and then follows it', async () => {
    const { agent, page } = await open({ token: 'right', session: sampleSession() });
    await page.getByLabel('Agent token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The agent did not accept the token.').waitFor();
    await page.getByLabel('Agent token').fill('right');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing on the move').waitFor();
    await expect.poll(() => agent.followers).toBe(1);
    agent.add(sampleTransfer());
    await page.getByText('Sending').waitFor();
  });

  it('is used by keyboard alone', async () => {
    const { page } = await open({ session: sampleSession(), transfers: [sampleTransfer()] });
    await page.getByText('Sending').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
  });

  it('is looked at in every state of every view', () => {
    const names = [...scenes, ...stateScenes].map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...toldElsewhere]));
    expect(new Set(names).size).toBe(names.length);
  });

  describe('is accessible in every state', () => {
    // Of the same parts as the scenes below, whose colours and sizes those are looked at for.
    it.each(stateScenes)('$name', async ({ agent: how, prepare, act, shows }) => {
      const { agent, page } = await open(how, { prepare, colorScheme: 'light', reducedMotion: 'reduce' });
      await act?.(page, agent);
      await page.getByText(shows).first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate(tooWide)).toEqual([]);
    });
  });

  describe('is accessible in light and dark, wide and narrow', () => {
    it.each(scenes)('$name', async ({ agent: how, prepare, act, shows }) => {
      const { agent, page } = await open(how, { prepare, colorScheme: 'light', reducedMotion: 'reduce' });
      await act?.(page, agent);
      await page.getByText(shows).first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axeFindings(page, ['color-contrast'])).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      // At its end, where the buttons that stay in sight cover no half of anything.
      await page.evaluate(() => document.querySelector('dialog[open]')?.scrollTo(0, 100_000));
      expect(await axeFindings(page, ['target-size', 'button-name', 'scrollable-region-focusable'])).toEqual([]);
      expect(await page.evaluate(tooWide)).toEqual([]);
    });
  });
});

/** What stands out of the page, or out of a dialog, to the side. Runs in the page. */
function tooWide(): string[] {
  const dialogs = [...document.querySelectorAll('dialog[open]')].filter((one) => one.scrollWidth > one.clientWidth);
  return [...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []), ...dialogs.map(() => 'a dialog')];
}
