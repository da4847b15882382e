import { expect, it } from 'vitest';
import { ApiError } from '#protocol/errors.ts';
import { describeAgentPage, sentBodies } from '#test/support/browser/agent-page.ts';
import { sampleSession, sampleSignedIn, sampleTeam, sampleTransfer } from '#test/support/browser/samples.ts';
import { inAll } from '#test/support/level.ts';
import { addPath, demandingPortal, enterPortal, folders } from './form-scenes.ts';

describeAgentPage('the agent’s form to send, filled in and sent', { viewport: { width: 1280, height: 900 } }, ({ open }) => {
  it(
    'says whether it is told of downloads only where that was touched, and asks recipients for a code where it was ticked',
    inAll('all that can be said to a Team; service/team-settings'),
    async () => {
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
        return sentBodies(agent, 'POST', '/uploads').at(-1);
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
    },
  );

  it(
    'asks recipients for a code as the Team has chosen, which is not to be touched where it always does',
    inAll('a code that is ticked; console/send by the Team'),
    async () => {
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
        return sentBodies(agent, 'POST', '/uploads').at(-1);
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
    },
  );

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
    expect(sentBodies(agent, 'POST', '/uploads')).toEqual([
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
    expect(sentBodies(agent, 'POST', '/uploads')).toEqual([]);
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
    expect(sentBodies(agent, 'POST', '/uploads')).toMatchObject([
      { paths: ['/media/A001', '/elsewhere/B002'], recipients: ['post@studio.example'] },
    ]);
    await page.keyboard.press('s');
    await send.waitFor();
    expect(await page.getByText('Here is what you had begun.').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Remove /media/A001' }).count()).toBe(0);
  });

  it(
    'keeps a filled form where somebody clicks beside it or goes back, and starts over when asked',
    inAll('what was filled in is kept until it is sent; unit/renderer/forms'),
    async () => {
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
    },
  );

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
    expect(sentBodies(agent, 'POST', '/uploads/portal')).toEqual([
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
