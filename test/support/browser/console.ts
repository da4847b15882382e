import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { startBrowserSession } from '#service/sessions/sessions.ts';
import { startTestService, type TestService, type TestServiceOptions } from '#test/support/service/start-service.ts';
import { buildPages } from './built-pages.ts';
import { openPage, type WatchedPage } from './chromium.ts';
import { lookEverywhere, sizes } from './looks.ts';

/** A real service that serves the console as it is now. Close it. */
export async function startConsole(options: TestServiceOptions = {}): Promise<TestService> {
  const { folder } = await buildPages('web');
  // The cookie belongs to one process's session; tests of pairs are elsewhere.
  return await startTestService({ processes: 1, webDir: folder, limits: { signInsPerAddress: 10_000 }, ...options });
}

interface Visit {
  /** Whose session the browser has; the owner's unless another is named, null for nobody. */
  readonly userId?: string | null;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** What to do to the tab before it opens the place. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/**
 * Opens a place of the console (`/t/…/packages`) for somebody who is signed in. Without motion, so that a colour that is looked at
 * is not half of another.
 */
export async function openConsole(
  browser: Browser,
  service: TestService,
  path: string,
  { userId = service.userId, viewport = sizes.desk, prepare }: Visit = {},
): Promise<WatchedPage> {
  return await openPage(browser, service.url + path, { viewport, locale: 'en-GB', reducedMotion: 'reduce' }, async (page) => {
    if (userId !== null) await signIn(page, service, userId);
    await prepare?.(page);
  });
}

/** Gives the browser a session of a user, as a sign-in does, without the password. Returns the session's id. */
export async function signIn(page: Page, { service, url }: TestService, userId: string): Promise<string> {
  const { db, now } = service.services;
  const { token_version: version } = await db
    .selectFrom('users')
    .select('token_version')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const source = { userAgent: 'Tests', address: '127.0.0.1' };
  const { sessionId, secret } = await startBrowserSession(db, {
    userId,
    version,
    source,
    byPasswordAlone: false,
    ssoTeamId: null,
    at: now(),
  });
  await page.context().addCookies([
    {
      name: '__Host-longshore',
      value: `${sessionId}.${secret}`,
      domain: new URL(url).hostname,
      path: '/',
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
    },
  ]);
  return sessionId;
}

/** Words of a view in each language, by which it is known that it is there. */
interface Words {
  readonly en: string;
  readonly de: string;
}

/**
 * Looks at a view of the console, as it stands in English, in both sizes, themes and languages (looks.ts): there is nothing
 * to find fault with. With `LONGSHORE_SHOTS`, a folder, it leaves pictures there.
 */
export async function expectGoodLooks(page: Page, words: Words): Promise<void> {
  const { LONGSHORE_SHOTS: shots } = process.env;
  await page.getByText(words.en).first().waitFor();
  if (shots) await takeShots(page, join(shots, words.en.replaceAll(/\W+/g, '-')));
  expect(await lookEverywhere(page, { translate: () => speak(page, 'de', words.de) })).toEqual([]);
  if (shots) await takeShots(page, join(shots, `${words.en.replaceAll(/\W+/g, '-')}-de`));
  await speak(page, 'en', words.en);
}

/** Changes the language as another tab of the same browser does. */
export async function speak(page: Page, language: 'en' | 'de', words: string): Promise<void> {
  await page.evaluate(`localStorage.setItem('longshore-language', '${language}'); dispatchEvent(new StorageEvent('storage'))`);
  await page.getByText(words).first().waitFor();
}

async function takeShots(page: Page, path: string): Promise<void> {
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${path}-${size}-${colorScheme}.png`, fullPage: true });
    }
  }
}
