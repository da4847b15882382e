import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type AgentOptions, describeAgentPage, type PageOptions, sentBodies } from '#test/support/browser/agent-page.ts';
import { sampleSession, sampleTransfer } from '#test/support/browser/samples.ts';
import { inAll } from '#test/support/level.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { sendAsLink } from './form-scenes.ts';

describeAgentPage('the agent’s page in the desktop app', { viewport: { width: 1280, height: 900 } }, ({ open }) => {
  /** As narrow as the page knows it (renderer/desktop/bridge.ts); it notes what it is asked. */
  const bridge = (): void => {
    const asked: string[] = [];
    const answer =
      <T>(name: string, value: T) =>
      (...given: unknown[]): Promise<T> => {
        asked.push([name, ...given].join(' '));
        return Promise.resolve(value);
      };
    Object.assign(window, {
      asked,
      longshore: {
        pickPaths: answer('pickPaths', ['/media/A001/clip 1.mov', '/media/A001/clip 2.mov']),
        pickFolder: answer('pickFolder', '/media/A002'),
        revealFolder: answer('revealFolder', undefined),
        applySettings: answer('applySettings', undefined),
        reportBattery: answer('reportBattery', undefined),
        pathOf: (file: File) => `/media/${file.name}`,
        onGo: () => undefined,
      },
    });
  };
  const asked = (page: Page) => page.evaluate(() => (window as unknown as { asked: string[] }).asked);
  async function openThere(options: AgentOptions, look: PageOptions = {}) {
    const opened = await open(options, look);
    await opened.page.addInitScript(bridge);
    await opened.page.reload();
    return opened;
  }

  it('takes files and folders from the system’s own dialogs, or dropped on the window', async () => {
    const { agent, page } = await openThere(
      { session: sampleSession() },
      {
        prepare: (fake) => {
          fake.create = () => sampleTransfer({ id: 'new', state: 'queued' });
        },
      },
    );
    await page.getByRole('heading', { name: 'Nothing on the move' }).waitFor();
    const folder = await tempFolder();
    try {
      // A folder, as the system hands it over: Chromium itself makes the events of it.
      const devtools = await page.context().newCDPSession(page);
      const data = { items: [], files: [folder.path], dragOperationsMask: 1 };
      const drag = (type: 'dragEnter' | 'dragOver' | 'drop') => devtools.send('Input.dispatchDragEvent', { type, x: 640, y: 500, data });
      await drag('dragEnter');
      await drag('dragOver');
      await page.getByText('Let go to send').waitFor();
      await drag('drop');
      await page.getByRole('button', { name: `Remove /media/${basename(folder.path)}` }).click();
    } finally {
      await folder.remove();
    }
    await page.getByRole('button', { name: 'Choose files…' }).click();
    await page.getByRole('button', { name: 'Remove /media/A001/clip 2.mov' }).click();
    await page.getByRole('button', { name: 'Choose a folder…' }).click();
    await page.getByRole('button', { name: 'Remove /media/A002' }).waitFor();
    await page.getByLabel('Package name').fill('Two');
    await sendAsLink(page);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(sentBodies(agent, 'POST', '/uploads')).toMatchObject([{ paths: ['/media/A001/clip 1.mov', '/media/A002'] }]);
    expect((await asked(page)).filter((one) => one.startsWith('pick'))).toEqual(['pickPaths', 'pickFolder']);
  });

  it('shows where files came to, and starts at log-in', inAll('unit/electron/desktop and unit/electron/ipc'), async () => {
    const { agent, page } = await openThere({
      session: sampleSession(),
      transfers: [sampleTransfer({ kind: 'download', state: 'complete', dst_folder: '/home/mia/Incoming' })],
    });
    await page.getByRole('button', { name: 'Show in folder' }).click();
    expect(await asked(page)).toContain('revealFolder /home/mia/Incoming');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Choose…' }).click();
    await expect.poll(() => agent.settings.download_folder).toBe('/media/A002');
    const start = page.getByLabel('Start when I log in, without a window');
    await start.click();
    await expect.poll(async () => [agent.settings.start_at_login, (await asked(page)).includes('applySettings')]).toEqual([true, true]);
    await page.evaluate(() => {
      Object.assign(window.longshore!, { applySettings: () => Promise.reject(new Error('Error invoking remote method')) });
    });
    await start.click();
    await page.getByText('The system did not take the setting.').waitFor();
    // What a browser says of itself there.
    expect(await page.getByText(/takes hold in the desktop app|^This browser/).count()).toBe(0);
  });

  it('opens the form that the tray asks for, and leaves one alone that is being filled in', async () => {
    const { page } = await open({ session: sampleSession() });
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.evaluate(() => location.assign('#/get'));
    await page.getByLabel('Download link').fill('https://share.example.com/d/1');
    expect(page.url()).toContain('#/transfers');
    await page.evaluate(() => location.assign('#/send'));
    await expect.poll(() => page.url()).toContain('#/transfers');
    expect(await page.getByLabel('Download link').inputValue()).toBe('https://share.example.com/d/1');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Throw away' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.evaluate(() => location.assign('#/send'));
    await page.getByRole('dialog', { name: 'Send files' }).waitFor();
  });
});
