import { readdir, readFile } from 'node:fs/promises';
import { join as pathOf } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import type { Membership } from '#protocol/hosted/members.ts';
import { limits } from '#protocol/limits.ts';
import { setTeamState } from '#service/accounts/team-state.ts';
import { newId } from '#service/ids.ts';
import { runJob } from '#test/support/service/jobs.ts';
import { parseMail } from '#test/support/service/mail-server.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { accept, addTeam, addUser, invitationToken, join, type TestUser } from '#test/support/service/users.ts';
import { eventually } from '#test/support/system/processes.ts';

let at: TestService;
/** Moves the service's clock on. */
let clockOffset = 0;
/** Where the clock stands still. */
let standsAt: Date | null = null;
beforeAll(async () => {
  at = await startTestService({
    limits: { signInsPerAddress: 10_000, refusalsPerAddress: 10_000 },
    now: () => standsAt ?? new Date(Date.now() + clockOffset),
  });
});
afterAll(() => at?.close());

const day = 24 * 3_600_000;
const as = (token: string) => ({ 'x-user-token': token });
const fresh = () => `person-${newId()}@example.com`;
const signIn = (email: string, password: string) => at.call<AuthResult>('POST', '/v1/auth', { body: { email, password } });
const list = (who: TestUser, team: string) => at.call<Membership[]>('GET', `/v1/teams/${team}/members`, { headers: as(who.token) });
const invite = (who: TestUser, team: string, body: object, headers = {}) =>
  at.call<Membership>('POST', `/v1/teams/${team}/members`, { headers: { ...as(who.token), ...headers }, body });
const update = (who: TestUser, id: string, role: string) =>
  at.call<Membership>('PUT', `/v1/members/${id}`, { headers: as(who.token), body: { role } });
const remove = (who: TestUser, id: string) => at.call('DELETE', `/v1/members/${id}`, { headers: as(who.token) });
const resend = (who: TestUser, id: string) => at.call('POST', `/v1/members/${id}/resend`, { headers: as(who.token) });
const look = (token: string) => at.call('GET', `/v1/invitations/${token}`);
const chosen = { name: 'Jonas Weber', password: 'chosen by himself' };

async function team(name = 'A Team') {
  const id = await addTeam(at, name);
  return { id, owner: await addUser(at, 'owner', id) };
}

async function membershipOf(who: TestUser, teamId: string): Promise<string> {
  const { db } = at.service.services;
  const row = db.selectFrom('memberships').select('id').where('team_id', '=', teamId).where('user_id', '=', who.userId);
  return (await row.executeTakeFirstOrThrow()).id;
}

const mailsTo = (email: string) =>
  at.service.services.db.selectFrom('messages').selectAll().where('recipient', '=', email).orderBy('id').execute();

async function letter(messageId: string) {
  const folder = pathOf(at.dataDir, 'outbox');
  await eventually('a letter', async () => (await readdir(folder).catch((): string[] => [])).includes(`${messageId}.eml`));
  return parseMail(await readFile(pathOf(folder, `${messageId}.eml`), 'utf8'));
}

describe('a Team that adds an address first', () => {
  it('has no key to what another Team opens to that address later', async () => {
    const [first, second] = [await team(), await team()];
    const email = fresh();
    // As it was found: the first Team chooses a password, the second adds the same address as its admin.
    const planted = await invite(first.owner, first.id, { email, role: 'member', name: 'Jonas', password: 'chosen by the first Team' });
    expect([planted.status, planted.body]).toMatchObject([400, { message: expect.stringContaining('The field password is not taken') }]);
    expect((await invite(first.owner, first.id, { email, role: 'member' })).status).toBe(201);
    const invited = await invite(second.owner, second.id, { email, role: 'admin' });
    expect(invited.body).toMatchObject({ state: 'invited' });
    expect((await signIn(email, 'chosen by the first Team')).status).toBe(401);
    const { db } = at.service.services;
    expect(await db.selectFrom('users').select('id').where('email', '=', email).execute()).toEqual([]);

    expect((await accept(at, invited.body.id, chosen)).body.teams).toMatchObject([{ id: second.id }]);
    expect((await signIn(email, chosen.password)).body.teams).toMatchObject([{ id: second.id }]);
    expect((await list(first.owner, first.id)).body).toContainEqual(expect.objectContaining({ email, state: 'invited' }));
  });

  it('nor with a password that it chose before there were invitations, until the person has chosen their own', async () => {
    const { id, owner } = await team();
    const jonas = await addUser(at, 'member', (await team()).id);
    const { db } = at.service.services;
    await db.updateTable('users').set({ password_given: true }).where('id', '=', jonas.userId).execute();
    const invited = await invite(owner, id, { email: jonas.email, role: 'admin' });
    const refused = await accept(at, invited.body.id, jonas);
    expect([refused.status, refused.body]).toMatchObject([409, { message: expect.stringContaining('chosen by somebody else') }]);
    await db.updateTable('users').set({ password_given: false }).where('id', '=', jonas.userId).execute();
    expect((await accept(at, invited.body.id, jonas)).status).toBe(200);
  });
});

