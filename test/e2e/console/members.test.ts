import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Membership } from '#protocol/hosted/members.ts';
import type { Teamspace } from '#protocol/hosted/teamspaces.ts';
import { newId } from '#service/ids.ts';
import { expectGoodLooks, openConsole, startConsole } from '#test/support/browser/console.ts';
import { describeInBrowser } from '#test/support/browser/describe-in-browser.ts';
import { downloadBy } from '#test/support/browser/downloads.ts';
import { inAll } from '#test/support/level.ts';
import type { TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, type TestUser } from '#test/support/service/users.ts';

/** Would run if a page took it for more than text. */
const probe = '<img src=x onerror="document.title=1"> "Mia" &amp;';

describeInBrowser('members and Teamspaces', (browserOf) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startConsole();
  });
  afterAll(async () => {
    await service?.close();
  });

  const as = ({ token }: Pick<TestUser, 'token'>) => ({ 'x-user-token': token });
  const rename = async ({ userId }: TestUser, name: string) =>
    await service.service.services.db.updateTable('users').set({ name }).where('id', '=', userId).execute();

  async function newTeam(): Promise<{ readonly id: string; readonly owner: TestUser }> {
    const id = await addTeam(service, 'Harbour Films');
    const owner = await addUser(service, 'owner', id);
    await rename(owner, 'Mia Sandberg');
    return { id, owner };
  }

  async function addMany(teamId: string, count: number): Promise<void> {
    const { db, now } = service.service.services;
    const ids = Array.from({ length: count }, () => newId());
    await sql`
      insert into users (id, email, name, password_hash, created_at, updated_at)
      select new.id, 'p' || (new.n - 1) || '@' || left(${teamId}::text, 8) || '.example.com', 'Person ' || lpad((new.n - 1)::text, 5, '0'), '', ${now()}, ${now()}
      from unnest(${ids}::uuid[]) with ordinality as new (id, n)`.execute(db);
    await sql`
      insert into memberships (id, team_id, user_id, role, created_at)
      select id, ${teamId}::uuid, id, 'member', ${now()} from unnest(${ids}::uuid[]) as new (id)`.execute(db);
  }

  const membersOf = async (teamId: string, who: TestUser) =>
    (await service.call<Membership[]>('GET', `/v1/teams/${teamId}/members`, { headers: as(who) })).body;
  const roleOf = async (teamId: string, who: TestUser, email: string) =>
    (await membersOf(teamId, who)).find((one) => one.email === email)?.role;
  const act = async (page: Page, name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };

  it('invites many at once, says which were not, and sends again, revokes, changes roles and removes', async () => {
    const { id, owner } = await newTeam();
    const jonas = await addUser(service, 'member', id);
    await rename(jonas, probe);
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${id}/members`, { userId: owner.userId });
    await page.getByRole('button', { name: 'Invite' }).click();
    // This service has no mail server.
    await page.getByText('This service sends no mail yet.').waitFor();
    await page.getByLabel('E-mail addresses').fill(`zoe@example.com, not-one`);
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByText('This is not an e-mail address: not-one').waitFor();
    await page.getByLabel('E-mail addresses').fill(`Zoe <zoe@example.com>, bo@example.com\n${jonas.email}`);
    await page.getByLabel('Guest').check();
    await page.getByRole('button', { name: 'Send 3 invitations' }).click();
    await page.getByText('2 sent. These were not:').waitFor();
    await page.getByText('is a member of this Team already').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await membersOf(id, owner)).filter(({ state }) => state === 'invited').map(({ email, role }) => [email, role])).toEqual([
      ['zoe@example.com', 'guest'],
      ['bo@example.com', 'guest'],
    ]);
    await page.getByText(probe).waitFor();
    await expectGoodLooks(page, { en: 'Who works in this Team', de: 'Wer in diesem Team arbeitet' });

    await act(page, 'zoe', 'Send the invitation again');
    await page.getByText('The invitation was mailed to zoe@example.com again.').waitFor();
    await act(page, 'bo', 'Revoke the invitation');
    await page.getByRole('button', { name: 'Revoke the invitation' }).click();
    await page.getByText('The invitation of bo@example.com is revoked.').waitFor();
    await act(page, probe, 'Change role');
    await page.getByLabel('Integration manager').check();
    await expectGoodLooks(page, { en: 'Manages Portals', de: 'Verwaltet Portale' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`${probe} is now: Integration manager.`).waitFor();
    expect(await roleOf(id, owner, jonas.email)).toBe('integration_manager');
    await act(page, probe, 'Remove from the Team');
    await page.getByText('API keys that they made here stop working.').waitFor();
    await page.getByRole('button', { name: 'Remove from the Team' }).click();
    await page.getByText(`${probe} is not in this Team any more.`).waitFor();
    expect((await membersOf(id, owner)).map(({ email }) => email)).toEqual([owner.email, 'zoe@example.com']);
    // The only owner cannot go, and is told so where it was asked.
    await act(page, 'Mia Sandberg', 'Remove from the Team');
    await page.getByText('You remove yourself').waitFor();
    await page.getByRole('button', { name: 'Remove from the Team' }).click();
    await page.getByText('This is the only owner of the Team.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('holds 10,000 people, found by name, and saves them as a table', inAll('a few people; service/member-search'), async () => {
    const { id, owner } = await newTeam();
    await addMany(id, 10_000);
    const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${id}/members`, { userId: owner.userId });
    await page.getByText('10,001 people').waitFor();
    // Only what is in sight is in the page.
    expect(await page.locator('.member-row').count()).toBeLessThan(60);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByText('Person 00099', { exact: true }).waitFor();
    await page.getByLabel('Search by name or address').fill('on 0999');
    await page.getByText('10 people').waitFor();
    await page.getByText('Person 09995', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('search')).toBe('on 0999');
    const saved = await downloadBy(page, () => page.getByRole('button', { name: 'Save as CSV' }).click());
    expect(saved.suggestedFilename()).toBe('members.csv');
    await page.getByLabel('Search by name or address').fill('nobody at all');
    await page.getByRole('heading', { name: 'Nobody matches' }).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('10,001 people').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows a member no more than they may do, and follows a change of role in another browser', async () => {
    const { id, owner } = await newTeam();
    const zoe = await addUser(service, 'admin', id);
    await rename(zoe, 'Zoe');
    const { page, close } = await openConsole(browserOf(), service, `/t/${id}/members`, { userId: zoe.userId });
    await page.getByRole('button', { name: 'Actions for Zoe', exact: true }).waitFor();
    // An admin manages no owner.
    expect(await page.getByRole('button', { name: 'Actions for Mia Sandberg' }).count()).toBe(0);
    const memberId = (await membersOf(id, owner)).find(({ email }) => email === zoe.email)!.id;
    expect((await service.call('PUT', `/v1/members/${memberId}`, { headers: as(owner), body: { role: 'guest' } })).status).toBe(200);
    // What was on the screen is refused, in words.
    await act(page, 'Zoe', 'Remove from the Team');
    await page.getByRole('button', { name: 'Remove from the Team' }).click();
    await page.getByText('Your role in this Team, guest, is not allowed to manage members.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole('button', { name: 'Actions for Zoe', exact: true }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    await page.getByText('Mia Sandberg').waitFor();
    // Whoever was removed sees nothing of the Team any more.
    expect((await service.call('DELETE', `/v1/members/${memberId}`, { headers: as(owner) })).status).toBe(204);
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('You are in no Team').waitFor();
    expect(await page.getByText('Mia Sandberg').count()).toBe(0);
    await close();
  });

  it(
    'makes a Teamspace, fills it, takes somebody out and back, renames and deletes it',
    inAll('service/teamspaces, and members that are invited and removed'),
    async () => {
      const { id, owner } = await newTeam();
      for (const name of ['Anna', 'Bo', probe]) await rename(await addUser(service, 'member', id), name);
      const spaces = async () =>
        (await service.call<{ records: Teamspace[] }>('GET', `/v1.1/teams/${id}/spaces`, { headers: as(owner) })).body.records;
      const { page, complaints, close } = await openConsole(browserOf(), service, `/t/${id}/teamspaces`, { userId: owner.userId });
      await page.getByRole('heading', { name: 'No Teamspace yet' }).waitFor();
      await expectGoodLooks(page, { en: 'No Teamspace yet', de: 'Noch kein Teamspace' });
      await page.getByRole('button', { name: 'New Teamspace' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Northlight');
      await page.getByRole('dialog').getByRole('button', { name: 'New Teamspace' }).click();
      await page.getByRole('heading', { name: 'Northlight' }).waitFor();
      await page.getByRole('button', { name: 'Add members' }).click();
      await page.getByLabel('Anna').check();
      await page.getByLabel('Find somebody in the Team').fill('onerror');
      await page.getByLabel(probe).check();
      await expectGoodLooks(page, { en: 'Find somebody in the Team', de: 'Im Team suchen' });
      await page.getByRole('button', { name: 'Add 2' }).click();
      await page.getByText('2 people were added.').waitFor();
      await page.getByText('2 members').waitFor();
      expect((await spaces())[0]!.members).toHaveLength(2);
      await expectGoodLooks(page, { en: '2 members', de: '2 Mitglieder' });
      await page.getByRole('button', { name: 'Take Anna out' }).click();
      await page.getByText('Anna is not in it any more.').waitFor();
      await page.getByText('1 member', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('2 members').waitFor();
      await page.getByRole('button', { name: 'Actions for' }).click();
      await page.getByRole('menuitem', { name: 'Rename' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill(probe);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('heading', { name: probe }).waitFor();
      await page.getByRole('button', { name: 'Actions for' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByText('owners and admins alone see them').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'No Teamspace yet' }).waitFor();
      expect(await spaces()).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    },
  );
});
