import { expect, it } from 'vitest';
import { ApiError } from '#protocol/errors.ts';
import { describeAgentPage } from '#test/support/browser/agent-page.ts';
import { sampleSession, sampleTransfer } from '#test/support/browser/samples.ts';

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
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
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
});
