import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiKey, CreatedApiKey, ListedApiKey } from '#protocol/hosted/accounts.ts';
import { limits } from '#protocol/limits.ts';
import { type Role, roles } from '#protocol/roles.ts';
import { hashApiKeySecret } from '#service/accounts/api-key-secret.ts';
import { setTeamState } from '#service/accounts/team-state.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, type TestUser } from '#test/support/service/users.ts';

const unset = '0001-01-01T00:00:00.000Z';
const nobodysId = '01900000-0000-7000-8000-000000000000';

let at: TestService;
let people: Record<Role, TestUser>;

beforeAll(async () => {
  at = await startTestService();
  const added = await Promise.all(roles.map(async (role) => [role, await addUser(at, role)] as const));
  people = Object.fromEntries(added) as Record<Role, TestUser>;
});
afterAll(() => at?.close());

const as = (token: string) => ({ 'x-user-token': token });
const create = (token: string, body: object = {}, teamId = at.teamId) =>
  at.call<CreatedApiKey>('POST', `/v1/teams/${teamId}/api_keys`, { headers: as(token), body: { name: 'Key', state: 'active', ...body } });
const list = async (token = at.userToken) => await at.call<ApiKey[]>('GET', `/v1/teams/${at.teamId}/api_keys`, { headers: as(token) });
const find = async (id: string) => (await list()).body.find((key) => key.id === id);
const whoAmI = (key: string) => at.call('GET', '/v1/users/me', { headers: { 'x-api-key': key } });
const update = (token: string, id: string, body: object) =>
  at.call<ApiKey>('PUT', `/v1/api_keys/${id}`, { headers: as(token), body: { name: 'Key', state: 'active', ...body } });
const setState = (token: string, id: string, action: string) =>
  at.call('PUT', `/v1/api_keys/${id}/${action}`, { headers: { ...as(token), 'content-type': 'application/json' } });
const remove = (token: string, id: string) => at.call('DELETE', `/v1/api_keys/${id}`, { headers: as(token) });

describe('creating', () => {
  it('answers with the whole key and its secret, once; the secret is stored nowhere', async () => {
    const made = await create(at.userToken, { name: 'Nightly', description: 'Render farm', expiry: '2099-01-01T00:00:00.000Z' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: expect.stringMatching(/^ls_[A-Za-z0-9_-]{43}$/),
      name: 'Nightly',
      description: 'Render farm',
      expiry: '2099-01-01T00:00:00.000Z',
      state: 'active',
      created_at: expect.any(String),
      updated_at: made.body.created_at,
      last_request_at: unset,
    });
    expect((await whoAmI(made.body.key)).status).toBe(200);
    expect(JSON.stringify((await list()).body)).not.toContain(made.body.key);
    const rows = await at.service.services.db.selectFrom('api_keys').selectAll().where('id', '=', made.body.id).execute();
    expect(rows[0]!.secret_hash.equals(hashApiKeySecret(made.body.key))).toBe(true);
    expect(JSON.stringify(rows)).not.toContain(made.body.key);
  });

  it('is refused once the Team has as many as it may have', async () => {
    const team = await addTeam(at, 'Many keys');
    const owner = await addUser(at, 'owner', team);
    const first = await create(owner.token, {}, team);
    await sql`
      insert into api_keys (id, team_id, created_by, name, description, state, secret_hash, created_at, updated_at)
      select gen_random_uuid(), ${team}, ${owner.userId}, 'Filler', '', 'inactive', uuid_send(gen_random_uuid()), now(), now()
      from generate_series(2, ${sql.lit(limits.apiKeysPerTeam)})`.execute(at.service.services.db);
    expect(await create(owner.token, {}, team)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('at most 1000 API keys') },
    });
    expect((await remove(owner.token, first.body.id)).status).toBe(204);
    expect((await create(owner.token, {}, team)).status).toBe(201);
  });

  it('leaves expiry and description unset when they are not given', async () => {
    const made = await create(at.userToken);
    expect(made.body).toMatchObject({ description: '', expiry: unset });
  });

  it.each([
    [{ name: undefined }, 'The field name is missing.'],
    [{ name: '' }, 'The field name must not be empty.'],
    [{ state: undefined }, 'The field state is missing.'],
    [{ state: 'suspended' }, 'The field state must be one of active, inactive.'],
    [{ expiry: 'tomorrow' }, 'The field expiry must be a date and time like 2026-11-20T18:04:11.000Z.'],
    [{ name: 7 }, 'The field name must be of type string.'],
  ])('refuses %j', async (body, message) => {
    const { status, body: answer } = await create(at.userToken, body);
    expect([status, answer]).toEqual([400, { code: 65537, message }]);
  });

  it('makes one inactive that does not work until it is activated', async () => {
    const { body: key } = await create(at.userToken, { state: 'inactive' });
    expect((await whoAmI(key.key)).status).toBe(401);
    expect((await setState(at.userToken, key.id, 'active')).status).toBe(204);
    expect((await whoAmI(key.key)).status).toBe(200);
  });
});

