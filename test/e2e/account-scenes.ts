import type { Page } from 'playwright-core';
import { setTeamState } from '#service/accounts/team-state.ts';
import { hashRecoveryCode } from '#service/mfa/recovery-codes.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { accept, addTeam, addUser, invitationToken, passwordResetToken } from '#test/support/service/users.ts';
import { type AccountScene, mailedLinkScenes, offline } from './mailed-link-scenes.ts';

const chosen = { name: 'Jonas Weber', password: 'chosen by himself' };

/** A Team that invites somebody: an address without a user, or with one that signs in by `chosen`. */
export async function invited(t: TestService, known = false): Promise<{ id: string; team: string; email: string; token: string }> {
  const team = await addTeam(t, 'Northlight Pictures');
  const owner = await addUser(t, 'owner', team);
  const { db } = t.service.services;
  await db.updateTable('users').set({ name: 'Mia Sandberg' }).where('id', '=', owner.userId).execute();
  const email = known ? (await addUser(t, 'member', await addTeam(t, 'Before'))).email : `jonas-${team.slice(-6)}@example.com`;
  if (known) await choosePassword(t, email);
  const answer = await t.call<{ id: string }>('POST', `/v1/teams/${team}/members`, {
    headers: { 'x-user-token': owner.token },
    body: { email, role: 'integration_manager' },
  });
  return { id: answer.body.id, team, email, token: await invitationToken(t, answer.body.id) };
}

async function choosePassword(t: TestService, email: string): Promise<void> {
  const token = await passwordResetToken(t, email);
  await t.call('POST', `/v1/auth/password_reset/${token}`, { body: { password: chosen.password } });
}

const recoveryCode = 'abcd-efgh-jkmn-pqrs';
/** Of somebody with an account that has a second factor. */
async function withSecondFactor(t: TestService): Promise<string> {
  const { token, email } = await invited(t, true);
  const { db } = t.service.services;
  const { id } = await db
    .updateTable('users')
    .set({ mfa_since: new Date() })
    .where('email', '=', email)
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('recovery_codes')
    .values({ user_id: id, code_hash: hashRecoveryCode(recoveryCode) })
    .execute();
  return `/invitation#${token}`;
}

const invitation = async (t: TestService, known = false): Promise<string> => `/invitation#${(await invited(t, known)).token}`;

async function reset(t: TestService): Promise<{ readonly token: string; readonly userId: string }> {
  const { email, userId } = await addUser(t, 'member', await addTeam(t, 'A Team'));
  return { token: await passwordResetToken(t, email), userId };
}

