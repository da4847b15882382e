import { expect, it } from 'vitest';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import { sticksOut } from '#test/support/browser/looks.ts';
import { whole } from '#test/support/level.ts';
import { accountScenes } from './account-scenes.ts';
import { alikeScenes } from './alike-scenes.ts';
import { scenes } from './scenes.ts';
import { stateScenes, toldElsewhere } from './state-scenes.ts';

describeAgentPage('the agent’s page is accessible in every state', {}, ({ open }) => {
  const names = [...scenes, ...stateScenes].map(({ name }) => name);

  it('is looked at in every state of every view', () => {
    expect(names).toEqual(expect.arrayContaining([...toldElsewhere]));
    expect(new Set(names).size).toBe(names.length);
  });

  it('has one of those that are alike looked at always', () => {
    const all = [...names, ...accountScenes.map(({ name }) => name)];
    const always = all.filter((name) => !(name in alikeScenes));
    expect(all).toEqual(expect.arrayContaining(Object.keys(alikeScenes)));
    expect(always).toEqual(expect.arrayContaining(Object.values(alikeScenes)));
    // What has failed is no variant of anything.
    expect(Object.keys(alikeScenes).filter((name) => /-failed$/.test(name))).toEqual(['editor-dry-run-failed']);
  });

  const faces = stateScenes
    .filter(({ name }) => whole || !(name in alikeScenes))
    .map((scene, index) => ({ ...scene, isNarrow: !whole && index % 2 === 1 }));

  // Of the same parts as the scenes of renderer-scenes.test.ts, whose colours and sizes those are looked at for.
  it.each(faces)('$name', async ({ agent: how, prepare, act, shows, isNarrow }) => {
    const { agent, page } = await open(how, { prepare, colorScheme: 'light', reducedMotion: 'reduce' });
    await act?.(page, agent);
    await page.getByText(shows).first().waitFor();
    if (!isNarrow) expect(await axeFindings(page)).toEqual([]);
    if (!whole && !isNarrow) return;
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await sticksOut(page)).toEqual([]);
    if (isNarrow) expect(await axeFindings(page)).toEqual([]);
  });
});
