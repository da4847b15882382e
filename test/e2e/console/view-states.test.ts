import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hostedErrors } from '#protocol/errors/hosted.ts';
import type { Account } from '#protocol/hosted/accounts.ts';
import { traceIdName } from '#protocol/trace-context.ts';
import { newId } from '#service/ids.ts';
import { axeFindings } from '#test/support/browser/axe.ts';
import type { WatchedPage } from '#test/support/browser/chromium.ts';
import { openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { colourRules, sizes, sticksOut } from '#test/support/browser/looks.ts';
import { whole } from '#test/support/level.ts';
import { putPackage } from '#test/support/service/packages.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { ownerEmail, type TestService } from '#test/support/service/start-service.ts';
import { putConnection } from '#test/support/service/transfers.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';
import { views } from '#web/console/app/views.ts';
import { de } from '#web/messages/de/console/shell.ts';
import { en } from '#web/messages/en/console/shell.ts';

/** What somebody reads in a state, in each language. */
type Words = readonly [en: string, de: string];

interface ViewRow {
  /** What teaches the first step where nothing is there yet, or, for a view that is never empty, what stands in it. */
  readonly first: Words;
  /** A view that asks the service for nothing before it is seen. It stands in all states. */
  readonly alone?: true;
  /** What is said instead to whom the service refuses it. */
  readonly refused?: Words;
}

const operatorsOnly: Words = ['Only operators of this service see this', 'Das sehen nur Betreiber dieses Dienstes'];
/** Every view of the console (web/console/app/views.ts). One that is not here fails the first test. */
const rows: Readonly<Record<string, ViewRow>> = {
  '/t/{team_id}': { first: ['Nothing was sent or received yet', 'Noch wurde nichts gesendet oder empfangen'] },
  '/t/{team_id}/send': { first: ['Drop files and folders here', 'Dateien und Ordner hierher ziehen'], alone: true },
  '/t/{team_id}/packages': { first: ['No packages yet', 'Noch keine Pakete'] },
  '/t/{team_id}/packages/{package_id}': { first: ['There is no link yet', 'Noch gibt es keinen Link'] },
  '/t/{team_id}/portals': { first: ['Your Team has no Portal yet', 'Ihr Team hat noch kein Portal'] },
  '/t/{team_id}/portals/{portal_id}': { first: ['Message to senders', 'Nachricht an Absender'] },
  '/t/{team_id}/members': { first: ['You are alone here', 'Sie sind hier allein'] },
  '/t/{team_id}/teamspaces': { first: ['No Teamspace yet', 'Noch kein Teamspace'] },
  '/t/{team_id}/teamspaces/{space_id}': { first: ['Nobody is in it yet', 'Noch ist niemand darin'] },
  '/t/{team_id}/tags': { first: ['No tag yet', 'Noch kein Schlagwort'] },
  '/t/{team_id}/filters': { first: ['No filter yet', 'Noch kein Filter'] },
  '/t/{team_id}/api-keys': { first: ['No API key yet', 'Noch kein API-Schlüssel'] },
  '/t/{team_id}/integrations': { first: ['No storage is connected', 'Noch ist kein Speicher verbunden'] },
  '/t/{team_id}/integrations/setup/{provider}': { first: ['Azure Blob Storage', 'Azure Blob Storage'], alone: true },
  '/t/{team_id}/integrations/connections/{connection_id}': { first: ['Does what a transfer does', 'Tut mit einer kleinen Datei'] },
  '/t/{team_id}/integrations/webhooks/{webhook_id}': { first: ['Nothing was sent yet', 'Noch wurde nichts gesendet'] },
  '/profile': { first: ['Signed in', 'Angemeldet'] },
  '/profile/security': { first: ['Authenticator app', 'Authenticator-App'] },
  '/t/{team_id}/team': { first: ['Name of the Team', 'Name des Teams'] },
  '/t/{team_id}/sso': { first: ['Single sign-on', 'Single Sign-on'] },
  '/t/{team_id}/usage': { first: ['Nothing in this time', 'Nichts in dieser Zeit'] },
  '/t/{team_id}/audit-log': { first: ['Who did what', 'Wer hat was'] },
  '/operator': { first: ['All is well', 'Alles in Ordnung'], refused: operatorsOnly },
  '/operator/{part}': { first: ['No job has failed', 'Kein Auftrag ist fehlgeschlagen'], refused: operatorsOnly },
};
const paths = views.map(({ path }) => path);

/** Of a failure of the service. */
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

/** The service's answer for an error of its catalogue. */
const refuse = (name: 'not_allowed' | 'internal') => (route: Route) => {
  const { code, status } = hostedErrors[name];
  const headers = { [traceIdName]: traceId };
  return route.fulfill({ status, headers, json: { code, message: 'As this test says.' } });
};
const tryAgain: Words = [en.tryAgain, de.tryAgain];
const states: readonly {
  readonly name: string;
  /** How the service answers whatever a view asks it. */
  readonly answer: (route: Route) => unknown;
  readonly says: Words;
  /** What can be done about it. */
  readonly way: Words | null;
}[] = [
  // Answered by nobody, and never given up.
  { name: 'loading', answer: () => undefined, says: [en.loading, de.loading], way: null },
  { name: 'offline', answer: (route) => route.abort(), says: [en.offline.full, de.offline.full], way: tryAgain },
  { name: 'forbidden', answer: refuse('not_allowed'), says: [en.states.forbidden, de.states.forbidden], way: null },
  { name: 'failed', answer: refuse('internal'), says: [en.states.failed, de.states.failed], way: tryAgain },
];
const forbidden = states[2]!;

/** Addresses that a state does not answer for: who is signed in is known by then, and what waits for news says nothing. */
const isBeside = (url: string): boolean => /\/v1\/(users\/me|teams\/[^/]+\/packages\/wait)(\?|$)/.test(url);

/** Shows another place of the console, as a link of it does. */
const goTo = (page: Page, address: string): Promise<unknown> =>
  page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, address);