const submit = (page: Page): Promise<void> => page.locator('button[type=submit]').click();
const fillNew = async (page: Page, password = chosen.password): Promise<void> => {
  await page.locator('input[name=name]').fill(chosen.name);
  await page.locator('input[name=password]').fill(password);
};
const signIn = async (page: Page, password = chosen.password): Promise<void> => {
  await page.locator('input[type=radio]').nth(1).check();
  await page.locator('input[name=password]').fill(password);
  await submit(page);
};
/** What the service would answer, where it takes more than one person to get there. */
const answering = async (page: Page, path: string, status: number, code: number): Promise<void> => {
  await page.route(`**${path}`, (route) => route.fulfill({ status, json: { code, message: 'As the service says it.' } }));
};
/** Every face of the pages that mails lead to: where it is, and what to do to get there. */
export const accountScenes: readonly AccountScene[] = [
  { name: 'invitation', open: invitation, shows: { en: 'Join Northlight Pictures', de: 'Northlight Pictures beitreten' } },
  {
    name: 'invitation-problems',
    open: invitation,
    act: async (page) => {
      await page.locator('input[name=password]').fill('short');
      await submit(page);
    },
    shows: { en: 'Say what you are called.', de: 'Geben Sie an, wie Sie heißen.' },
  },
  {
    name: 'invitation-joined',
    open: invitation,
    act: async (page) => {
      await fillNew(page);
      await submit(page);
    },
    shows: { en: 'You are in Northlight Pictures', de: 'Sie sind in Northlight Pictures' },
  },
  {
    name: 'invitation-has-account',
    open: (t) => invitation(t, true),
    act: async (page) => {
      await fillNew(page, 'another password');
      await submit(page);
    },
    shows: { en: 'This address has an account already.', de: 'Zu dieser Adresse gibt es schon ein Konto.' },
  },
  {
    name: 'invitation-signed-in',
    open: (t) => invitation(t, true),
    act: (page) => signIn(page),
    shows: { en: 'You are in Northlight Pictures', de: 'Sie sind in Northlight Pictures' },
  },
  {
    name: 'invitation-wrong-password',
    open: (t) => invitation(t, true),
    act: (page) => signIn(page, 'not his password'),
    shows: { en: 'This password is wrong.', de: 'Dieses Passwort ist falsch.' },
  },
  {
    name: 'invitation-second-factor',
    open: withSecondFactor,
    act: (page) => signIn(page),
    shows: { en: 'Of your authenticator app, or a recovery code', de: 'Aus Ihrer Authenticator-App, oder ein Wiederherstellungscode' },
  },
  {
    name: 'invitation-joined-by-code',
    open: withSecondFactor,
    act: async (page) => {
      await signIn(page);
      await page.locator('input[name=code]').fill('aaaa-aaaa-aaaa-aaaa');
      await submit(page);
      await page
        .getByText(/was used already|schon benutzt/)
        .first()
        .waitFor();
      await page.locator('input[name=code]').fill(recoveryCode.toUpperCase());
      await submit(page);
    },
    shows: { en: 'You are in Northlight Pictures', de: 'Sie sind in Northlight Pictures' },
  },
  {
    name: 'invitation-another',
    open: (t) => invitation(t, true),
    act: async (page) => {
      await answering(page, '/accept', 403, 131078);
      await signIn(page);
    },
    shows: { en: 'This invitation is for another address', de: 'Diese Einladung gilt einer anderen Adresse' },
  },
  {
    name: 'invitation-given-password',
    open: async (t) => {
      const { token, email } = await invited(t, true);
      await t.service.services.db.updateTable('users').set({ password_given: true }).where('email', '=', email).execute();
      return `/invitation#${token}`;
    },
    act: (page) => signIn(page),
    shows: { en: 'Choose a password of your own first', de: 'Wählen Sie zuerst ein eigenes Passwort' },
  },
  {
    name: 'invitation-wrong',
    open: async () => '/invitation#never-was-one',
    shows: { en: 'This invitation is not valid', de: 'Diese Einladung gilt nicht' },
  },
  {
    name: 'invitation-cut',
    open: async () => '/invitation',
    shows: { en: 'This invitation is not valid', de: 'Diese Einladung gilt nicht' },
  },
  {
    name: 'invitation-expired',
    open: async (t) => {
      const { id, token } = await invited(t);
      const { db } = t.service.services;
      await db
        .updateTable('invitations')
        .set({ expires_at: new Date(0) })
        .where('id', '=', id)
        .execute();
      return `/invitation#${token}`;
    },
    shows: { en: 'This invitation has expired', de: 'Diese Einladung ist abgelaufen' },
  },
  {
    name: 'invitation-used',
    open: async (t) => {
      const { id, token } = await invited(t);
      await accept(t, id, chosen);
      return `/invitation#${token}`;
    },
    shows: { en: 'This invitation was accepted already', de: 'Diese Einladung wurde schon angenommen' },
  },
  {
    name: 'invitation-inactive',
    open: async (t) => {
      const { team, token } = await invited(t);
      await setTeamState(t.service.services, team, 'inactive');
      return `/invitation#${token}`;
    },
    shows: { en: 'This Team is inactive', de: 'Dieses Team ist gesperrt' },
  },
  {
    name: 'invitation-offline',
    open: invitation,
    act: async (page) => {
      await offline(page, '/accept');
      await fillNew(page);
      await submit(page);
    },
    shows: { en: 'The service does not answer.', de: 'Der Dienst antwortet nicht.' },
  },
  { name: 'forgotten', open: async () => '/password', shows: { en: 'Forgot your password?', de: 'Passwort vergessen?' } },
  {
    name: 'forgotten-asked',
    open: async () => '/password',
    act: async (page) => {
      await page.locator('input[name=email]').fill('jonas@example.com');
      await submit(page);
    },
    shows: { en: 'Look into your mail', de: 'Sehen Sie in Ihre E-Mails' },
  },
  {
    name: 'forgotten-too-often',
    open: async () => '/password',
    act: async (page) => {
      await answering(page, '/password_reset', 429, 393217);
      await page.locator('input[name=email]').fill('jonas@example.com');
      await submit(page);
    },
    shows: { en: 'Too many tries.', de: 'Zu viele Versuche.' },
  },
  {
    name: 'password',
    open: async (t) => `/password#${(await reset(t)).token}`,
    shows: { en: 'Choose a new password', de: 'Neues Passwort wählen' },
  },
  {
    name: 'password-short',
    open: async (t) => `/password#${(await reset(t)).token}`,
    act: async (page) => {
      await page.locator('input[name=password]').fill('short');
      await submit(page);
    },
    shows: { en: 'A password has at least 8 characters.', de: 'Ein Passwort hat mindestens 8 Zeichen.' },
  },
  {
    name: 'password-done',
    open: async (t) => `/password#${(await reset(t)).token}`,
    act: async (page) => {
      await page.locator('input[name=password]').fill(chosen.password);
      await page.locator('input[type=checkbox]').check();
      await submit(page);
    },
    shows: { en: 'Your password is changed', de: 'Ihr Passwort ist geändert' },
  },
  ...(['wrong', 'expired', 'used'] as const).map((why): AccountScene => {
    const shows = {
      wrong: { en: 'This link to a new password is not valid', de: 'Dieser Link für ein neues Passwort gilt nicht' },
      expired: { en: 'This link to a new password has expired', de: 'Dieser Link für ein neues Passwort ist abgelaufen' },
      used: { en: 'This link to a new password was used already', de: 'Dieser Link für ein neues Passwort wurde schon benutzt' },
    }[why];
    return {
      name: `password-${why}`,
      open: async (t) => {
        const { token, userId } = await reset(t);
        const { db } = t.service.services;
        const change = { wrong: {}, expired: { expires_at: new Date(0) }, used: { used_at: new Date() } }[why];
        if (why !== 'wrong') await db.updateTable('password_resets').set(change).where('user_id', '=', userId).execute();
        return `/password#${why === 'wrong' ? 'never-was-one' : token}`;
      },
      act: async (page) => {
        await page.locator('input[name=password]').fill(chosen.password);
        await submit(page);
      },
      shows,
    };
  }),
  ...mailedLinkScenes,
  {
    name: 'password-offline',
    open: async (t) => `/password#${(await reset(t)).token}`,
    act: async (page) => {
      await offline(page, '/password_reset/*');
      await page.locator('input[name=password]').fill(chosen.password);
      await submit(page);
    },
    shows: { en: 'The service does not answer.', de: 'Der Dienst antwortet nicht.' },
  },
];