describe('inviting', () => {
  it('tells nothing of whether the address has a user: same answer, same mail, nothing asked of users', async () => {
    const { id, owner } = await team();
    const known = await addUser(at, 'member', (await team()).id);
    const unknown = `member-${newId()}@example.com`;
    // The mails say until which minute they are good.
    standsAt = new Date();
    onTestFinished(() => {
      standsAt = null;
    });
    const answers = [
      await invite(owner, id, { email: known.email, role: 'guest' }),
      await invite(owner, id, { email: unknown, role: 'guest' }),
    ];
    for (const [index, email] of [known.email, unknown].entries()) {
      const { status, body, headers } = answers[index]!;
      expect([status, Object.keys(body)]).toEqual([201, ['id', 'name', 'email', 'role', 'state', 'expires_at']]);
      expect(body).toMatchObject({ name: email.split('@')[0], email, role: 'guest', state: 'invited' });
      expect([...headers.keys()]).toEqual([...answers[0]!.headers.keys()]);
      const mails = await mailsTo(email);
      expect(mails.map(({ kind }) => kind)).toEqual(['invitation']);
      const { text } = await letter(mails[0]!.id);
      expect(text.replaceAll(email, '').replace(/#\S+/g, '')).toEqual(
        (await letter((await mailsTo(known.email))[0]!.id)).text.replaceAll(known.email, '').replace(/#\S+/g, ''),
      );
    }
  });

  it('mails a link whose token is kept nowhere, in the language of who invites', async () => {
    const { id, owner } = await team('Harbour <b>Films</b>\u202e');
    const email = fresh();
    const german = { 'accept-language': 'fr;q=1, de-AT;q=0.9, en;q=0.8' };
    const { body } = await invite(owner, id, { email, role: 'integration_manager', name: 'No word of this' }, german);
    const [message] = await mailsTo(email);
    const mail = await letter(message!.id);
    const token = await invitationToken(at, body.id);
    expect(mail.headers.get('subject')).toBe('owner lädt Sie in das Team Harbour <b>Films</b> ein');
    expect(mail.headers.get('content-language')).toBe('de');
    expect(mail.text).toContain(`${at.url}/invitation#${token}`);
    expect(mail.text).toMatch(/Rolle: +Integrationsmanager/);
    expect(mail.html).toContain('<html lang="de">');
    expect(mail.html).toContain('Harbour &lt;b&gt;Films');
    expect(mail.text + mail.html).not.toContain('No word of this');
    const tables = await sql<{ stored: string }>`
      select concat((select json_agg(t) from invitations t)::text, (select json_agg(t) from messages t)::text,
        (select json_agg(t.data) from jobs.job t)::text) as stored`.execute(at.service.services.db);
    expect(tables.rows[0]!.stored).not.toContain(token);
  });

  it('shows who is invited to those who manage members alone', async () => {
    const { id, owner } = await team();
    const [admin, member] = [await addUser(at, 'admin', id), await addUser(at, 'member', id)];
    const { body } = await invite(owner, id, { email: fresh(), role: 'guest', name: 'Jonas' });
    expect((await list(admin, id)).body.at(-1)).toEqual(body);
    expect(new Date(body.expires_at!).getTime() - Date.now()).toBeGreaterThan(7 * day - 60_000);
    expect((await list(member, id)).body.map(({ state }) => state)).toEqual(['active', 'active', 'active']);
  });

  it('somebody who is a member, or invited, in whatever case, is a conflict', async () => {
    const { id, owner } = await team();
    const guest = await addUser(at, 'guest', id);
    const member = await invite(owner, id, { email: guest.email.toUpperCase(), role: 'admin' });
    expect([member.status, member.body]).toMatchObject([409, { message: `${guest.email} is a member of this Team already.` }]);
    const email = fresh();
    await invite(owner, id, { email, role: 'guest' });
    const again = await invite(owner, id, { email: email.toUpperCase(), role: 'admin' });
    expect([again.status, again.body]).toMatchObject([409, { message: expect.stringContaining(`${email} is invited already`) }]);
    const atOnce = fresh();
    const answers = await Promise.all([1, 2, 3].map(() => invite(owner, id, { email: atOnce, role: 'guest' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });

  it('is bounded for an address, from one Team and from all, and for a Team', async () => {
    const { id, owner } = await team();
    const email = fresh();
    const { body } = await invite(owner, id, { email, role: 'guest' });
    const again = async () => (await resend(owner, body.id)).status;
    expect(await Promise.all([again(), again(), again(), again()])).toEqual([204, 204, 204, 204]);
    const refused = await resend(owner, body.id);
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.toSatisfy((s: number) => s > 86_000)]);
    // Revoking makes no new room.
    await remove(owner, body.id);
    expect((await invite(owner, id, { email: email.toUpperCase(), role: 'guest' })).status).toBe(429);
    expect((await invite(owner, id, { email: fresh(), role: 'guest' })).status).toBe(201);

    const { db, now } = at.service.services;
    const fill = (invitation: string, recipient: string, many: number) =>
      sql`insert into messages (id, package_id, kind, recipient, invitation_id, state, created_at, updated_at)
        select gen_random_uuid(), null, 'invitation', ${recipient}, ${invitation}, 'sent', ${now()}, ${now()} from generate_series(1, ${many}::integer)`.execute(
        db,
      );
    const [other, wanted] = [await team(), fresh()];
    const { body: theirs } = await invite(other.owner, other.id, { email: fresh(), role: 'guest' });
    await fill(theirs.id, wanted, limits.invitationsPerAddressAndDay.fromAll);
    expect((await invite((await team()).owner, id, { email: wanted, role: 'guest' })).status).toBe(404);
    expect((await invite(owner, id, { email: wanted, role: 'guest' })).status).toBe(429);
    await fill(theirs.id, fresh(), limits.invitationsPerTeamAndDay);
    expect((await invite(other.owner, other.id, { email: fresh(), role: 'guest' })).status).toBe(429);
    clockOffset = day;
    expect((await invite(other.owner, other.id, { email: wanted, role: 'guest' })).status).toBe(201);
    clockOffset = 0;
  });
});

describe('whoever holds the mail', () => {
  it('reads what it is about and nothing more, and joins by a name and a password of their own', async () => {
    const { id, owner } = await team('Northlight');
    const email = fresh();
    const { body: invited } = await invite(owner, id, { email, role: 'member', name: 'Somebody' });
    const token = await invitationToken(at, invited.id);
    expect((await look(token)).body).toEqual({
      team: { name: 'Northlight' },
      inviter: { name: 'owner' },
      email,
      role: 'member',
      expires_at: invited.expires_at,
    });
    const legal = { imprint_url: 'https://example.com/imprint', privacy_url: 'https://example.com/privacy' };
    await at.service.services.db.updateTable('teams').set(legal).where('id', '=', id).execute();
    expect((await look(token)).body).toMatchObject({ team: { name: 'Northlight', ...legal } });
    const accepted = await accept(at, invited.id, chosen);
    expect([accepted.status, accepted.body]).toMatchObject([
      200,
      { teams: [{ id }], user: { email, name: 'Jonas Weber', level: 'member', primary_team_id: id, preferred_team_id: id } },
    ]);
    expect((await at.call('GET', '/v1/users/me', { headers: as(accepted.body.token) })).status).toBe(200);
    const rest = { name: 'Jonas Weber', email, role: 'member', state: 'active', user_id: accepted.body.user.id };
    expect((await list(owner, id)).body.at(-1)).toEqual({ id: invited.id, ...rest });
    expect((await signIn(email.toUpperCase(), chosen.password)).status).toBe(200);
  });

  it('who has a user joins signed in, in whatever case; nobody else does, nor by another password', async () => {
    const { id, owner } = await team();
    const other = await team();
    const jonas = await addUser(at, 'admin', other.id);
    const { body: invited } = await invite(owner, id, { email: jonas.email.toUpperCase(), role: 'guest' });
    const byPassword = await accept(at, invited.id, { name: 'Mallory', password: 'a stolen account' });
    expect([byPassword.status, byPassword.body]).toMatchObject([409, { message: expect.stringContaining('Sign in') }]);
    expect((await signIn(jonas.email, 'a stolen account')).status).toBe(401);
    const stranger = await accept(at, invited.id, owner);
    expect([stranger.status, stranger.body]).toMatchObject([403, { message: expect.stringContaining('another e-mail address') }]);
    const { body } = await accept(at, invited.id, jonas);
    expect(body).toMatchObject({ user: { id: jonas.userId, name: 'admin', primary_team_id: other.id, level: 'admin' } });
    expect(body.teams.map((one) => one.id).toSorted()).toEqual([other.id, id].toSorted());
    expect((await list(owner, id)).body.at(-1)).toMatchObject({ id: invited.id, user_id: jonas.userId, email: jonas.email });
  });

  it.each([
    [{}, 'The field name is missing'],
    [{ name: 'Jonas' }, 'The field password is missing'],
    [{ name: 'Jonas', password: 'short' }, 'The field password must have at least 8 characters'],
    [{ name: '', password: 'long enough' }, 'The field name must not be empty'],
  ])('needs both without a user token: %j', async (body, message) => {
    const { id, owner } = await team();
    const token = await invitationToken(at, (await invite(owner, id, { email: fresh(), role: 'guest' })).body.id);
    const answer = await at.call('POST', `/v1/invitations/${token}/accept`, { body });
    expect([answer.status, answer.body]).toMatchObject([400, { message: expect.stringContaining(message) }]);
    expect((await look(token)).status).toBe(200);
  });

  it('uses it once, also when asked twice at once', async () => {
    const { id, owner } = await team();
    const { body: invited } = await invite(owner, id, { email: fresh(), role: 'guest' });
    const answers = await Promise.all([1, 2, 3].map(() => accept(at, invited.id, chosen)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410, 410]);
    expect((await look(await invitationToken(at, invited.id))).body).toMatchObject({ message: expect.stringContaining('used already') });
    expect((await list(owner, id)).body).toHaveLength(2);
    // Once removed they need another one.
    await remove(owner, invited.id);
    expect((await accept(at, invited.id, chosen)).status).toBe(410);
  });

  it('joins one Team and the other, invited by both', async () => {
    const [first, second] = [await team(), await team()];
    const email = fresh();
    const invited = [
      await invite(first.owner, first.id, { email, role: 'guest' }),
      await invite(second.owner, second.id, { email, role: 'admin' }),
    ];
    const answers = await Promise.all(invited.map(({ body }) => accept(at, body.id, chosen)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const auth = await signIn(email, chosen.password);
    const open = invited[answers.findIndex(({ status }) => status === 409)]!.body.id;
    expect((await accept(at, open, auth.body)).body.teams).toHaveLength(2);
  });
});

describe('an invitation is over', () => {
  const made = async () => {
    const { id, owner } = await team();
    const { body } = await invite(owner, id, { email: fresh(), role: 'guest' });
    return { id, owner, invited: body, token: await invitationToken(at, body.id) };
  };

  it('after seven days; it is listed still, and good again when it is sent again', async () => {
    const { id, owner, invited, token } = await made();
    clockOffset = 7 * day - 60_000;
    expect((await look(token)).status).toBe(200);
    clockOffset = 7 * day + 60_000;
    expect((await look(token)).body).toMatchObject({ message: 'This invitation has expired. Ask for a new one.' });
    expect((await accept(at, invited.id, chosen)).status).toBe(410);
    expect((await list(owner, id)).body.at(-1)).toMatchObject({ id: invited.id, state: 'invited' });
    expect((await resend(owner, invited.id)).status).toBe(204);
    expect((await look(token)).status).toBe(404);
    expect((await accept(at, invited.id, chosen)).status).toBe(200);
    clockOffset = 0;
  });

  it('after seven days: whoever invites anew replaces it', async () => {
    const { id, owner, invited } = await made();
    clockOffset = 8 * day;
    const second = await invite(owner, id, { email: invited.email, role: 'member' });
    expect(second.status).toBe(201);
    expect((await list(owner, id)).body.slice(1)).toEqual([second.body]);
    expect((await accept(at, invited.id, chosen)).status).toBe(404);
    clockOffset = 0;
  });

  it('when it is revoked, or sent again', async () => {
    const { id, owner, invited, token } = await made();
    expect((await resend(owner, invited.id)).status).toBe(204);
    const second = await invitationToken(at, invited.id);
    expect(await Promise.all([token, second].map(async (one) => (await look(one)).status))).toEqual([404, 200]);
    expect((await remove(owner, invited.id)).status).toBe(204);
    expect((await look(second)).body).toEqual((await look('never-was-one')).body);
    expect((await accept(at, invited.id, chosen)).status).toBe(404);
    expect((await list(owner, id)).body).toHaveLength(1);
    expect([(await resend(owner, invited.id)).status, (await remove(owner, invited.id)).status]).toEqual([404, 404]);
  });

  it('as long as its Team is inactive; nobody deletes a Team, whose log only grows', async () => {
    const { id, invited, token } = await made();
    await setTeamState(at.service.services, id, 'inactive');
    expect([(await look(token)).status, (await accept(at, invited.id, chosen)).status]).toEqual([402, 402]);
    await setTeamState(at.service.services, id, 'active');
    expect((await look(token)).status).toBe(200);
    const { db } = at.service.services;
    await expect(db.deleteFrom('teams').where('id', '=', id).execute()).rejects.toThrow('audit_entries');
    expect((await look(token)).status).toBe(200);
  });

  it('when who sent it is removed, or may not invite any more; another can stand for it before', async () => {
    const { id, owner } = await team();
    const admin = await addUser(at, 'admin', id);
    const [mine, saved] = [
      await invite(admin, id, { email: fresh(), role: 'admin' }),
      await invite(admin, id, { email: fresh(), role: 'guest' }),
    ];
    await resend(owner, saved.body.id);
    await remove(owner, await membershipOf(admin, id));
    expect((await accept(at, mine.body.id, chosen)).status).toBe(404);
    expect((await accept(at, saved.body.id, chosen)).status).toBe(200);

    const second = await addUser(at, 'owner', id);
    const invited = await Promise.all(['owner', 'guest', 'guest'].map((role) => invite(second, id, { email: fresh(), role })));
    const [asOwner, early, late] = invited.map(({ body }) => body.id);
    const membership = await membershipOf(second, id);
    await update(owner, membership, 'admin');
    expect([(await accept(at, asOwner!, chosen)).status, (await accept(at, early!, chosen)).status]).toEqual([404, 200]);
    await update(owner, membership, 'member');
    expect((await accept(at, late!, chosen)).status).toBe(404);
  });

  it('and never goes out by mail then', async () => {
    const { owner, invited } = await made();
    await eventually('it is sent once', async () => (await mailsTo(invited.email))[0]?.state === 'sent');
    const { db } = at.service.services;
    await db.updateTable('messages').set({ state: 'waiting' }).where('recipient', '=', invited.email).execute();
    await remove(owner, invited.id);
    const [message] = await mailsTo(invited.email);
    await runJob(at.service.services, 'mail.send', { message_id: message!.id });
    expect(await mailsTo(invited.email)).toMatchObject([{ state: 'withdrawn' }]);
  });

  it('and forgotten a month later, with its mail', async () => {
    const { invited, token } = await made();
    await letter((await mailsTo(invited.email))[0]!.id);
    clockOffset = 36 * day;
    await runJob(at.service.services, 'accounts.sweep', {});
    expect((await look(token)).body).toMatchObject({ message: expect.stringContaining('expired') });
    clockOffset = 38 * day;
    await runJob(at.service.services, 'accounts.sweep', {});
    expect([(await look(token)).status, await mailsTo(invited.email)]).toEqual([404, []]);
    clockOffset = 0;
  });
});

describe('roles', () => {
  it('owners and admins invite; owners alone invite owners, and change and revoke such invitations', async () => {
    const { id, owner } = await team();
    const [admin, manager] = [await addUser(at, 'admin', id), await addUser(at, 'integration_manager', id)];
    expect((await invite(manager, id, { email: fresh(), role: 'guest' })).status).toBe(403);
    // Who may is told before what is wrong with the body.
    expect((await invite(manager, id, { email: fresh(), role: 'guest', password: 'a password' })).status).toBe(403);
    expect((await invite(admin, id, { email: fresh(), role: 'owner' })).status).toBe(403);
    const { body: future } = await invite(owner, id, { email: fresh(), role: 'owner' });
    for (const refused of [await resend(admin, future.id), await update(admin, future.id, 'guest'), await remove(admin, future.id)]) {
      expect(refused.status).toBe(403);
    }
    const { body: guest } = await invite(admin, id, { email: fresh(), role: 'guest' });
    expect((await update(admin, guest.id, 'owner')).status).toBe(403);
    expect((await update(admin, guest.id, 'admin')).body).toEqual({ ...guest, role: 'admin' });
    // The owner who makes it an owner's stands for it.
    expect((await update(owner, guest.id, 'owner')).body.role).toBe('owner');
    expect((await accept(at, guest.id, chosen)).body.user.level).toBe('owner');
    expect((await remove(owner, future.id)).status).toBe(204);
  });

  it('a member cannot be invited again by resending, and an invitation is in no Teamspace', async () => {
    const { id, owner } = await team();
    const { memberId } = await join(at, { id, by: owner.token }, { email: fresh(), role: 'guest' }, chosen);
    expect((await resend(owner, memberId)).status).toBe(409);
    const { body } = await invite(owner, id, { email: fresh(), role: 'guest' });
    const space = await at.call('POST', `/v1/teams/${id}/spaces`, { headers: as(owner.token), body: { name: 'S', member_ids: [body.id] } });
    expect(space.status).toBe(404);
  });
});