describe('who may do what', () => {
  it.each<[Role, number]>([
    ['owner', 201],
    ['admin', 201],
    ['integration_manager', 201],
    ['member', 403],
    ['guest', 403],
  ])('%s creating: %i', async (role, status) => {
    expect((await create(people[role].token)).status).toBe(status);
  });

  it.each<[Role, number]>([
    ['owner', 200],
    ['admin', 403],
    ['integration_manager', 403],
    ['member', 403],
    ['guest', 403],
  ])('%s listing: %i', async (role, status) => {
    expect((await list(people[role].token)).status).toBe(status);
  });

  it.each<[Role, number]>([
    ['owner', 200],
    ['admin', 200],
    ['integration_manager', 200],
    ['member', 403],
    ['guest', 403],
  ])('%s listing their own: %i', async (role, status) => {
    const { token, userId } = people[role];
    const made = await create(token, { name: 'My own' });
    const answer = await at.call<ListedApiKey[]>('GET', `/v1/teams/${at.teamId}/api_keys?own=true`, { headers: as(token) });
    expect(answer.status).toBe(status);
    if (status !== 200) return;
    expect(answer.body.map(({ id }) => id)).toContain(made.body.id);
    for (const { created_by } of answer.body) expect(created_by).toEqual({ user_id: userId, name: role });
  });

  it.each<[Role, number]>([
    ['owner', 200],
    ['admin', 403],
    ['integration_manager', 403],
    ['member', 403],
    ['guest', 403],
  ])("%s changing another's key: %i", async (role, status) => {
    const { body: key } = await create(at.userToken);
    expect((await update(people[role].token, key.id, {})).status).toBe(status);
    expect((await setState(people[role].token, key.id, 'inactive')).status).toBe(status === 200 ? 204 : status);
    expect((await remove(people[role].token, key.id)).status).toBe(status === 200 ? 204 : status);
    expect(Boolean(await find(key.id))).toBe(status !== 200);
  });

  it.each<Role>(['admin', 'integration_manager'])('%s manages a key of their own', async (role) => {
    const { body: key } = await create(people[role].token);
    expect((await update(people[role].token, key.id, { name: 'Mine' })).body.name).toBe('Mine');
    expect((await setState(people[role].token, key.id, 'inactive')).status).toBe(204);
    expect((await remove(people[role].token, key.id)).status).toBe(204);
  });

  it('a user who lost the role no longer manages their key, and the key has the new role', async () => {
    const person = await addUser(at, 'admin');
    const { body: key } = await create(person.token);
    await at.service.services.db.updateTable('memberships').set({ role: 'guest' }).where('user_id', '=', person.userId).execute();
    at.service.services.credentials.invalidateUser(person.userId);
    expect((await update(person.token, key.id, {})).status).toBe(403);
    expect((await whoAmI(key.key)).body).toMatchObject({ user: { level: 'guest' } });
  });

  it('a key whose owner has left the Team is rejected', async () => {
    const person = await addUser(at, 'admin');
    const { body: key } = await create(person.token);
    await at.service.services.db.deleteFrom('memberships').where('user_id', '=', person.userId).execute();
    expect((await whoAmI(key.key)).status).toBe(401);
  });

  it('keys of another Team are not found', async () => {
    const other = await addTeam(at, 'Elsewhere');
    const stranger = await addUser(at, 'owner', other);
    const { body: key } = await create(at.userToken);
    expect((await create(stranger.token)).status).toBe(404);
    expect((await list(stranger.token)).status).toBe(404);
    expect((await update(stranger.token, key.id, {})).status).toBe(404);
    expect((await setState(stranger.token, key.id, 'inactive')).status).toBe(404);
    expect((await remove(stranger.token, key.id)).status).toBe(404);
  });

  it.each([nobodysId, 'nonsense', "' or 1=1"])('a key or Team %s does not exist', async (id) => {
    const path = encodeURIComponent(id);
    expect((await update(at.userToken, path, {})).status).toBe(404);
    expect((await remove(at.userToken, path)).status).toBe(404);
    expect((await create(at.userToken, {}, path)).status).toBe(404);
  });
});