/** Speaks a language from here on, as another tab of the same browser makes it. */
const speak = (page: Page, language: 'en' | 'de'): Promise<unknown> =>
  page.evaluate(`localStorage.setItem('longshore-language', '${language}'); dispatchEvent(new StorageEvent('storage'))`);

/** What is written in a box that is too small for it, and is cut off there. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('h1, h2, h3, p, label, legend, button, .button, .tab, .pill, dt, dd, th')].flatMap((one) => {
      const { overflowX, textOverflow } = getComputedStyle(one);
      const isCut = one.scrollWidth > one.clientWidth + 1 && overflowX !== 'visible' && overflowX !== 'auto' && textOverflow !== 'ellipsis';
      return isCut && !one.classList.contains('visually-hidden') ? [`cut off: ${one.textContent}`] : [];
    }),
  );

describeInBrowser('every view of the console, in each of its states', (browserOf) => {
  let service: TestService;
  /** Of two Teams of the owner: in one there is nothing, in the other one thing of each kind with nothing in it. */
  let empty: string;
  let ids: Readonly<Record<string, string>>;
  beforeAll(async () => {
    service = await startConsole({ operators: [ownerEmail] });
    const { call, teamId, userId, userToken } = service;
    const { db, now } = service.service.services;
    empty = await addTeam(service, 'Nothing yet');
    await db.insertInto('memberships').values({ id: newId(), team_id: empty, user_id: userId, role: 'owner', created_at: now() }).execute();
    const made = async (path: string, body: unknown): Promise<string> =>
      (await call<{ id: string }>('POST', path, { headers: { 'x-user-token': userToken }, body })).body.id;
    ids = {
      team_id: teamId,
      package_id: await putPackage(service),
      portal_id: (await newPortal(service)).id,
      space_id: await made(`/v1/teams/${teamId}/spaces`, { name: 'Northlight' }),
      webhook_id: await made(`/v1/teams/${teamId}/custom_webhooks`, {
        url: 'https://example.com/hook',
        events: ['package.finalized'],
        method: 'POST',
        active: true,
        scope: 'portals',
      }),
      connection_id: await putConnection(service),
      provider: 'azure',
      part: 'failed',
    };
  });
  afterAll(async () => {
    await service?.close();
  });

  const addressOf = (path: string): string => {
    const isOfOne = /\{(?!team_id|provider)/.test(path);
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'team_id' && !isOfOne ? empty : ids[name]!));
  };
  const open = async (userId?: string): Promise<WatchedPage> => {
    // No view is there, so that none has its data yet.
    const watched = await openConsole(browserOf(), service, '/profile/none', { userId: userId ?? service.userId });
    await watched.page.getByRole('navigation', { name: 'Parts of the console' }).waitFor();
    return watched;
  };

  /**
   * Walks through all views, at a desk in English and then on a phone in German and in the dark; each time `look` finds nothing wrong.
   * In a run of the first level only as `chosen` says, usually each in one of the two.
   */
  const walk = async (
    page: Page,
    look: (path: string, language: 0 | 1) => Promise<readonly string[]>,
    chosen: (index: number, language: 0 | 1) => boolean = (index, language) => index % 2 === language,
  ): Promise<void> => {
    const findings: string[] = [];
    for (const language of [0, 1] as const) {
      await page.setViewportSize(language === 0 ? sizes.desk : sizes.phone);
      await page.emulateMedia({ colorScheme: language === 0 ? 'light' : 'dark', reducedMotion: 'reduce' });
      await speak(page, language === 0 ? 'en' : 'de');
      for (const [index, path] of paths.entries()) {
        if (!whole && !chosen(index, language)) continue;
        await goTo(page, addressOf(path));
        const found = [...(await look(path, language)), ...(await sticksOut(page)), ...(await cutOff(page))];
        findings.push(...found.map((one) => `${path} (${language === 0 ? 'desk' : 'phone'}): ${one}`));
      }
    }
    expect(findings).toEqual([]);
  };
  /** Waits for words in the view; a line where they do not come. */
  const says = async (page: Page, words: string): Promise<readonly string[]> => {
    const there = page.locator('#content').getByText(words).first();
    const came = await there.waitFor({ timeout: 30_000 }).then(
      () => true,
      () => false,
    );
    return came ? [] : [`it does not say “${words}”, but: ${(await page.locator('#content').innerText()).slice(0, 300)}`];
  };

  it('is in the table of this test', () => {
    expect(Object.keys(rows)).toEqual(paths);
  });

  it('teaches the first step where there is nothing yet', async () => {
    const { page, complaints, close } = await open();
    // In a run of the first level the half of them that does not fail below.
    await walk(
      page,
      (path, language) => says(page, rows[path]!.first[language]),
      (index, language) => index % 4 === 1 + 2 * language,
    );
    expect(complaints).toEqual([]);
    await close();
  });

  // Half of the views fail; of the other states each has a few of them, by turns at a desk and on a phone.
  it.each(states.map((state, turn) => ({ ...state, turn })))('says so: $name', async ({ name, answer, says: words, way, turn }) => {
    const { page, close } = await open();
    // What is tried again after a pause is so at once.
    await page.evaluate(() => {
      const later = window.setTimeout;
      Object.assign(window, {
        setTimeout: (what: TimerHandler, after = 0, ...rest: unknown[]) =>
          later(what, after >= 1_000 && after < 5_000 ? 0 : after, ...rest),
      });
    });
    let asked = 0;
    await page.route('**/v1*/**', async (route) => {
      if (isBeside(route.request().url())) return;
      asked += 1;
      await answer(route);
    });
    await walk(
      page,
      async (path, language) => {
        const { first, alone, refused } = rows[path]!;
        if (alone) return await says(page, first[language]);
        const found = [...(await says(page, ((name === 'forbidden' && refused) || words)[language]))];
        if (way) found.push(...(await says(page, way[language])));
        if (name === 'failed') found.push(...(await says(page, traceId)));
        return found;
      },
      (index, language) => (name === 'failed' ? index % 4 === 2 * language : index % 8 === turn + 4 * language),
    );
    // A view that loads says so before its call is on its way.
    await expect.poll(() => asked).toBeGreaterThan(paths.length / (whole ? 2 : 8));
    // Once more with axe: by all its rules where the walk has ended, by those of colours in the other theme.
    await goTo(page, addressOf('/t/{team_id}/packages'));
    expect(await says(page, words[1])).toEqual([]);
    // The console says that it loads, too, until a view that was not seen yet has its own script.
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    const findings = await axeFindings(page);
    await page.emulateMedia({ colorScheme: 'light' });
    if (whole) findings.push(...(await axeFindings(page, colourRules)));
    expect(findings).toEqual([]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    if (way) {
      await page.getByRole('button', { name: way[1] }).click();
      await page.getByText(rows['/t/{team_id}/packages']!.first[1]).waitFor();
    }
    await close();
  });

  it('is refused to a role that may not see it, without asking the service', async () => {
    const guest = await addUser(service, 'guest');
    const { db, now } = service.service.services;
    await db
      .insertInto('memberships')
      .values({ id: newId(), team_id: empty, user_id: guest.userId, role: 'guest', created_at: now() })
      .execute();
    const { page, complaints, close } = await open(guest.userId);
    const { teams } = (await service.call<Account>('GET', '/v1/users/me', { headers: { 'x-user-token': guest.token } })).body;
    const may = (permission: string | null): boolean => permission === null || teams[0]!.permissions.includes(permission);
    const refused = views.filter(({ permission }) => !may(permission)).map(({ path }) => path);
    expect(refused.length).toBeGreaterThan(10);
    await walk(page, async (path, language) => (refused.includes(path) ? await says(page, forbidden.says[language]) : []));
    // Nothing was asked that the role may not: a refusal would stand here.
    expect(complaints).toEqual([]);
    await close();
  });
});
