import { expect, it } from 'vitest';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { describeAgentPage, sentBodies } from '#test/support/browser/agent-page.ts';
import { lookEverywhere } from '#test/support/browser/looks.ts';
import { sampleLinkPreview, sampleTransfer } from '#test/support/browser/samples.ts';
import { folders } from './form-scenes.ts';

describeAgentPage('the agent’s form to get', { viewport: { width: 1280, height: 900 } }, ({ open }) => {
  it('asks before names that begin with a dot are put into the home folder', async () => {
    const { agent, page } = await open(
      {},
      {
        prepare: (fake) => {
          fake.previewLink = () => sampleLinkPreview();
          fake.create = ({ allow_hidden }) => {
            if (!allow_hidden) throw new AgentError('hidden_names', { folder: '/home/mia', names: '.ssh' });
            return sampleTransfer({ id: 'new', kind: 'download', state: 'queued' });
          };
        },
      },
    );
    await page.getByRole('main').getByRole('button', { name: 'Get files' }).click();
    await page.getByLabel('Download link').fill('https://share.example.com/d/1?secret=2');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Folder' }).fill('/home/mia');
    const ask = () => dialog.getByRole('button', { name: 'Get files' }).click();
    await ask();
    await page.getByRole('alertdialog').getByText('.ssh').waitFor();
    await page.getByRole('button', { name: 'Choose another folder' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    expect(await dialog.getByRole('textbox', { name: 'Folder' }).evaluate((field) => field === document.activeElement)).toBe(true);
    await ask();
    await page.getByRole('button', { name: 'Put them there' }).click();
    await dialog.waitFor({ state: 'detached' });
    const asked = sentBodies(agent, 'POST', '/downloads') as { allow_hidden?: boolean }[];
    expect(asked.map(({ allow_hidden }) => allow_hidden)).toEqual([undefined, undefined, true]);
  });

  it('has the code mailed that a link asks for, says when one is wrong, and downloads with its proof', async () => {
    const { agent, page } = await open(
      {},
      {
        prepare: (fake) => {
          fake.previewLink = ({ code }) => {
            if (code === undefined) throw new ApiError('link_code_required', { recipient: 'm…@example.com' });
            if (code !== '1234 5678') throw new ApiError('link_code_wrong');
            return { ...sampleLinkPreview(), proof: 'the proof' };
          };
          fake.create = () => sampleTransfer({ id: 'new', kind: 'download', state: 'queued' });
        },
      },
    );
    await page.getByRole('main').getByRole('button', { name: 'Get files' }).click();
    await page.getByLabel('Download link').fill('https://share.example.com/d/1?secret=2');
    await page.keyboard.press('Enter');
    await page.getByText('This link is for one person.').waitFor();
    await page.getByRole('button', { name: 'Mail me the code' }).click();
    await page.getByText('A code was mailed to m…@example.com.').waitFor();
    expect(sentBodies(agent, 'POST', '/links/code')).toEqual([{ url: 'https://share.example.com/d/1?secret=2' }]);
    await page.getByLabel('Code', { exact: true }).fill('8765 4321');
    await page.keyboard.press('Enter');
    await page.getByText('The code is wrong.').waitFor();
    expect(await lookEverywhere(page)).toEqual([]);
    await page.getByLabel('Code', { exact: true }).fill('1234 5678');
    await page.keyboard.press('Enter');
    await page.getByLabel('Choose some of them').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Get files' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(sentBodies(agent, 'POST', '/downloads')).toMatchObject([{ code: 'the proof' }]);
  });

  it('gets some files of a protected link into a folder that is chosen', async () => {
    const { agent, page } = await open(
      {},
      {
        prepare: (fake) => {
          fake.folders = folders;
          fake.previewLink = ({ password }) => {
            if (password !== 'letmein') throw new ApiError('link_password_wrong');
            return sampleLinkPreview();
          };
          fake.create = () => sampleTransfer({ id: 'new', kind: 'download', state: 'queued' });
        },
      },
    );
    await page.getByRole('main').getByRole('button', { name: 'Get files' }).click();
    await page.getByLabel('Download link').fill('https://share.example.com/d/1?secret=2');
    await page.keyboard.press('Enter');
    await page.getByText('This link is protected.').waitFor();
    await page.getByLabel('Password of the link').fill('letmein');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Message from the sender' }).getByText('The brass of reel 4 follows tonight.').waitFor();
    await page.getByLabel('Choose some of them').check();
    await page.getByRole('checkbox', { name: /Stems/ }).uncheck();
    await page.getByText('1 of 4 files').waitFor();
    await page.getByRole('button', { name: 'Choose…' }).click();
    await page.getByRole('button', { name: 'Open Dailies' }).click();
    await page.getByRole('button', { name: 'Choose this folder' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Get files' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(sentBodies(agent, 'POST', '/downloads')).toEqual([
      {
        url: 'https://share.example.com/d/1?secret=2',
        password: 'letmein',
        dst_folder: '/home/mia/Dailies',
        create_package_folder: true,
        file_ids: ['f4'],
      },
    ]);
  });
});
