import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it, type MockInstance, onTestFinished, vi } from 'vitest';
import { newId } from '#service/ids.ts';
import type { TeamSubscription } from '#service/realtime/team-hub.ts';
import { openPage } from '#test/support/browser/chromium.ts';
import { openConsole, signIn, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { inAll } from '#test/support/level.ts';
import { linkedPackage } from '#test/support/service/download-link.ts';
import { askForm, askResponse, formField, newPortal, portalSender } from '#test/support/service/portals.ts';
import { openLink } from '#test/support/service/sender.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { putConnection, putTransfer } from '#test/support/service/transfers.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

/** Two browsers at once: one acts, and the other one's view changes, though nobody comes back to it and it asks by no clock. */

/** Hides the tab, and holds up the stream that is asked for when it comes back into sight. */
const hiddenAndBack = `(() => {
  const real = fetch;
  const asked = [];
  const { promise: passes, resolve: letStreamPass } = Promise.withResolvers();
  const show = (state) => {
    Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  };
  const counted = async (url, ...rest) => {
    asked.push(String(url));
    if (String(url).includes('/events')) await passes;
    return await real(url, ...rest);
  };
  const comeBack = async () => {
    show('visible');
    // What the return itself asks for is asked for at once; the stream, after a turn.
    do await new Promise(requestAnimationFrame);
    while (asked.length === 0);
    return [...asked];
  };
  Object.assign(globalThis, { fetch: counted, asked, letStreamPass, comeBack });
  show('hidden');
})()`;

/** Has no clock of some seconds ever strike, from the page's first line on, and keeps which of them stand. */
const stopSlowClocks = (page: Page) =>
  page.addInitScript(() => {
    const real = { setInterval: globalThis.setInterval as (work: () => void, milliseconds?: number) => number, clearInterval };
    const slowClocks = new Set<number>();
    let made = 0;
    Object.assign(globalThis, {
      slowClocks,
      setInterval(work: () => void, milliseconds = 0): number {
        if (milliseconds < 5_000) return real.setInterval(work, milliseconds);
        made -= 1;
        slowClocks.add(made);
        return made;
      },
      clearInterval(clock?: number): void {
        if (!slowClocks.delete(clock!)) real.clearInterval(clock);
      },
    });
  });

describeInBrowser('the console, live', (browserOf) => {
  let service: TestService;
  let listening: MockInstance;
  beforeAll(async () => {
    service = await startConsole();
    listening = vi.spyOn(service.service.services.events, 'subscribeTeam');
  });
  afterAll(async () => {
    listening?.mockRestore();
    await service?.close();
  });

  /** A Team's next stream after so many, and from where it was to go on. */
  async function streamAfter(before: number, teamId = service.teamId): Promise<{ stream: TeamSubscription; since: string | undefined }> {
    const { calls, results } = listening.mock;
    const next = () => calls.findLastIndex(([of], index) => of === teamId && index >= before);
    await expect.poll(next).toBeGreaterThanOrEqual(0);
    const index = next();
    return { stream: await results[index]!.value, since: calls[index]![1] };
  }

  /** Opens a view in a tab whose clocks stand still, and resolves once the service tells it of changes: it hears of them by that alone. */
  async function openUnpolled(place: string, words: string) {
    let before = listening.mock.calls.length;
    const opened = await openConsole(browserOf(), service, `/t/${service.teamId}${place}`, { prepare: stopSlowClocks });
    // One that began while somebody else wrote for long does not say from where another would go on.
    while ((await (await streamAfter(before)).stream.position()) === null) {
      before = listening.mock.calls.length;
      await opened.page.reload();
    }
    await opened.page.locator('main').getByText(words).first().waitFor();
    return opened;
  }

  /** Holds once the page has no clock left by which it would ask, as it has until it has heard from its stream. */
  const asksByNoClock = async (page: Page) => await expect.poll(() => page.evaluate('slowClocks.size')).toBe(0);

  it('shows what becomes of packages', async () => {
    await linkedPackage(service, { 'a.mov': 'a' }, { package: { name: 'There already' } });
    const [list, home] = [await openUnpolled('/packages', 'There already'), await openUnpolled('', 'This week')];
    const week = home.page.locator('.home-legend');
    const before = await week.innerText();
    const linked = await linkedPackage(
      service,
      { 'a.mov': 'a' },
      { package: { name: 'From elsewhere' }, link: { email: 'post@example.com' } },
    );
    const { id } = linked.sender.package;
    await list.page.getByRole('link', { name: 'From elsewhere' }).waitFor();
    await expect.poll(() => week.innerText()).not.toBe(before);
    await home.close();

    // Its page: a mail that fails, a download, a transfer and its progress, a hold, the end of a link.
    const one = await openUnpolled(`/packages/${id}`, 'post@example.com');
    await list.page.getByRole('link', { name: 'From elsewhere' }).click();
    for (const { page } of [one, list]) await page.getByText(/^Active/).waitFor();
    const { db } = service.service.services;
    const link = linked.link.id;
    await list.page.getByRole('button', { name: 'Links' }).first().click();
    await list.page.getByRole('menuitem', { name: 'Mail again' }).click();
    await expect.poll(() => db.selectFrom('messages').select('id').where('link_id', '=', link).execute()).toHaveLength(1);
    const refused = { state: 'refused', last_error: 'RCPT TO: 550 5.1.1 No such user' } as const;
    await expect
      .poll(
        async () =>
          (await db.updateTable('messages').set(refused).where('link_id', '=', link).where('state', '<>', 'waiting').execute()).at(0)
            ?.numUpdatedRows,
      )
      .toBe(1n);
    for (const { page } of [one, list]) {
      await page.getByText('there is no mailbox post@example.com').waitFor();
      await page.getByText('“550 5.1.1 No such user”').waitFor();
      await page.getByRole('button', { name: 'Mail again' }).waitFor();
    }
    const opened = await openLink(service, linked.link);
    await service.call('GET', `/v1/packages/${id}/files/${linked.files.get('a.mov')!.id}/download`, {
      headers: { 'x-package-token': opened.body.package_token, 'user-agent': 'longshore/0.1.0' },
    });
    await one.page.getByText('longshore 0.1.0, from 127.0.0.1').waitFor();
    const transfer = await putTransfer(service, { package_id: id, state: 'started', total_bytes: 2_000_000 });
    await one.page.getByText('2 MB').first().waitFor();
    await db.updateTable('cloud_transfers').set({ bytes: 1_500_000 }).where('id', '=', transfer).execute();
    await one.page.getByText('1.5 MB').waitFor();
    const headers = { 'x-api-key': service.apiKey };
    await service.call('PUT', `/v1/teams/${service.teamId}/packages/${id}/hold`, { headers, body: { reason: 'Dispute 117' } });
    await one.page.getByText('Dispute 117').waitFor();
    await list.page.getByRole('button', { name: 'Links' }).first().click();
    await list.page.getByRole('menuitem', { name: 'End it' }).click();
    await list.page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
    await one.page.getByText(/^Active/).waitFor({ state: 'detached' });
    expect([...one.complaints, ...list.complaints]).toEqual([]);
    for (const { page } of [one, list]) await asksByNoClock(page);
    await one.close();
    await list.close();
  });

  it('asks once at a first visit, and misses nothing that changes before its stream stands', async () => {
    const headers = { 'x-api-key': service.apiKey };
    const team = `/v1/teams/${service.teamId}`;
    const rename = (name: string) => service.call('PUT', team, { headers, body: { name } });
    await rename('Harbour at first');
    const asked: string[] = [];
    const count = (path: string) => asked.filter((one) => one === path).length;
    const note = (request: Request) => asked.push(new URL(request.url()).pathname);
    const isStream = (url: URL) => url.pathname === `${team}/events`;
    const { promise: passes, resolve: letStreamPass } = Promise.withResolvers<void>();
    const { page, complaints, close } = await openPage(
      browserOf(),
      `${service.url}/t/${service.teamId}/audit-log`,
      { viewport: { width: 1_200, height: 800 } },
      async (opened) => {
        await signIn(opened, service, service.userId);
        opened.on('request', note);
        await opened.route(isStream, async (route) => {
          await passes;
          await route.continue();
        });
      },
    );
    onTestFinished(() => void page.off('request', note));
    const log = page.getByRole('list', { name: 'Audit log' });
    await log.getByText('Harbour at first').first().waitFor();
    await expect.poll(() => count(`${team}/events`)).toBe(1);
    // Nobody is told of this whose stream does not stand yet.
    await rename('Before the stream');
    letStreamPass();
    await log.getByText('Before the stream').first().waitFor();
    await page.unroute(isStream);

    // Where nothing changed before, only what changes later is asked for again. While somebody else writes that may not be known.
    let continues: boolean;
    do {
      // What the view before still asks for is not counted.
      await page.goto('about:blank');
      asked.length = 0;
      const before = listening.mock.calls.length;
      await page.goto(`${service.url}/t/${service.teamId}/tags`);
      ({ continues } = (await streamAfter(before)).stream);
    } while (!continues);
    await service.call('POST', `${team}/tags`, { headers, body: { name: 'Told of' } });
    await page.getByText('Told of').first().waitFor();
    expect([count('/v1/users/me'), count(`${team}/tags`)]).toEqual([1, 2]);

    // The stream of a tab that comes back into sight goes on: what did not change meanwhile is not asked for.
    const members = page.getByRole('list', { name: 'Members' });
    await page.getByRole('link', { name: 'Members' }).click();
    await members.getByText('owner@example.com').first().waitFor();
    const streams = listening.mock.calls.length;
    asked.length = 0;
    await page.evaluate(hiddenAndBack);
    await page.evaluate('comeBack()');
    await page.evaluate('letStreamPass()');
    await streamAfter(streams);
    const { email } = await addUser(service, 'guest');
    await members.getByText(email).first().waitFor();
    expect(count(`/v1.1/teams/${service.teamId}/members`)).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it(
    'asks once when another Team is chosen, and on the way back only what changed',
    inAll('a first visit; unit/web/console/stale-after'),
    async () => {
      const { userId } = await addUser(service, 'member');
      const { db, now } = service.service.services;
      const other = await addTeam(service, 'Northlight Pictures');
      await db
        .insertInto('memberships')
        .values({ id: other, team_id: other, user_id: userId, role: 'member', created_at: now() })
        .execute();
      const at = { created_at: now(), updated_at: now() };
      const addTag = (team_id: string, name: string) =>
        db
          .insertInto('tags')
          .values({ id: newId(), team_id, name, ...at })
          .execute();
      await addTag(service.teamId, 'First of Harbour');
      await addTag(other, 'First of Northlight');
      const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/tags`, { userId });
      await page.getByText('First of Harbour').waitFor();
      const asked: string[] = [];
      const note = (request: Request) => asked.push(new URL(request.url()).pathname);
      page.on('request', note);
      onTestFinished(() => void page.off('request', note));
      const { events } = service.service.services;
      const positions = vi.spyOn(events, 'watchTeam');
      onTestFinished(() => positions.mockRestore());
      /** Resolves once the stream of the chosen Team stands, and says how often its tags were asked for once one more is shown. */
      const choose = async (teamId: string, shown: string) => {
        const { name } = await db.selectFrom('teams').select('name').where('id', '=', teamId).executeTakeFirstOrThrow();
        const before = listening.mock.calls.length;
        asked.length = 0;
        await page.getByRole('button', { name: /^Choose a Team/ }).click();
        await page.getByRole('menuitemradio', { name }).click();
        await page.getByText(shown).waitFor();
        const { stream, since } = await streamAfter(before, teamId);
        // The console gives up on a position that takes longer than a person waits for a Team.
        const certain = stream.continues && since === (await positions.mock.results.at(-1)?.value);
        const more = `Seen in ${name} ${newId()}`;
        await addTag(teamId, more);
        await page.getByText(more).waitFor();
        return { certain, times: asked.filter((path) => path === `/v1/teams/${teamId}/tags`).length };
      };
      // While somebody else writes there may be no position, and all is asked for twice.
      const there = await choose(other, 'First of Northlight');
      const back = await choose(service.teamId, 'First of Harbour');
      for (const { certain, times } of [there, back]) {
        if (certain) expect(times).toBe(2);
        else expect(times).toBeLessThanOrEqual(3);
      }
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it('shows what somebody may do now, that what they look at was deleted, and that they are out of the Team', async () => {
    const { userId } = await addUser(service, 'admin');
    const { db } = service.service.services;
    const setRole = (role: 'guest' | 'integration_manager') =>
      db.updateTable('memberships').set({ role }).where('user_id', '=', userId).execute();
    const { id: portal } = await newPortal(service, { name: 'Soon deleted' });
    const kept = `Of the owner ${newId()}`;
    await linkedPackage(service, { 'a.mov': 'a' }, { package: { name: kept } });
    const before = listening.mock.calls.length;
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/packages`, { userId });
    await streamAfter(before);
    await page.getByText(kept).first().waitFor();
    // They see less of the packages, and less beside them.
    await setRole('integration_manager');
    await page.getByText(kept).first().waitFor({ state: 'detached' });
    const nav = page.getByRole('navigation').first();
    await nav.getByRole('link', { name: 'Audit log' }).waitFor({ state: 'detached' });
    await nav.getByRole('link', { name: 'Portals' }).click();
    await page.getByRole('link', { name: 'Soon deleted' }).click();
    await page.getByRole('heading', { name: 'Soon deleted', level: 1 }).first().waitFor();
    await service.call('DELETE', `/v1/portals/${portal}`, { headers: { 'x-api-key': service.apiKey } });
    await page.getByText('This is not here').waitFor();
    await setRole('guest');
    await nav.getByRole('link', { name: 'Portals' }).waitFor({ state: 'detached' });
    await page.getByText('You may not see this').waitFor();
    await db.deleteFrom('memberships').where('user_id', '=', userId).execute();
    await page.getByText('You are in no Team').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows that the Team was made inactive, and all of it once it is active again', async () => {
    const before = listening.mock.calls.length;
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${service.teamId}/members`);
    await streamAfter(before);
    const main = page.locator('main');
    await main.getByText('owner@example.com').first().waitFor();
    const { db } = service.service.services;
    const setState = (state: 'active' | 'inactive') => db.updateTable('teams').set({ state }).where('id', '=', service.teamId).execute();
    await setState('inactive');
    await main.getByText('This Team is inactive. Ask its owner.').waitFor();
    await setState('active');
    await main.getByText('owner@example.com').first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it(
    'shows who comes, new Portals, and what becomes of connections',
    inAll('packages and settings that change by the same stream; unit/web/console/stale-after for the rest'),
    async () => {
      const connection = await putConnection(service, { name: 'Archive in Oslo' });
      const members = await openUnpolled('/members', 'owner@example.com');
      const { email } = await addUser(service, 'guest');
      await members.page.getByText(email).waitFor();
      await members.close();
      const portals = await openUnpolled('/portals', 'Portal');
      const { id: portal } = await newPortal(service, { name: 'Dailies from Bergen' });
      await portals.page.getByText('Dailies from Bergen').waitFor();
      // Answers to its form come with its packages.
      await askForm(service, portal, { fields: [formField('roll', { label: 'Roll' })] });
      await portals.page.getByRole('link', { name: 'Dailies from Bergen' }).click();
      await portals.page.getByRole('link', { name: 'Answers' }).click();
      await portals.page.getByText('Nobody has answered yet').waitFor();
      const { body: answers } = await askResponse(service, portal, { roll: { value: 'A001' } });
      await portalSender(service, portal, { form_data_id: answers.id });
      await portals.page.getByRole('cell', { name: 'A001' }).waitFor();
      await portals.close();
      const { db } = service.service.services;
      const connections = await openUnpolled('/integrations', 'Archive in Oslo');
      await db
        .updateTable('cloud_connections')
        .set({ state: 'error', state_message: 'The key is refused.' })
        .where('id', '=', connection)
        .execute();
      await connections.page.getByText('Does not work', { exact: true }).waitFor();
      expect(connections.complaints).toEqual([]);
      await asksByNoClock(connections.page);
      await connections.close();
    },
  );

  it(
    'shows what others set, the keys they make and what is written of it, and asks once when somebody comes back',
    inAll('packages that change by the same stream; unit/web/console/stale-after'),
    async () => {
      const headers = { 'x-api-key': service.apiKey };
      const team = `/v1/teams/${service.teamId}`;
      const { page, complaints, close } = await openUnpolled('/team', 'Policies');
      const imprint = page.getByLabel('Address of your imprint');
      await service.call('PUT', team, { headers, body: { name: 'Harbour & Sons', imprint_url: 'https://example.com/imprint' } });
      await expect.poll(() => imprint.inputValue()).toBe('https://example.com/imprint');
      // Around the view, too.
      await page.getByText('Harbour & Sons').first().waitFor();
      // What is being filled in stays.
      await page.getByLabel('Address of your privacy policy').fill('https://example.com/mine');
      await service.call('PUT', team, { headers, body: { imprint_url: '' } });
      await page.getByRole('link', { name: 'API keys' }).click();
      const keys = page.getByRole('list', { name: 'API keys' });
      await keys.waitFor();
      const byOwner = { 'x-user-token': service.userToken };
      await service.call('POST', `${team}/api_keys`, { headers: byOwner, body: { name: 'Render farm', state: 'active' } });
      await keys.getByText('Render farm').waitFor();
      await page.getByRole('link', { name: 'Audit log' }).click();
      const log = page.getByRole('list', { name: 'Audit log' });
      await log.getByText('Render farm').waitFor();
      const entries = () => log.getByRole('button', { name: /Harbour/ }).count();
      const before = await entries();
      await service.call('PUT', team, { headers, body: { name: 'Harbour Films' } });
      await expect.poll(entries).toBeGreaterThan(before);

      await page.evaluate(hiddenAndBack);
      await service.call('PUT', team, { headers, body: { name: 'While away' } });
      // The stream goes on from where it ended, and what it tells first is asked for.
      const [stream, ...others] = (await page.evaluate('comeBack()')) as readonly string[];
      expect(stream).toMatch(`${service.url}${team}/events?since=${service.teamId}.`);
      expect(others).toEqual([]);
      await page.evaluate('letStreamPass()');
      await log.getByText('While away').first().waitFor();
      await service.call('PUT', team, { headers, body: { name: 'Back again' } });
      await log.getByText('Back again').first().waitFor();
      const asked = (await page.evaluate('asked')) as readonly string[];
      // Once for what changed while nobody looked, and once for what changed since.
      expect(asked.filter((url) => url.includes('/audit_log?'))).toHaveLength(2);
      expect(complaints).toEqual([]);
      await asksByNoClock(page);
      await close();
    },
  );
});