describe('changing', () => {
  it('replaces all fields, as the body has them, and never shows the secret', async () => {
    const { body: key } = await create(at.userToken, { description: 'Old', expiry: '2099-01-01T00:00:00.000Z' });
    const changed = await update(at.userToken, key.id, { name: 'New', state: 'inactive' });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      id: key.id,
      name: 'New',
      description: '',
      expiry: unset,
      state: 'inactive',
      created_at: key.created_at,
    });
    expect(changed.body).not.toHaveProperty('key');
    expect(changed.body.updated_at >= key.updated_at).toBe(true);
    expect(await find(key.id)).toEqual({ ...changed.body, created_by: expect.any(Object) });
  });

  it('takes effect at once, although keys are cached', async () => {
    const { body: key } = await create(at.userToken);
    expect((await whoAmI(key.key)).status).toBe(200);
    await setState(at.userToken, key.id, 'inactive');
    expect((await whoAmI(key.key)).status).toBe(401);
    await setState(at.userToken, key.id, 'active');
    expect((await whoAmI(key.key)).status).toBe(200);
    await update(at.userToken, key.id, { expiry: '2020-01-01T00:00:00.000Z' });
    expect((await whoAmI(key.key)).status).toBe(401);
    await update(at.userToken, key.id, {});
    expect((await whoAmI(key.key)).status).toBe(200);
    await remove(at.userToken, key.id);
    expect((await whoAmI(key.key)).status).toBe(401);
  });

  it('takes active and inactive as actions only', async () => {
    const { body: key } = await create(at.userToken);
    expect((await setState(at.userToken, key.id, 'suspended')).status).toBe(400);
  });

  it('deleting answers 204 with nothing, and 404 afterwards', async () => {
    const { body: key } = await create(at.userToken);
    const removed = await remove(at.userToken, key.id);
    expect([removed.status, removed.body]).toEqual([204, null]);
    expect((await remove(at.userToken, key.id)).status).toBe(404);
  });

  it('an API key cannot manage API keys', async () => {
    const answer = await at.call('GET', `/v1/teams/${at.teamId}/api_keys`, { headers: { 'x-api-key': at.apiKey } });
    expect(answer.status).toBe(401);
  });
});

describe('suspension', () => {
  it('suspends all keys with their Team, unchangeably, and gives each back the state it had', async () => {
    const team = await addTeam(at, 'Debtors');
    const owner = await addUser(at, 'owner', team);
    const make = (body: object) => create(owner.token, body, team);
    const [active, inactive] = [(await make({})).body, (await make({ state: 'inactive' })).body];
    const states = async () => {
      const answer = await at.call<ApiKey[]>('GET', `/v1/teams/${team}/api_keys`, { headers: as(owner.token) });
      return answer.body.map((key) => key.state);
    };
    expect((await whoAmI(active.key)).status).toBe(200);

    await setTeamState(at.service.services, team, 'inactive');
    expect(await states()).toEqual(['suspended', 'suspended']);
    for (const key of [active, inactive]) {
      const used = await whoAmI(key.key);
      expect([used.status, used.body]).toEqual([402, expect.objectContaining({ code: 131076 })]);
      for (const action of ['active', 'inactive']) expect((await setState(owner.token, key.id, action)).status).toBe(409);
      expect((await update(owner.token, key.id, { state: 'active' })).status).toBe(409);
    }
    expect((await make({})).status).toBe(402);

    await setTeamState(at.service.services, team, 'active');
    expect(await states()).toEqual(['active', 'inactive']);
    expect((await whoAmI(active.key)).status).toBe(200);
    expect((await whoAmI(inactive.key)).status).toBe(401);
  });

  it('of a Team that does not exist is an error', async () => {
    await expect(setTeamState(at.service.services, nobodysId, 'inactive')).rejects.toMatchObject({ error: 'not_found' });
  });
});

describe('an Idempotency-Key', () => {
  const make = (key: string, body: object, token = at.userToken) =>
    at.call<CreatedApiKey>('POST', `/v1/teams/${at.teamId}/api_keys`, {
      headers: { ...as(token), 'idempotency-key': key },
      body: { name: 'Once', state: 'active', ...body },
    });
  const countOf = async (name: string) => (await list()).body.filter((key) => key.name === name).length;

  it('gives the first answer again, secret and all, and makes one key', async () => {
    const name = 'Twice asked';
    const [first, second] = [await make('a', { name }), await make('a', { name })];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(await countOf(name)).toBe(1);
  });

  it('runs once for concurrent calls', async () => {
    const name = 'Asked at once';
    const answers = await Promise.all(Array.from({ length: 8 }, () => make('b', { name })));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await countOf(name)).toBe(1);
  });

  it('refuses another body', async () => {
    await make('c', { name: 'One' });
    expect((await make('c', { name: 'Two' })).status).toBe(409);
  });

  it('keeps no failure, and is of one caller only', async () => {
    expect((await make('d', {}, people.member.token)).status).toBe(403);
    expect((await make('d', {})).status).toBe(201);
    expect((await make('d', { name: 'Other body' }, people.admin.token)).status).toBe(201);
  });

  it('is forgotten after a day', async () => {
    const name = 'Next day';
    const first = await make('e', { name });
    await at.service.services.db
      .updateTable('idempotency_answers')
      .set({ created_at: new Date(Date.now() - 25 * 3_600_000) })
      .execute();
    expect((await make('e', { name })).body.id).not.toBe(first.body.id);
  });

  it('keeps answers unreadable in the database', async () => {
    const { body: key } = await make('f', {});
    const rows = await at.service.services.db.selectFrom('idempotency_answers').selectAll().execute();
    for (const row of rows) expect(row.answer!.includes(key.key)).toBe(false);
  });

  it('of unusual length is refused', async () => {
    expect((await make('x'.repeat(256), {})).status).toBe(400);
  });
});
