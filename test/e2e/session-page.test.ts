import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startAgent } from '#main/headless.ts';
import type { CreateSession } from '#protocol/agent/sessions.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import { type AgentOptions, describeAgentPage, type PageOptions } from '#test/support/browser/agent-page.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import type { FakeAgent } from '#test/support/browser/fake-agent.ts';
import { lookEverywhere } from '#test/support/browser/looks.ts';
import {
  sampleLinkPreview,
  sampleRateLimit,
  sampleSession,
  sampleSignedIn,
  sampleTeam,
  sampleTransfer,
  sampleUnreachable,
} from '#test/support/browser/samples.ts';
import { secretsIn } from '#test/support/engine/secret-scan.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';
import { unzipped } from '#test/support/system/unzipped.ts';
import { addPath, demandingPortal, enterPortal, folders, sendAsLink } from './form-scenes.ts';

/** Signing in, sending, getting and the settings. */
describeAgentPage('the agent’s forms in a browser', { viewport: { width: 1280, height: 900 } }, (pages) => {
  const { open } = pages;
  const bodies = (agent: FakeAgent, method: string, path: string) =>
    agent.calls.filter((call) => call.method === method && call.path === `/api/v1${path}`).map(({ body }) => body);

  describe('signing in', () => {
    it('asks for the code of an account with a second factor, and keeps what was typed', async () => {
      const asked: CreateSession[] = [];
      const { page } = await open(
        {},
        {
          prepare: (fake) => {
            fake.signIn = (_email, _password, request) => {
              asked.push(request);
              if (request.code === undefined) throw new ApiError('mfa_required', { methods: 'totp, recovery_code' });
              if (request.code !== '492039') throw new ApiError('mfa_wrong');
              return sampleSession();
            };
          },
        },
      );
      await page.getByRole('textbox', { name: 'E-mail' }).fill('mia@harbour.example');
      await page.getByLabel('Password', { exact: true }).fill('right');
      await page.keyboard.press('Enter');
      const code = page.getByRole('textbox', { name: 'Code' });
      await code.waitFor();
      // It has the focus, and nothing was done wrong yet.
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.keyboard.type('000000');
      await page.keyboard.press('Enter');
      await page.getByText('This code is wrong, or was used already.').waitFor();
      // What is typed now takes the place of the wrong code.
      await page.keyboard.type(' 492039 ');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Mia Lindqvist' }).waitFor();
      const account = { email: 'mia@harbour.example', password: 'right' };
      expect(asked).toEqual([account, { ...account, code: '000000' }, { ...account, code: '492039' }]);
    });

    it('takes accounts of several services side by side, and signs out of one', async () => {
      const asked: CreateSession[] = [];
      const { agent, page } = await open(
        {},
        {
          prepare: (fake) => {
            fake.signIn = (_, password, request) => {
              asked.push(request);
              if (request.email && password !== 'right') throw new ApiError('wrong_password');
              return request.api_key
                ? { user: { id: 'far', name: 'Ben Ito', email: 'ben@far.example' }, teams: [sampleTeam({ id: 't9', name: 'Far Team' })] }
                : sampleSession();
            };
          },
        },
      );
      await page.getByRole('textbox', { name: 'E-mail' }).fill('mia@harbour.example');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByText('The e-mail address or the password is wrong.').waitFor();
      expect(await page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe('mia@harbour.example');
      await page.getByLabel('Password', { exact: true }).fill('right');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Mia Lindqvist' }).click();
      await page.getByRole('button', { name: 'Add an account' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add an account' });
      await dialog.getByRole('radio', { name: 'API key' }).check();
      await dialog.getByRole('button', { name: 'Another service' }).click();
      await dialog.getByLabel('Service').fill('far.example/ship/');
      await dialog.getByRole('textbox', { name: 'API key' }).fill('key-1');
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(asked.at(-1)).toEqual({ service_url: 'https://far.example/ship', api_key: 'key-1' });
      await page.getByRole('button', { name: /Mia Lindqvist.*1 more account/ }).click();
      await page.getByText('Far Team').waitFor();
      await page.getByRole('button', { name: 'Sign out of Ben Ito, far.example/ship' }).click();
      await page.getByText('Far Team').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(agent.sessions).toEqual([]);
    });

    it('says that a session has ended where the person is, and takes it up from there', async () => {
      const { agent, page } = await open(
        { session: sampleSession(), otherSessions: [sampleSignedIn()] },
        {
          prepare: (fake) => {
            fake.signIn = () => ({ user: sampleSignedIn().user!, teams: sampleSignedIn().teams });
          },
        },
      );
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      agent.otherSessions = [sampleSignedIn({ state: 'ended' })];
      agent.tellSessions();
      await page.getByRole('alert').getByRole('button', { name: 'Sign in again' }).click();
      expect(await page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe('mia@northlight.example');
      await page.getByLabel('Password', { exact: true }).fill('right');
      await page.keyboard.press('Enter');
      await page.getByText('has ended').waitFor({ state: 'detached' });
      expect(bodies(agent, 'POST', '/sessions')).toEqual([
        { service_url: 'https://files.northlight.example', email: 'mia@northlight.example', password: 'right' },
      ]);
      expect(page.url()).toContain('#/settings');
    });
  });

  describe('sending', () => {
    it('says whether it is told of downloads only where that was touched, and asks recipients for a code where it was ticked', async () => {
      const teams = [sampleTeam({ notify_default: ['downloaded', 'failed'] })];
      const { agent, page } = await open(
        { session: sampleSession({ teams }) },
        {
          prepare: (fake) => {
            fake.create = () => sampleTransfer({ id: 'new', name: 'A001', state: 'queued', bytes: 0 });
          },
        },
      );
      const told = page.getByRole('checkbox', { name: 'Tell me by mail when it is downloaded' });
      const begin = async (way: 'By e-mail' | 'As a link') => {
        await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
        await page.getByRole('radio', { name: way }).check();
        await addPath(page, '/media/A001');
        if (way === 'By e-mail') await page.getByLabel('Recipients').fill('mia@example.com');
        // As the Team has chosen.
        expect(await told.isChecked()).toBe(true);
      };
      const send = async () => {
        await page.getByRole('button', { name: /^(Send|Send and make a link)$/ }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        return bodies(agent, 'POST', '/uploads').at(-1);
      };
      const code = page.getByRole('checkbox', { name: 'Ask each of them for a code that is mailed' });
      await begin('By e-mail');
      expect(await send()).not.toHaveProperty('notify');
      await begin('By e-mail');
      await told.press('Space');
      await code.press('Space');
      expect(await send()).toMatchObject({ notify: ['failed'], verify_recipient: true });
      await begin('As a link');
      expect(await code.count()).toBe(0);
      await told.press('Space');
      await told.press('Space');
      const last = await send();
      expect(last).toMatchObject({ notify: ['downloaded', 'failed'] });
      expect(last).not.toHaveProperty('verify_recipient');
    });

    it('asks recipients for a code as the Team has chosen, which is not to be touched where it always does', async () => {
      const teams = [sampleTeam({ verify_recipient_default: true })];
      const { agent, page } = await open(
        { session: sampleSession({ teams }) },
        {
          prepare: (fake) => {
            fake.create = () => sampleTransfer({ id: 'new', name: 'A001', state: 'queued', bytes: 0 });
          },
        },
      );
      const code = page.getByRole('checkbox', { name: 'Ask each of them for a code that is mailed' });
      const begin = async () => {
        await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
        await page.getByRole('radio', { name: 'By e-mail' }).check();
        await addPath(page, '/media/A001');
        await page.getByLabel('Recipients').fill('mia@example.com');
        expect(await code.isChecked()).toBe(true);
      };
      const send = async () => {
        await page.getByRole('button', { name: 'Send', exact: true }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        return bodies(agent, 'POST', '/uploads').at(-1);
      };
      await begin();
      expect(await send()).not.toHaveProperty('verify_recipient');
      await begin();
      await code.press('Space');
      expect(await send()).toMatchObject({ verify_recipient: false });
      agent.session = sampleSession({ teams: [sampleTeam({ verify_recipient_required: true })] });
      agent.tellSessions();
      await begin();
      expect(await code.isDisabled()).toBe(true);
      expect(await send()).not.toHaveProperty('verify_recipient');
    });

    it('to a Team of the session that is in it, with all that can be said', async () => {
      const { agent, page } = await open(
        {
          session: sampleSession(),
          otherSessions: [sampleSignedIn()],
          transfers: [sampleTransfer({ links: [{ email: 'known@studio.example', url: 'https://x/d/1' }] })],
        },
        {
          prepare: (fake) => {
            fake.create = () => sampleTransfer({ id: 'new', name: 'A002', state: 'queued', bytes: 0 });
          },
        },
      );
      await page.getByRole('heading', { name: 'Transfers', level: 1 }).waitFor();
      await page.keyboard.press('s');
      await addPath(page, '/media/A001');
      await page.getByRole('button', { name: 'Remove /media/A001' }).click();
      await addPath(page, '/media/A002');
      await page.getByRole('dialog').getByLabel('Team', { exact: true }).selectOption({ label: 'Northlight' });
      await page.getByLabel('Recipients').fill('known@studio.example');
      await page.getByRole('button', { name: 'Remove known@studio.example' }).waitFor();
      await page.getByLabel('Recipients').fill('colour@studio.example');
      await page.getByText('How long, and how often').click();
      await page.getByLabel('Message').fill('Second card');
      await page.getByLabel('Password for the link').fill('long enough 1');
      await page.getByLabel('Available').selectOption('never');
      await page.getByLabel('Downloads at most').fill('3');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(bodies(agent, 'POST', '/uploads')).toEqual([
        {
          team_id: 'team-9',
          session_id: 'session-2',
          paths: ['/media/A002'],
          package_name: 'A002',
          recipients: ['known@studio.example', 'colour@studio.example'],
          package_description: 'Second card',
          password: 'long enough 1',
          access_limit: 3,
          unlimited_storage: true,
        },
      ]);
    });

    it('says what is wrong before anything is asked, and leads there', async () => {
      const { agent, page } = await open({ session: sampleSession() });
      await page.getByRole('banner').getByRole('button', { name: 'Send files' }).click();
      await page.getByLabel('Path', { exact: true }).fill('media/A001');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('Give at least one address, or send as a link.').waitFor();
      await page.getByLabel('Recipients').fill('nobody');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('“media/A001” is not a whole path.').waitFor();
      await page.getByText('“nobody” is not an e-mail address.').waitFor();
      await expect.poll(() => page.getByLabel('Path', { exact: true }).evaluate((one) => one === document.activeElement)).toBe(true);
      expect(bodies(agent, 'POST', '/uploads')).toEqual([]);
    });

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
      await expect.poll(() => bodies(agent, 'POST', '/uploads').length).toBe(1);
      expect(bodies(agent, 'POST', '/uploads')[0]).toMatchObject({
        paths: ['/home/mia/Dailies/A001C012.mov'],
        package_name: 'A001C012.mov',
      });
    });

    it('puts the keyboard into the first field, closes only what is on top, and keeps what was filled in until it is sent', async () => {
      const { agent, page } = await open(
        { session: sampleSession() },
        {
          prepare: (fake) => {
            fake.folders = folders;
            fake.create = () => sampleTransfer({ id: 'new', state: 'queued' });
          },
        },
      );
      const send = page.getByRole('dialog', { name: 'Send files' });
      const path = page.getByLabel('Path', { exact: true });
      await page.getByRole('heading', { name: 'Nothing on the move' }).waitFor();
      await page.keyboard.press('s');
      await expect.poll(() => path.evaluate((one) => one === document.activeElement)).toBe(true);
      await send.getByRole('button', { name: 'Browse…' }).click();
      await page.getByRole('checkbox', { name: 'Choose Dailies' }).check();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Choose files and folders' }).waitFor({ state: 'detached' });
      await addPath(page, '/media/A001');
      // The first name stays, whatever is added.
      await addPath(page, '/elsewhere/B002');
      await page.getByLabel('Recipients').fill('post@studio.example ');
      await page.getByLabel('Message').fill('First card');
      await page.getByLabel('Password for the link').fill('tell no one');
      await page.keyboard.press('Escape');
      await send.waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('heading', { name: 'Nothing on the move' }).waitFor();
      await page.keyboard.press('s');
      await page.getByText('Here is what you had begun.').waitFor();
      expect(await page.getByLabel('Package name').inputValue()).toBe('A001');
      expect(await page.getByLabel('Message').inputValue()).toBe('First card');
      // A password is not kept beyond the page.
      expect(await page.getByLabel('Password for the link').inputValue()).toBe('');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await send.waitFor({ state: 'detached' });
      expect(bodies(agent, 'POST', '/uploads')).toMatchObject([
        { paths: ['/media/A001', '/elsewhere/B002'], recipients: ['post@studio.example'] },
      ]);
      await page.keyboard.press('s');
      await send.waitFor();
      expect(await page.getByText('Here is what you had begun.').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Remove /media/A001' }).count()).toBe(0);
    });

    it('keeps a filled form where somebody clicks beside it or goes back, and starts over when asked', async () => {
      const { page } = await open({ session: sampleSession() });
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      await page.keyboard.press('s');
      const send = page.getByRole('dialog', { name: 'Send files' });
      const path = page.getByLabel('Path', { exact: true });
      await path.fill('/media/A001');
      const stands = async () => expect([await send.getAttribute('open'), await path.inputValue()]).toEqual(['', '/media/A001']);
      await page.mouse.click(4, 400);
      await stands();
      await page.goBack();
      await page.getByRole('heading', { name: 'Transfers', level: 1, includeHidden: true }).waitFor({ state: 'attached' });
      await stands();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await send.getByRole('button', { name: 'Cancel' }).click();
      await page.keyboard.press('s');
      await page.getByRole('button', { name: 'Remove /media/A001' }).waitFor();
      await page.getByRole('button', { name: 'Start over' }).click();
      await page.getByRole('button', { name: 'Remove /media/A001' }).waitFor({ state: 'detached' });
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

    it('closes only the folders above the form to get, and only the sign-in above the form to send', async () => {
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
    });

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

    it('through a Portal without an account: its code, its form, its terms', async () => {
      const { agent, page } = await open(
        {},
        {
          prepare: (fake) => {
            fake.previewPortal = ({ access_code }) => {
              if (access_code !== 'harbour') throw new ApiError('access_code_wrong');
              return demandingPortal;
            };
            fake.create = () => sampleTransfer({ id: 'new', state: 'queued' });
          },
        },
      );
      await enterPortal(page);
      await addPath(page, '/media/A001');
      await page.getByLabel('Your address').fill('mia@harbour.example');
      const send = page.getByRole('button', { name: 'Send to Northlight dailies' });
      await send.click();
      await page.getByText('This is needed.').waitFor();
      await page.getByText('Agree to the terms to send.').waitFor();
      await page.getByLabel('Camera').selectOption('B');
      await page.getByLabel('Slate').check();
      await page.getByLabel('I agree to the terms of Northlight').check();
      await send.click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(bodies(agent, 'POST', '/uploads/portal')).toEqual([
        {
          subdomain: 'northlight',
          service_url: 'https://files.northlight.example',
          access_code: 'harbour',
          sender: 'mia@harbour.example',
          package_name: 'A001',
          package_description: '',
          paths: ['/media/A001'],
          form: {
            camera: { value: 'B' },
            day: { value: '' },
            checks: { value: ['Slate'] },
            mail: { value: 'mia@harbour.example' },
          },
        },
      ]);
    });
  });

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
    const asked = bodies(agent, 'POST', '/downloads') as { allow_hidden?: boolean }[];
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
    expect(bodies(agent, 'POST', '/links/code')).toEqual([{ url: 'https://share.example.com/d/1?secret=2' }]);
    await page.getByLabel('Code', { exact: true }).fill('8765 4321');
    await page.keyboard.press('Enter');
    await page.getByText('The code is wrong.').waitFor();
    expect(await lookEverywhere(page)).toEqual([]);
    await page.getByLabel('Code', { exact: true }).fill('1234 5678');
    await page.keyboard.press('Enter');
    await page.getByLabel('Choose some of them').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Get files' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(bodies(agent, 'POST', '/downloads')).toMatchObject([{ code: 'the proof' }]);
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
    await page.getByRole('region', { name: 'Message of the sender' }).getByText('The brass of reel 4 follows tonight.').waitFor();
    await page.getByLabel('Choose some of them').check();
    await page.getByRole('checkbox', { name: /Stems/ }).uncheck();
    await page.getByText('1 of 4 files').waitFor();
    await page.getByRole('button', { name: 'Choose…' }).click();
    await page.getByRole('button', { name: 'Open Dailies' }).click();
    await page.getByRole('button', { name: 'Choose this folder' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Get files' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(bodies(agent, 'POST', '/downloads')).toEqual([
      {
        url: 'https://share.example.com/d/1?secret=2',
        password: 'letmein',
        dst_folder: '/home/mia/Dailies',
        create_package_folder: true,
        file_ids: ['f4'],
      },
    ]);
  });

  it('keeps a history that can be searched, and goes on with what ends meanwhile', async () => {
    const done = (id: string, name: string) => sampleTransfer({ id, name, state: 'complete', finished_at: '2026-11-20T07:12:00.000Z' });
    const { agent, page } = await open({
      session: sampleSession(),
      transfers: [done('a', 'Trailer'), done('b', 'Sound rushes'), sampleTransfer()],
    });
    await page.getByRole('navigation').getByRole('link', { name: 'History' }).click();
    await page.getByRole('link', { name: 'Trailer' }).waitFor();
    // What is under way is in it, too, and follows the events.
    const dailies = page.getByRole('listitem').filter({ hasText: 'Dailies, day 12' });
    await dailies.getByText(/^Sending/).waitFor();
    agent.change('transfer-1', { state: 'complete', finished_at: '2026-11-20T09:00:00.000Z' });
    await dailies.getByText(/^Sent /).waitFor();
    await page.getByLabel('Search names, recipients, Portals and files').fill('sound');
    await page.getByRole('link', { name: 'Trailer' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Sound rushes' }).click();
    expect(page.url()).toContain('#/transfers/b');
  });

  it('sets limits by the week, folders, theme and language, each at once', async () => {
    const { agent, page } = await open(
      { session: sampleSession() },
      {
        prepare: (fake) => {
          fake.rateLimits.upload = sampleRateLimit({ rate_limit_bps: 5_000_000 });
        },
      },
    );
    await page.getByRole('heading', { name: 'Transfers', level: 1 }).waitFor();
    await page.keyboard.press('3');
    // Clicked, not checked: what is ticked follows the page's knowledge of the agent, a moment later.
    await page.getByLabel('Limit for sending').click();
    await page.getByLabel('At most (MB/s)').fill('12.5');
    await page.keyboard.press('Enter');
    await page.getByText('That is 100 Mbit/s on the line.').waitFor();
    await page.getByLabel('Only at certain times').click();
    const track = page.locator('.week-track').nth(1);
    const box = (await track.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.25, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 10, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => agent.rateLimits.upload.schedule.tue).toEqual({ enabled: true, start: '06:00', end: '18:00' });
    await page.getByLabel('Monday: limited').click();
    await page.getByLabel('Monday until').fill('20:15');
    await expect.poll(() => agent.rateLimits.upload.schedule.mon).toEqual({ enabled: true, start: '08:00', end: '20:15' });
    expect(agent.rateLimits.upload).toMatchObject({ enabled: true, rate_limit_bps: 12_500_000, schedule_enabled: true });

    await page.getByRole('radio', { name: 'One after another' }).click();
    await page.getByRole('radio', { name: 'Dark' }).click();
    await page.getByLabel('Language', { exact: true }).selectOption({ label: 'Deutsch' });
    await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
    // What is chosen shows before the agent has heard of it.
    await expect.poll(() => agent.settings).toMatchObject({ order: 'strict', appearance: 'dark', language: 'de' });
    expect(await page.evaluate(() => [document.documentElement.lang, getComputedStyle(document.body).colorScheme])).toEqual(['de', 'dark']);
    // Chosen once, it is there from the first moment on, and the browser's own wish is passed over.
    await page.emulateMedia({ colorScheme: 'light' });
    await page.reload();
    await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
    // What others set meanwhile, by the API alone, shows too.
    agent.settings = { ...agent.settings, history_days: 7 };
    agent.tellSettings();
    await expect.poll(() => page.getByLabel('Im Verlauf behalten').inputValue()).toBe('7');
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe('rgb(15, 23, 27)');
  });

  it('takes single characters as keys only while the settings say so, and never what is typed', async () => {
    const { agent, page } = await open({ session: sampleSession(), transfers: [sampleTransfer()] });
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
    await heading('Transfers');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Single characters are shortcuts').click();
    await expect.poll(() => agent.settings.letter_keys).toBe(false);
    const nothingHappens = async (): Promise<void> => {
      await page.getByRole('link', { name: 'Transfers' }).click();
      await heading('Transfers');
      await page.getByRole('link', { name: 'Dailies, day 12' }).focus();
      for (const key of ['?', 's', 'g', 'p', '/', '2']) await page.keyboard.press(key);
      expect(await page.evaluate(() => [location.hash, document.activeElement?.textContent])).toEqual(['#/transfers', 'Dailies, day 12']);
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(agent.calls.some(({ path }) => path.endsWith('/pause'))).toBe(false);
      // What is no character goes on.
      await page.keyboard.press('Space');
      await page.getByText('1 selected').waitFor();
      await page.keyboard.press('Escape');
    };
    await nothingHappens();
    await page.reload();
    await nothingHappens();
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('Single characters are switched off').waitFor();
    expect(await keys.getByText('Send files').count()).toBe(0);
    await keys.getByRole('link', { name: 'Settings' }).click();
    await heading('Settings');

    agent.settings = { ...agent.settings, letter_keys: true };
    agent.tellSettings();
    await expect.poll(() => page.getByLabel('Single characters are shortcuts').isChecked()).toBe(true);
    await page.keyboard.press('1');
    await heading('Transfers');
    await page.keyboard.press('/');
    await page.keyboard.type('sgp?12');
    expect(await page.getByLabel('Search by name').inputValue()).toBe('sgp?12');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(agent.calls.some(({ path }) => path.endsWith('/pause'))).toBe(false);
  });

  it('says errors of the agent in the language of the page, and marks what it can only repeat', async () => {
    const { agent, page } = await open(
      { session: sampleSession(), transfers: [sampleTransfer()] },
      {
        prepare: (fake) => {
          fake.settings = { ...fake.settings, language: 'de' };
          fake.create = () => {
            throw new AgentError('path_not_found', { path: '/media/gone' });
          };
        },
      },
    );
    await page.getByRole('heading', { name: 'Übertragungen', level: 1 }).waitFor();
    const failure = new ApiError('service_refused', { status: 418, detail: 'I am a teapot.' }).body;
    agent.change('transfer-1', { state: 'error', error: { ...failure, retryable: false } });
    const detail = page.locator('.row-detail');
    // The cause first, and the whole sentence where what needs a person stands.
    await expect.poll(() => detail.textContent()).toBe('Dienst lehnt ab (418)');
    await page.getByRole('link', { name: 'Braucht Sie 1' }).click();
    const whole = page.locator('.row-whole');
    await expect.poll(() => whole.textContent()).toBe('Der Dienst hat mit 418 geantwortet: I am a teapot.');
    expect(await whole.locator('[lang=en]').allTextContents()).toEqual(['I am a teapot.']);
    await page.getByRole('link', { name: 'Übertragungen' }).click();
    agent.change('transfer-1', { state: 'transferring', error: null, waiting: { reason: 'The storage is full; trying again in 60 s.' } });
    await expect.poll(() => detail.textContent()).toBe('Der Speicher ist voll. Nächster Versuch in 60 s.');
    expect(await detail.locator('[lang]').count()).toBe(0);
    await page.keyboard.press('s');
    await page.getByLabel('Pfad', { exact: true }).fill('/media/gone');
    await page.getByRole('radio', { name: 'Als Link' }).check();
    await page.getByRole('button', { name: 'Senden, Link erstellen' }).click();
    await page.getByText('Unter /media/gone gibt es keine Datei und keinen Ordner.').waitFor();
  });

  it('shows what another page changed while its own change was under way', async () => {
    const { agent, page } = await open({ session: sampleSession() });
    const held = Promise.withResolvers<void>();
    const saved = Promise.withResolvers<void>();
    agent.after = (call) => {
      if (call !== 'PUT /api/v1/settings') return;
      saved.resolve();
      return held.promise;
    };
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('When a file is there already').selectOption('skip');
    await saved.promise;
    agent.settings = { ...agent.settings, history_days: 7 };
    agent.tellSettings();
    // An event of another kind comes after it: once that one shows, the page has heard both.
    agent.tellServices([sampleUnreachable()]);
    await page.getByRole('region', { name: 'share.example.com cannot be reached.' }).waitFor();
    held.resolve();
    await expect.poll(() => page.getByLabel('Keep in the history').inputValue()).toBe('7');
    expect(await page.getByLabel('When a file is there already').inputValue()).toBe('skip');
  });

  it('tells by the browser’s notifications what has ended while the person looks at something else', async () => {
    const { agent, page } = await open({ session: sampleSession(), transfers: [sampleTransfer()] });
    await page.getByText('112 MB/s', { exact: true }).waitFor();
    await page.evaluate(fakeNotifications);
    await page.keyboard.press('3');
    await page.getByText('This browser has to allow it first:').waitFor();
    await page.getByRole('button', { name: 'Allow in this browser' }).click();
    await page.getByText('This browser shows it while the page is open').waitFor();
    const shown = () => page.evaluate(() => (window as unknown as { shown: FakeNotification[] }).shown);
    const late = sampleTransfer({ id: 'late', name: 'Long ago', state: 'complete' });
    // What was over before, and what somebody cancelled, is no news.
    agent.add(late);
    agent.add(sampleTransfer({ id: 'gone', name: 'Wrong cut' }));
    agent.change('gone', { state: 'cancelled' });
    agent.change('transfer-1', { bytes: 5, seconds_left: 4 });
    agent.change('transfer-1', {
      state: 'error',
      error: { ...new AgentError('path_not_found', { path: '/media/A001' }).body, retryable: false },
    });
    await expect
      .poll(shown)
      .toEqual([
        { title: 'Sending failed', body: 'Dailies, day 12: There is no file or folder at /media/A001.', silent: false, tag: 'transfer-1' },
      ]);
    await page.evaluate(() => (window as unknown as { click: () => void }).click());
    await page.getByRole('heading', { name: 'Dailies, day 12' }).waitFor();
    await page.keyboard.press('3');
    await page.getByLabel('Tell me when a transfer is done or has failed').click();
    await expect.poll(() => agent.settings.notifications).toBe(false);
    agent.change('transfer-1', { state: 'transferring', error: null });
    agent.change('transfer-1', { state: 'complete' });
    agent.settings = { ...agent.settings, history_days: 7 };
    agent.tellSettings();
    await expect.poll(() => page.getByLabel('Keep in the history').inputValue()).toBe('7');
    expect((await shown()).length).toBe(1);
  });

  describe('in the desktop app', () => {
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
      expect(bodies(agent, 'POST', '/uploads')).toMatchObject([{ paths: ['/media/A001/clip 1.mov', '/media/A002'] }]);
      expect((await asked(page)).filter((one) => one.startsWith('pick'))).toEqual(['pickPaths', 'pickFolder']);
    });

    it('shows where files came to, and starts at log-in', async () => {
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

  it('gives a support bundle of a real agent by a button, without a secret in it', async () => {
    const folder = await tempFolder();
    const secrets = { 'the API key': 'Kittiwake-key-1742', 'the link’s secret': 'Puffin31Secret41', 'a password': 'Razorbill "3141"' };
    const apiKey = secrets['the API key'];
    const agent = await startAgent({
      dataDir: folder.path,
      serviceUrl: 'http://127.0.0.1:9',
      apiKey,
      listen: { host: '127.0.0.1', port: 0 },
      guiDir: pages.gui,
    });
    const watched = await openPage(pages.browser, `${agent.url}/#/about`);
    try {
      const { page } = watched;
      const link = { url: `http://127.0.0.1:9/d/x?secret=${secrets['the link’s secret']}`, password: secrets['a password'] };
      const reply = await fetch(`${agent.url}/api/v1/downloads`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...link, dst_folder: folder.path }),
      });
      expect(reply.status).toBe(502);
      const { token } = await agent.engine.tokens.create({ name: 'Farm', scopes: ['read'] });
      const download = await downloadBy(page, () => page.getByRole('button', { name: 'Make a support bundle' }).click());
      expect(download.suggestedFilename()).toMatch(/^longshore-support-\d{4}-\d\d-\d\d\.zip$/);
      await page.getByText(`${download.suggestedFilename()} is in your browser’s downloads.`).waitFor();
      const entries = unzipped(await readFile(await download.path()));
      expect([...entries.keys()]).toContain('longshore-support/status.json');
      expect(entries.get('longshore-support/status.json')!.toString()).toContain('"version"');
      for (const [name, bytes] of entries) expect([name, secretsIn(bytes, { ...secrets, 'a token': token })]).toEqual([name, []]);
      expect(watched.complaints).toEqual([]);
    } finally {
      await watched.close();
      await agent.close();
      await folder.remove();
    }
  });

  it('puts a notice away for good, and leads from the settings to their parts and to the page about it', async () => {
    const warning = 'Secrets are kept in an encrypted file, because this machine has no keychain.';
    const { agent, page } = await open({ session: sampleSession(), warnings: [warning] });
    await page.getByRole('link', { name: '1 notice' }).click();
    await page.getByRole('button', { name: 'Put away' }).click();
    await page.getByText(warning).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '1 notice' }).waitFor({ state: 'detached' });
    expect(agent.settings.dismissed_warnings).toEqual([warning]);
    await page.getByRole('link', { name: 'Settings' }).click();
    const contents = page.getByRole('navigation', { name: 'On this page' });
    await contents.getByRole('button', { name: 'Keyboard' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keyboard');
    await contents.getByRole('link', { name: 'About Longshore' }).click();
    await page.getByRole('heading', { name: 'Support bundle' }).waitFor();
  });

  it('keeps transfers in sight while nobody is signed in, and leads to profile and console once somebody is', async () => {
    const { page } = await open(
      { transfers: [sampleTransfer()] },
      { prepare: (fake) => void Object.assign(fake, { signIn: () => sampleSession() }) },
    );
    await page.getByText('Sending').waitFor();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('textbox', { name: 'E-mail' }).fill('mia@harbour.example');
    await page.getByLabel('Password', { exact: true }).fill('right');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Mia Lindqvist' }).click();
    const hrefOf = (name: string) => page.getByRole('link', { name }).getAttribute('href');
    expect([await hrefOf('Profile'), await hrefOf('Harbour Pictures')]).toEqual([
      'https://share.example.com/profile',
      'https://share.example.com/t/team-1/packages',
    ]);
  });

  it('says what it is made of, and which keys there are', async () => {
    const { page } = await open({ session: sampleSession() });
    await page.getByRole('heading', { name: 'Transfers', level: 1 }).waitFor();
    await page.keyboard.press('4');
    await page.getByRole('button', { name: 'Show the licences' }).click();
    const licences = page.getByRole('list', { name: 'Licences' });
    await licences.getByText('react-dom').click();
    await licences.locator('details[open]').getByText('Permission is hereby granted').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

/** Drops a file onto the page, as a system would. Runs in the page. */
function drop(): void {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(['x'], 'clip.mov'));
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}

interface FakeNotification {
  readonly title: string;
  readonly body: string;
  readonly silent: boolean;
  readonly tag: string;
}

/** A browser whose window is behind another, and whose person allows notifications when asked. Runs in the page. */
function fakeNotifications(): void {
  const shown: FakeNotification[] = [];
  class Shown {
    static permission = 'default';
    static async requestPermission() {
      Shown.permission = 'granted';
      return 'granted';
    }
    onclick = () => {};
    constructor(title: string, { body, silent, tag }: Omit<FakeNotification, 'title'>) {
      shown.push({ title, body, silent, tag });
      Object.assign(window, { click: () => this.onclick() });
    }
    close() {}
  }
  document.hasFocus = () => false;
  Object.assign(window, { Notification: Shown, shown });
}
