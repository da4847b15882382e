import { connect, createServer, type Server } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { totpCode } from '#service/mfa/totp.ts';
import { expectGoodLooks, openConsole, speak, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import { sizes, sticksOut } from '#test/support/browser/looks.ts';
import { inAll } from '#test/support/level.ts';
import { lightHash } from '#test/support/service/light-hash.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

const password = 'chosen by herself';
const nasty = '<img src=x onerror="document.title=1">';

describeInBrowser('second factors in the console', (browserOf) => {
  /** Passkeys belong to a name, never to 127.0.0.1, so the browser comes by another port of localhost. */
  let front: Server;
  let service: TestService;
  let at: TestService;
  beforeAll(async () => {
    front = createServer((socket) => {
      const { port } = new URL(service.url);
      const through = connect(Number(port), '127.0.0.1');
      socket.on('error', () => through.destroy()).pipe(through);
      through.on('error', () => socket.destroy()).pipe(socket);
    });
    await new Promise<void>((listening) => front.listen(0, '127.0.0.1', listening));
    const url = `http://localhost:${(front.address() as { port: number }).port}`;
    service = await startConsole({ publicUrl: url });
    at = { ...service, url };
  });
  afterAll(async () => {
    await service?.close();
    front?.close();
  });

  async function person() {
    const user = await addUser(service, 'owner');
    const { db } = service.service.services;
    await db
      .updateTable('users')
      .set({ password_hash: await lightHash(password) })
      .where('id', '=', user.userId)
      .execute();
    return user;
  }

  const prove = async (page: Page, code?: string) => {
    await page.getByLabel('Password').fill(password);
    if (code !== undefined) await page.getByLabel('Code', { exact: true }).fill(code);
    await page.getByRole('dialog').getByRole('button', { name: 'Next' }).click();
  };
  const signIn = async (page: Page, email: string) => {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  };

  /** Whoever signs in begins at home. */
  const toSecurity = async (page: Page) => {
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.goto(`${at.url}/profile/security`);
  };

  it('enrols an authenticator app, shows recovery codes once, and asks for the second step', async () => {
    const { userId, email } = await person();
    const { page, complaints, close } = await openConsole(browserOf(), at, '/profile/security', { userId });
    await expectGoodLooks(page, { en: 'Add an authenticator app', de: 'Authenticator-App hinzufügen' });
    // At 400 % (WCAG 2.2, 1.4.10).
    await page.setViewportSize({ width: 320, height: 640 });
    await speak(page, 'de', 'Authenticator-App hinzufügen');
    expect(await sticksOut(page)).toEqual([]);
    await speak(page, 'en', 'Add an authenticator app');
    await page.setViewportSize(sizes.desk);
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    await prove(page);
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await expectGoodLooks(page, { en: 'Scan this with your authenticator app.', de: 'Scannen Sie dies' });
    const secret = (await page.getByRole('dialog').locator('code').innerText()).replaceAll(' ', '');
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('This code is wrong').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(totpCode(secret, new Date()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expectGoodLooks(page, { en: 'They are shown this once.', de: 'Sie werden nur dieses eine Mal gezeigt.' });
    const codes = await page.getByRole('dialog').locator('li').allInnerTexts();
    expect(codes).toHaveLength(10);
    const download = await downloadBy(page, () => page.getByRole('link', { name: 'Download' }).click());
    expect(download.suggestedFilename()).toBe('longshore-localhost.txt');
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('Left: 10 of 10').waitFor();

    await signOut(page);
    await signIn(page, email);
    await expectGoodLooks(page, { en: 'This account has a second factor.', de: 'Dieses Konto hat einen zweiten Faktor.' });
    await page.getByLabel('Code', { exact: true }).fill('aaaaaa');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('This code is wrong').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(codes[0]!);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await toSecurity(page);
    await page.getByText('Left: 9 of 10').waitFor();
    // A fresh proof asks for it as well.
    await page.goto(`${at.url}/profile`);
    await page.getByRole('button', { name: 'Change the password' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByLabel('New password').fill('another one of hers');
    const change = dialog.getByRole('button', { name: 'Change the password' });
    await change.click();
    await dialog.getByLabel('Code', { exact: true }).fill(codes[1]!);
    await change.click();
    // Every session has ended, and the password alone begins none.
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // A browser writes down each refusal of a sign-in.
    expect(complaints.filter((text) => !/40[019]/.test(text))).toEqual([]);
    await close();
  });

  it(
    'leads whom a Team asks for a second factor to where they add one',
    inAll('service/mfa, and an authenticator that is enrolled'),
    async () => {
      const { db } = service.service.services;
      const team = await addTeam(service, 'Strict');
      const { userId } = await addUser(service, 'member', team);
      await db.updateTable('teams').set({ mfa_required: true }).where('id', '=', team).execute();
      const { page, close } = await openConsole(browserOf(), at, `/t/${team}`, { userId });
      await expectGoodLooks(page, { en: 'This Team asks for a second factor', de: 'Dieses Team verlangt einen zweiten Faktor' });
      await page.getByRole('link', { name: 'Add a second factor' }).click();
      await page.getByRole('button', { name: 'Add an authenticator app' }).waitFor();
      await close();
    },
  );

  it('makes, names and removes a passkey, and signs in by it alone', async () => {
    const { userId, email } = await person();
    const { page, close } = await openConsole(browserOf(), at, '/profile/security', { userId });
    const browser = await page.context().newCDPSession(page);
    await browser.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    } as const;
    await browser.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, automaticPresenceSimulation: true } });
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await prove(page);
    await page.getByRole('textbox', { name: 'Name' }).fill(nasty);
    await page.getByRole('button', { name: 'Make the passkey' }).click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.locator('bdi').getByText(nasty, { exact: true }).waitFor();
    await expectGoodLooks(page, { en: 'Left: 10 of 10', de: 'Übrig: 10 von 10' });

    await signOut(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await toSecurity(page);
    await page.getByText('last used').waitFor();
    await signOut(page);
    // It is the second step as well.
    await signIn(page, email);
    await page.getByText('This account has a second factor.').waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await toSecurity(page);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Laptop');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Remove Laptop' }).click();
    await page.getByLabel('Password').fill(password);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The passkey was removed.').waitFor();
    await page.getByText('are left').waitFor({ state: 'detached' });
    expect(await page.title()).not.toBe('1');
    await signOut(page);
    await signIn(page, email);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await close();
  });
});
