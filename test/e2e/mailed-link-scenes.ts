import type { Page } from 'playwright-core';
import { hashMailedToken } from '#service/accounts/mailed-tokens.ts';
import { putNoticeMail } from '#test/support/service/notices.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, putEmailChange } from '#test/support/service/users.ts';

/** A face of the pages that mails lead to. */
export interface AccountScene {
  readonly name: string;
  /** The path with its fragment. */
  readonly open: (t: TestService) => Promise<string>;
  readonly act?: (page: Page) => Promise<void>;
  /** Text that is there when the scene is, in English and in German. */
  readonly shows: { readonly en: string; readonly de: string };
}

export const offline = async (page: Page, path: string): Promise<void> => {
  await page.route(`**${path}`, (route) => route.abort());
};

const emailChange = async (t: TestService, email?: string): Promise<string> =>
  await putEmailChange(t, (await addUser(t, 'member', await addTeam(t, 'A Team'))).userId, email);

const noticeMail = async (t: TestService): Promise<string> => {
  const { id, token } = await putNoticeMail(t);
  return `${id}.${token}`;
};

const confirm = (page: Page): Promise<void> => page.locator('.account-acts button').click();
/** Confirming a new address, and turning off what a package tells. */
export const mailedLinkScenes: readonly AccountScene[] = [
  {
    name: 'email',
    open: async (t) => `/email#${await emailChange(t, 'mia.lindqvist@northlight.example')}`,
    shows: { en: 'mia.lindqvist@northlight.example', de: 'mia.lindqvist@northlight.example' },
  },
  {
    name: 'email-unknown',
    open: async (t) => `/email#${await emailChange(t)}`,
    act: async (page) => {
      await offline(page, '/email_changes/*');
      await page.reload();
    },
    shows: { en: 'the address that the message went to', de: 'mit der Adresse an, an die die Nachricht ging' },
  },
  {
    name: 'email-done',
    open: async (t) => `/email#${await emailChange(t)}`,
    act: confirm,
    shows: { en: 'Your address is confirmed', de: 'Ihre Adresse ist bestätigt' },
  },
  ...(['wrong', 'expired', 'used', 'taken'] as const).map((why): AccountScene => {
    const shows = {
      wrong: { en: 'This confirmation is not valid', de: 'Diese Bestätigung gilt nicht' },
      expired: { en: 'This confirmation has expired', de: 'Diese Bestätigung ist abgelaufen' },
      used: { en: 'This address was confirmed already', de: 'Diese Adresse wurde schon bestätigt' },
      taken: { en: 'Somebody else has this address by now', de: 'Inzwischen hat jemand anderes diese Adresse' },
    }[why];
    return {
      name: `email-${why}`,
      open: async (t) => {
        if (why === 'wrong') return '/email#never-was-one';
        const token = await emailChange(t, why === 'taken' ? (await addUser(t, 'member')).email : undefined);
        const change = { expired: { expires_at: new Date(0) }, used: { state: 'confirmed' }, taken: {} } as const;
        const { db } = t.service.services;
        if (why !== 'taken') {
          await db.updateTable('email_changes').set(change[why]).where('token_hash', '=', hashMailedToken(token)).execute();
        }
        return `/email#${token}`;
      },
      // Only what somebody else has taken meanwhile is known no sooner.
      ...(why === 'taken' && { act: confirm }),
      shows,
    };
  }),
  {
    name: 'email-offline',
    open: async (t) => `/email#${await emailChange(t)}`,
    act: async (page) => {
      await offline(page, '/email_changes/*/confirm');
      await confirm(page);
    },
    shows: { en: 'The service does not answer.', de: 'Der Dienst antwortet nicht.' },
  },
  {
    name: 'unsubscribe',
    open: async (t) => `/unsubscribe#${await noticeMail(t)}`,
    shows: { en: 'No more messages about this package?', de: 'Keine Nachrichten mehr über dieses Paket?' },
  },
  {
    name: 'unsubscribe-done',
    open: async (t) => `/unsubscribe#${await noticeMail(t)}`,
    act: confirm,
    shows: { en: 'You are told no more of this package', de: 'Sie erfahren von diesem Paket nichts mehr' },
  },
  {
    name: 'unsubscribe-undone',
    open: async (t) => `/unsubscribe#${await noticeMail(t)}`,
    act: async (page) => {
      await confirm(page);
      await page.locator('[role=status] button').click();
    },
    shows: { en: 'No more messages about this package?', de: 'Keine Nachrichten mehr über dieses Paket?' },
  },
  {
    name: 'unsubscribe-wrong',
    open: async () => '/unsubscribe#never-was-one',
    shows: { en: 'This address is not valid', de: 'Diese Adresse gilt nicht' },
  },
  {
    name: 'unsubscribe-offline',
    open: async (t) => `/unsubscribe#${await noticeMail(t)}`,
    act: async (page) => {
      await offline(page, '/notices/*/stop*');
      await confirm(page);
    },
    shows: { en: 'The service does not answer.', de: 'Der Dienst antwortet nicht.' },
  },
];
