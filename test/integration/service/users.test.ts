import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import { hashPassword } from '#service/accounts/passwords.ts';
import { newId } from '#service/ids.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, type TestUser } from '#test/support/service/users.ts';

const password = 'an old password';
type User = AuthResult['user'];

let at: TestService;
beforeAll(async () => {
  at = await startTestService({
    limits: { attempts: { max: 3, windowSeconds: 3600 }, signInsPerAddress: 10_000, refusalsPerAddress: 10_000 },
  });
});
afterAll(() => at?.close());

/** Somebody whose password is known. */
async function person(team?: string): Promise<TestUser> {
  const made = await addUser(at, 'member', team);
  await at.service.services.db
    .updateTable('users')
    .set({ password_hash: await hashPassword(password) })
    .where('id', '=', made.userId)
    .execute();
  return made;
}

const as = (token: string) => ({ 'x-user-token': token });
const update = (who: TestUser, body: object, id = who.userId) => at.call<User>('PUT', `/v1/users/${id}`, { headers: as(who.token), body });
const setPassword = (who: TestUser, body: object, id = who.userId) =>
  at.call('POST', `/v1/users/${id}/password`, { headers: as(who.token), body });
const setEmail = (who: TestUser, body: object, id = who.userId) =>
  at.call<User>('PUT', `/v1/users/${id}/email`, { headers: as(who.token), body });
const signIn = (email: string, word: string) => at.call<AuthResult>('POST', '/v1/auth', { body: { email, password: word } });
const works = async (token: string) => (await at.call('GET', '/v1/users/me', { headers: as(token) })).status;
const rowOf = (who: TestUser) =>
  at.service.services.db.selectFrom('users').selectAll().where('id', '=', who.userId).executeTakeFirstOrThrow();

describe('updateUser', () => {
  it('changes what is given and leaves the rest', async () => {
    const mia = await person();
    const second = await addTeam(at, 'Second');
    await at.service.services.db
      .insertInto('memberships')
      .values({ id: newId(), team_id: second, user_id: mia.userId, role: 'guest', created_at: new Date() })
      .execute();
    const named = await update(mia, { name: 'Mia Sandberg' });
    expect([named.status, named.body]).toEqual([
      200,
      {
        id: mia.userId,
        email: mia.email,
        name: 'Mia Sandberg',
        level: 'member',
        preferred_team_id: at.teamId,
        primary_team_id: at.teamId,
        time_zone: 'UTC',
      },
    ]);
    const moved = await update(mia, { time_zone: 'Asia/Kolkata', preferred_team_id: second, password_hash: 'x', email: 'x@example.com' });
    expect(moved.body).toEqual({ ...named.body, time_zone: 'Asia/Kolkata', preferred_team_id: second });
    expect((await update(mia, {})).body).toEqual(moved.body);
    expect(await works(mia.token)).toBe(200);
  });

  it.each([
    [{ name: '' }, 400, 'The field name must not be empty.'],
    [{ name: 7 }, 400, 'The field name must be of type string.'],
    [{ name: 'x'.repeat(256) }, 400, 'The field name must have at most 255 characters.'],
    [{ name: 'a\0b' }, 400, 'The field name must not contain NUL characters.'],
    [{ time_zone: 'Europe/Atlantis' }, 400, 'The field time_zone must be a name of the IANA database, like Europe/Berlin.'],
    [{ time_zone: '+01:00' }, 400, 'The field time_zone must be a name of the IANA database, like Europe/Berlin.'],
    [{ preferred_team_id: 'nonsense' }, 404, expect.stringContaining('preferred_team_id')],
    [{ preferred_team_id: newId() }, 404, expect.stringContaining('preferred_team_id')],
    [[], 400, 'The body must be a JSON object.'],
  ])('refuses %j and changes nothing', async (body, status, message) => {
    const mia = await person();
    const before = await rowOf(mia);
    const answer = await update(mia, body);
    expect([answer.status, answer.body]).toMatchObject([status, { message }]);
    expect(await rowOf(mia)).toEqual(before);
  });

  it('does not prefer a Team that one is not in', async () => {
    const foreign = await addTeam(at, 'Foreign');
    expect((await update(await person(), { preferred_team_id: foreign })).status).toBe(404);
  });
});

describe('the account of somebody else', () => {
  it.each([
    ['updateUser', (who: TestUser, id: string) => update(who, { name: 'Taken' }, id)],
    ['changePassword', (who: TestUser, id: string) => setPassword(who, { current_password: password, password: 'a new password' }, id)],
    ['changeEmail', (who: TestUser, id: string) => setEmail(who, { email: 'taken@example.com', password }, id)],
  ] as const)('%s is not allowed for a colleague, and finds no stranger', async (_, change) => {
    const [mia, colleague, stranger] = [await person(), await person(), await person(await addTeam(at, 'Strangers'))];
    const before = await Promise.all([colleague, stranger].map(rowOf));
    expect((await change(mia, colleague.userId)).status).toBe(403);
    expect((await change(mia, stranger.userId)).status).toBe(404);
    expect((await change(mia, newId())).status).toBe(404);
    expect((await change(mia, 'nonsense')).status).toBe(404);
    expect(await Promise.all([colleague, stranger].map(rowOf))).toEqual(before);
  });
});

describe('changePassword', () => {
  it('ends every token issued before; the new password signs in and the old one does not', async () => {
    const mia = await person();
    const other = (await signIn(mia.email, password)).body.token;
    expect([await works(mia.token), await works(other)]).toEqual([200, 200]);
    const answer = await setPassword(mia, { current_password: password, password: 'a new password' });
    expect([answer.status, answer.body]).toEqual([204, null]);
    expect([await works(mia.token), await works(other)]).toEqual([401, 401]);
    expect((await signIn(mia.email, password)).status).toBe(401);
    const again = await signIn(mia.email, 'a new password');
    expect([again.status, await works(again.body.token)]).toEqual([200, 200]);
  });

  it.each([
    [{ current_password: password, password: 'short' }, 'The field password must have at least 8 characters.'],
    [{ current_password: password, password: 'x'.repeat(1_025) }, 'The field password must have at most 1024 characters.'],
    [{ password: 'a new password' }, 'The field current_password is missing.'],
    [{ current_password: password }, 'The field password is missing.'],
  ])('refuses %j', async (body, message) => {
    const mia = await person();
    const answer = await setPassword(mia, body);
    expect([answer.status, answer.body]).toMatchObject([400, { message }]);
    expect(await works(mia.token)).toBe(200);
  });

  it('counts wrong passwords, separately from those at sign-in', async () => {
    const mia = await person();
    for (const guess of ['one', 'two', 'three', 'four']) await signIn(mia.email, guess);
    expect((await signIn(mia.email, password)).status).toBe(429);
    const statuses = [];
    for (const guess of ['one', 'two', 'three', password])
      statuses.push((await setPassword(mia, { current_password: guess, password: 'a new password' })).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect(await works(mia.token)).toBe(200);
  });

  it('asked twice at once changes it once', async () => {
    const mia = await person();
    const words = ['the first of two', 'the second of two'];
    const answers = await Promise.all(words.map((word) => setPassword(mia, { current_password: password, password: word })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 401]);
    const won = words[answers.findIndex(({ status }) => status === 204)]!;
    expect((await signIn(mia.email, won)).status).toBe(200);
    expect((await rowOf(mia)).token_version).toBe(2);
  });
});
