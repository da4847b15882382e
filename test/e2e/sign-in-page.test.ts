import { expect, it } from 'vitest';
import type { CreateSession } from '#protocol/agent/sessions.ts';
import { ApiError } from '#protocol/errors.ts';
import { describeAgentPage, sentBodies } from '#test/support/browser/agent-page.ts';
import { sampleSession, sampleSignedIn, sampleTeam, sampleTransfer } from '#test/support/browser/samples.ts';

describeAgentPage('signing in on the agent’s page', { viewport: { width: 1280, height: 900 } }, ({ open }) => {
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
    expect(sentBodies(agent, 'POST', '/sessions')).toEqual([
      { service_url: 'https://files.northlight.example', email: 'mia@northlight.example', password: 'right' },
    ]);
    expect(page.url()).toContain('#/settings');
  });

  it('keeps transfers in sight while nobody is signed in, and leads to profile and console once somebody is', async () => {
    const { page } = await open(
      { transfers: [sampleTransfer()] },
      { prepare: (fake) => void Object.assign(fake, { signIn: () => sampleSession() }) },
    );
    await page.getByText('Sending').waitFor();
    /** On a phone, where the bar is above the view. */
    const barHeight = async (): Promise<number> => {
      await page.setViewportSize({ width: 390, height: 844 });
      const { height } = (await page.getByRole('banner').boundingBox())!;
      await page.setViewportSize({ width: 1_280, height: 900 });
      return height;
    };
    const signedOut = await barHeight();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('textbox', { name: 'E-mail' }).fill('mia@harbour.example');
    await page.getByLabel('Password', { exact: true }).fill('right');
    await page.keyboard.press('Enter');
    const hrefOf = (name: string) => page.getByRole('link', { name, exact: true }).getAttribute('href');
    // Nothing moves down once the initials come.
    expect(await barHeight()).toBe(signedOut);
    // One press away, before any menu is opened.
    expect([await hrefOf('Profile of Mia Lindqvist'), await hrefOf('Team console')]).toEqual([
      'https://share.example.com/profile',
      'https://share.example.com/t/team-1',
    ]);
    await page.getByRole('button', { name: 'Mia Lindqvist' }).click();
    expect([await hrefOf('Profile'), await hrefOf('Harbour Pictures')]).toEqual([
      'https://share.example.com/profile',
      'https://share.example.com/t/team-1/packages',
    ]);
  });
});
