import { expect, it } from 'vitest';
import { describeAgentPage, sentBodies } from '#test/support/browser/agent-page.ts';
import { sampleLinkPreview, sampleSession, sampleTransfer } from '#test/support/browser/samples.ts';
import { inAll } from '#test/support/level.ts';
import { addPath, folders, sendAsLink } from './form-scenes.ts';

describeAgentPage('the agent’s form to send, and what is chosen for it', { viewport: { width: 1280, height: 900 } }, ({ open }) => {
  it('finds files in the folders of the agent’s machine', async () => {
    const { agent, page } = await open(
      { session: sampleSession() },
      {
        prepare: (fake) => {
          fake.folders = folders;
          fake.create = () => sampleTransfer({ id: 'new', state: 'queued' });
        },
      },
    );
    await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
    await page.getByRole('button', { name: 'Browse…' }).click();
    await page.getByRole('button', { name: 'Open Dailies' }).click();
    await page.getByLabel('Find in this folder').fill('c012');
    await page.getByRole('checkbox', { name: 'Choose A001C012.mov' }).check();
    expect(await page.getByRole('checkbox', { name: /^Choose A/ }).count()).toBe(1);
    await page.getByRole('button', { name: 'Choose 1 item' }).click();
    await sendAsLink(page);
    await expect.poll(() => sentBodies(agent, 'POST', '/uploads').length).toBe(1);
    expect(sentBodies(agent, 'POST', '/uploads')[0]).toMatchObject({
      paths: ['/home/mia/Dailies/A001C012.mov'],
      package_name: 'A001C012.mov',
    });
  });

  it('says what was chosen: whether it is there, how much it is, how long it takes', async () => {
    const { page } = await open(
      { session: sampleSession() },
      {
        prepare: (fake) => {
          fake.missing = ['/media/gone'];
        },
      },
    );
    await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
    await addPath(page, '/media/A001');
    await page.getByText('86 files, 2.4 TB · about 14 min at the speed of late').waitFor();
    await addPath(page, '/media/gone');
    await page.getByText('There is no file or folder at /media/gone.').waitFor();
    // The first one's name stays, until that is taken away.
    const name = page.getByRole('textbox', { name: 'Package name' });
    expect(await name.inputValue()).toBe('A001');
    await page.getByRole('button', { name: 'Remove /media/A001' }).click();
    await expect.poll(() => name.inputValue()).toBe('gone');
  });

  it('allows a folder in place, and shows what is in it', async () => {
    const { agent, page } = await open(
      { session: sampleSession() },
      {
        prepare: (fake) => {
          fake.folders = [...folders, { ...folders[1]!, path: '/media/CARD_7', parent: null }];
        },
      },
    );
    await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
    await page.getByRole('button', { name: 'Browse…' }).click();
    await page.getByRole('button', { name: /CARD_7/ }).click();
    await page.getByRole('button', { name: 'Allow and open it' }).click();
    await page.getByRole('checkbox', { name: 'Choose A001', exact: true }).check();
    await page.getByRole('button', { name: 'Choose 1 item' }).click();
    await page.getByRole('button', { name: 'Remove /media/CARD_7/A001' }).waitFor();
    expect(agent.settings.allowed_roots).toEqual(['/home/mia', '/media/CARD_7']);
  });

  it(
    'closes only the folders above the form to get, and only the sign-in above the form to send',
    inAll('e2e/send-form closes only what is on top, too'),
    async () => {
      const { page } = await open(
        { transfers: [] },
        {
          prepare: (fake) => {
            fake.folders = folders;
            fake.previewLink = () => sampleLinkPreview();
          },
        },
      );
      await page.getByRole('button', { name: 'Get files' }).first().click();
      const get = page.getByRole('dialog', { name: 'Get files' });
      await get.getByLabel('Download link').fill('https://share.example.com/d/1?secret=x');
      await page.keyboard.press('Enter');
      await get.getByRole('button', { name: 'Choose…' }).click();
      const above = page.getByRole('dialog').nth(1);
      await above.waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.locator('dialog[open]').count()).toBe(1);
      expect(await get.getAttribute('open')).toBe('');
      await get.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Throw away' }).click();
      await get.waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Send files', exact: true }).first().click();
      const send = page.getByRole('dialog', { name: 'Send files' });
      await page.getByRole('radio', { name: 'By e-mail' }).check();
      await send.getByRole('button', { name: 'Sign in', exact: true }).click();
      const signIn = page.getByRole('dialog', { name: 'Add an account' });
      // Nothing is filled in, so nothing is asked.
      await signIn.waitFor();
      await page.keyboard.press('Escape');
      await signIn.waitFor({ state: 'detached' });
      await send.getByRole('button', { name: 'Sign in', exact: true }).click();
      await signIn.getByRole('textbox', { name: 'E-mail' }).fill('mia');
      await page.keyboard.press('Escape');
      await signIn.getByRole('button', { name: 'Keep it open' }).click();
      expect(await signIn.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe('mia');
      await page.keyboard.press('Escape');
      await signIn.getByRole('button', { name: 'Throw away' }).click();
      await expect.poll(() => page.locator('dialog[open]').count()).toBe(1);
      expect(await send.getAttribute('open')).toBe('');
    },
  );

  it('takes what is dropped anywhere: its paths from the desktop app, else the agent looks for it, else the browser sends it', async () => {
    const { agent, page } = await open({ session: sampleSession() });
    await page.getByRole('heading', { name: 'Nothing on the move' }).waitFor();
    await page.evaluate(drop);
    await page.getByRole('button', { name: 'Remove clip.mov' }).click();
    expect([...agent.drops.files]).toEqual([['clip.mov', Buffer.from('x')]]);
    await expect.poll(() => agent.drops.deleted).toBe(1);
    agent.found = (entry) => `/media/found/${entry.name}`;
    await page.evaluate(drop);
    await page.getByRole('button', { name: 'Remove /media/found/clip.mov' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.evaluate(() => {
      const bridge = { pathOf: (file: File) => `/media/${file.name}`, applySettings: async () => undefined };
      Object.assign(window, { longshore: bridge });
      location.hash = '#/history';
    });
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await page.evaluate(drop);
    await page.getByRole('button', { name: 'Remove /media/clip.mov' }).waitFor();
  });
});

/** Drops a file onto the page, as a system would. Runs in the page. */
function drop(): void {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(['x'], 'clip.mov'));
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}
