import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashPassword } from '#service/accounts/passwords.ts';
import { expectGoodLooks, openConsole, speak, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { inAll } from '#test/support/level.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { addUser, putEmailChange } from '#test/support/service/users.ts';
import { eventually } from '#test/support/system/processes.ts';

async function mailsTo({ service }: TestService, email: string): Promise<number> {
  const rows = await service.services.db.selectFrom('messages').select('id').where('recipient', '=', email).execute();
  return rows.length;
}

describeInBrowser('the profile in the console', (browserOf) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startConsole();
  });
  afterAll(async () => {
    await service?.close();
  });

  const password = 'correct horse battery staple';
  async function person() {
    const user = await addUser(service, 'member');
    const { db } = service.service.services;
    await db
      .updateTable('users')
      .set({ password_hash: await hashPassword(password) })
      .where('id', '=', user.userId)
      .execute();
    const stored = () => db.selectFrom('users').selectAll().where('id', '=', user.userId).executeTakeFirstOrThrow();
    return { ...user, stored };
  }

  it('looks good, and changes name and time zone', async () => {
    const { userId, stored } = await person();
    const { page, complaints, close } = await openConsole(browserOf(), service, '/profile', { userId });
    await expectGoodLooks(page, { en: 'Where you are signed in', de: 'Wo Sie angemeldet sind' });
    await page.getByLabel('Name').fill('Mia Sandberg');
    await page.getByLabel('Time zone').selectOption('Europe/Berlin');
    await page.getByRole('button', { name: 'Save' }).click();
    // What is told follows the language for as long as it is told, which is while the pointer is there.
    await page.locator('.toast').hover();
    await page.getByText('Saved.').waitFor();
    await speak(page, 'de', 'Gespeichert.');
    await speak(page, 'en', 'Saved.');
    expect(await stored()).toMatchObject({ name: 'Mia Sandberg', time_zone: 'Europe/Berlin' });
    await page.getByRole('button', { name: 'Mia Sandberg' }).waitFor();
    await page.getByRole('link', { name: 'Open security' }).click();
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Your profile' }).first().click();
    await page.getByRole('heading', { name: 'Your profile', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('asks for another address, mails again and cancels', async () => {
    const { userId, stored } = await person();
    const { page, close } = await openConsole(browserOf(), service, '/profile', { userId });
    await page.getByRole('button', { name: 'Change the address' }).click();
    const dialog = page.getByRole('dialog');
    const email = `mia-${userId}@example.com`;
    await dialog.getByLabel('New address', { exact: true }).fill(email);
    await dialog.getByLabel('Your password').fill(password);
    await dialog.getByRole('button', { name: 'Change the address' }).click();
    await dialog.getByText('The two addresses differ.').waitFor();
    await dialog.getByLabel('New address once more').fill(email);
    await dialog.getByRole('button', { name: 'Change the address' }).click();
    await page.getByText(`A message to confirm it is on its way to ${email}.`).waitFor();
    const before = (await stored()).email;
    expect(before).not.toBe(email);
    await page.getByRole('main').getByText(before, { exact: true }).waitFor();
    await expectGoodLooks(page, { en: `${email} waits for its confirmation.`, de: `${email} wartet auf die Bestätigung.` });
    await page.getByRole('button', { name: 'Mail it again' }).click();
    await eventually('another mail', async () => (await mailsTo(service, email)) === 2);
    await page.getByRole('button', { name: 'Cancel the change' }).click();
    await page.getByText('The address stays as it is.').waitFor();
    await page.getByText('waits for its confirmation').waitFor({ state: 'detached' });
    await close();
  });

  it(
    'changes the address once it is confirmed on the page of the mail',
    inAll('service/email-change, and the pages of e2e/account-pages'),
    async () => {
      const { userId, stored } = await person();
      const { page, close } = await openConsole(browserOf(), service, '/profile', { userId });
      const email = `mia-${userId}@example.com`;
      await page.goto(`${service.url}/email#${await putEmailChange(service, userId, email)}`);
      await page.getByRole('heading', { name: 'Confirm your new e-mail address' }).waitFor();
      expect((await stored()).email).not.toBe(email);
      await page.getByRole('button', { name: 'Confirm the address' }).click();
      await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
      expect((await stored()).email).toBe(email);
      expect(page.url()).toBe(`${service.url}/email`);
      // Every sign-in has ended, the one of this browser too.
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await close();
    },
  );

  it('changes the password, and stays signed in here', inAll('service/users and service/sessions'), async () => {
    const { userId } = await person();
    const { page, close } = await openConsole(browserOf(), service, '/profile', { userId });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByLabel('New password').fill('four words to keep');
    await dialog.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password is changed.').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Your profile' }).waitFor();
    await close();
  });

  it('ends sign-ins, one and all others', inAll('service/sessions and service/audit-log'), async () => {
    const { userId, email } = await person();
    const signIn = async (program: string) =>
      await service.call<{ token: string }>('POST', '/v1/auth', { body: { email, password }, headers: { 'user-agent': program } });
    const first = await signIn('longshore/0.1.0');
    await signIn('curl/8.9');
    await signIn('backup/2');
    const { page, close } = await openConsole(browserOf(), service, '/profile', { userId });
    await page.getByRole('button', { name: 'End the sign-in of longshore 0.1.0' }).click();
    await page.getByText('The sign-in has ended.').waitFor();
    await eventually(
      'its end',
      async () => (await service.call('GET', '/v1/users/me', { headers: { 'x-user-token': first.body.token } })).status === 401,
    );
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await page.getByText('2 sign-ins have ended.').waitFor();
    await page.getByText('(this browser)').waitFor();
    expect(await page.getByRole('button', { name: 'End all others' }).count()).toBe(0);
    await close();
  });
});
