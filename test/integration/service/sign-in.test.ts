import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account, AuthResult } from '#protocol/hosted/accounts.ts';
import { permissionsOf } from '#service/permissions.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

let at: TestService;
beforeAll(async () => {
  at = await startTestService({ limits: { attempts: { max: 3, windowSeconds: 3600 } } });
});
afterAll(() => at?.close());

const signIn = (email: string, password: string) => at.call<AuthResult>('POST', '/v1/auth', { body: { email, password } });

describe('sign-in', () => {
  it('gives a token, the Teams and the user', async () => {
    const { status, body } = await signIn(ownerEmail, ownerPassword);
    expect(status).toBe(200);
    expect(body).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      teams: [{ id: at.teamId, name: 'Harbour', subdomain: 'harbour' }],
      user: {
        id: at.userId,
        email: ownerEmail,
        name: 'owner',
        level: 'owner',
        preferred_team_id: at.teamId,
        primary_team_id: at.teamId,
        time_zone: 'UTC',
      },
    });
  });

  it('takes the e-mail address in any case', async () => {
    expect((await signIn(ownerEmail.toUpperCase(), ownerPassword)).status).toBe(200);
  });

  it('answers a wrong password and an unknown address alike', async () => {
    const wrong = await signIn(ownerEmail, 'wrong');
    const unknown = await signIn('nobody@example.com', 'wrong');
    expect([wrong.status, wrong.body]).toEqual([401, { code: 131075, message: 'The e-mail address or the password is wrong.' }]);
    expect([unknown.status, unknown.body]).toEqual([wrong.status, wrong.body]);
  });

  it('limits wrong passwords for an account, existing or not, and says how long', async () => {
    for (const email of ['guessed@example.com', (await addUser(at, 'member')).email]) {
      const statuses = [];
      for (let i = 0; i < 4; i += 1) statuses.push((await signIn(email, `guess ${i}`)).status);
      expect(statuses).toEqual([401, 401, 401, 429]);
      const refused = await signIn(email, 'guess');
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(1_100);
      expect(wait).toBeLessThanOrEqual(1_200);
    }
    expect((await signIn(ownerEmail, ownerPassword)).status).toBe(200);
  });

  it.each([
    [{ email: 'mia', password: 'x' }, 'The field email must be an e-mail address.'],
    [{ email: 'mia@example.com' }, 'The field password is missing.'],
    [{ email: 'mia@example.com', password: '' }, 'The field password must not be empty.'],
    [{ email: 'mia@example.com', password: 'x'.repeat(1_025) }, 'The field password must have at most 1024 characters.'],
  ])('refuses %j', async (body, message) => {
    const answer = await at.call('POST', '/v1/auth', { body });
    expect([answer.status, answer.body]).toEqual([400, { code: 65537, message }]);
  });
});

describe('who am I', () => {
  const whoAmI = (headers: Record<string, string>) => at.call<Account>('GET', '/v1/users/me', { headers });

  it('tells a user all their Teams, with the defaults for senders', async () => {
    const second = await addTeam(at, 'Second');
    const person = await addUser(at, 'member');
    await at.service.services.db
      .insertInto('memberships')
      .values({ id: crypto.randomUUID(), team_id: second, user_id: person.userId, role: 'guest', created_at: new Date() })
      .execute();
    const { status, body } = await whoAmI({ 'x-user-token': person.token });
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ id: person.userId, level: 'member' });
    expect(body.teams.map(({ id }) => id).toSorted()).toEqual([at.teamId, second].toSorted());
    expect(body.teams.find(({ id }) => id === at.teamId)).toEqual({
      id: at.teamId,
      name: 'Harbour',
      branding: { primary_color: '', logo_url: '', background_url: '' },
      subdomain: 'harbour',
      custom_expiry_default: 10,
      custom_expiry_enabled: true,
      download_limit_default: 0,
      download_limit_enabled: false,
      max_email_recipients: 500,
      chunk_size_default: 0,
      max_expiry_days: 0,
      password_required: false,
      public_links_allowed: true,
      verify_recipient_default: false,
      verify_recipient_required: false,
      notify_default: [],
      recipient_domains: [],
      role: 'member',
      permissions: permissionsOf('member'),
    });
  });

  it('tells an API key its user, and its own Team only', async () => {
    const second = await addTeam(at, 'Other');
    await at.service.services.db
      .insertInto('memberships')
      .values({ id: crypto.randomUUID(), team_id: second, user_id: at.userId, role: 'admin', created_at: new Date() })
      .execute();
    const { body } = await whoAmI({ 'x-api-key': at.apiKey });
    expect(body.user.id).toBe(at.userId);
    expect(body.teams.map(({ id }) => id)).toEqual([at.teamId]);
  });

  it('ends the tokens issued before a new version', async () => {
    const person = await addUser(at, 'member');
    const headers = { 'x-user-token': person.token };
    expect((await whoAmI(headers)).status).toBe(200);
    await at.service.services.db.updateTable('users').set({ token_version: 2 }).where('id', '=', person.userId).execute();
    at.service.services.credentials.invalidateUser(person.userId);
    expect((await whoAmI(headers)).status).toBe(401);
  });
});
