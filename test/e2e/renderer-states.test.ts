import { expect, it } from 'vitest';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import { sticksOut } from '#test/support/browser/looks.ts';
import { whole } from '#test/support/level.ts';
import { scenes } from './scenes.ts';
import { stateScenes, toldElsewhere } from './state-scenes.ts';

describeAgentPage('the agent’s page is accessible in every state', {}, ({ open }) => {
  it('is looked at in every state of every view', () => {
    const names = [...scenes, ...stateScenes].map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...toldElsewhere]));
    expect(new Set(names).size).toBe(names.length);
  });

  /** Each view that has failed or is empty, and of how it stands otherwise every second, so that each view and each state comes about. */
  const isFirst = (_: unknown, index: number): boolean => /-(failed|empty|gone)$/.test(stateScenes[index]!.name) || index % 2 === 0;
  // Of the same parts as the scenes of renderer-scenes.test.ts, whose colours and sizes those are looked at for.
  it.each(whole ? stateScenes : stateScenes.filter(isFirst))('$name', async ({ agent: how, prepare, act, shows }) => {
    const { agent, page } = await open(how, { prepare, colorScheme: 'light', reducedMotion: 'reduce' });
    await act?.(page, agent);
    await page.getByText(shows).first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await sticksOut(page)).toEqual([]);
  });
});
