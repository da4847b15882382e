import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthResult, CreatedApiKey } from '#protocol/hosted/accounts.ts';
import type { Membership } from '#protocol/hosted/members.ts';
import { limits } from '#protocol/limits.ts';
import { type Role, roles } from '#protocol/roles.ts';
import { setTeamState } from '#service/accounts/team-state.ts';
import { newId } from '#service/ids.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, join, type TestUser } from '#test/support/service/users.ts';

let at: TestService;
beforeAll(async () => {
  at = await startTestService({ limits: { signInsPerAddress: 10_000, refusalsPerAddress: 10_000 } });
});
afterAll(() => at?.close());

const as = (token: string) => ({ 'x-user-token': token });
const list = (token: string, team: string) => at.call<Membership[]>('GET', `/v1/teams/${team}/members`, { headers: as(token) });
const add = (token: string, team: string, body: object, headers = {}) =>
  at.call<Membership>('POST', `/v1/teams/${team}/members`, { headers: { ...as(token), ...headers }, body });
const update = (token: string, id: string, role: unknown) =>
  at.call<Membership>('PUT', `/v1/members/${id}`, { headers: as(token), body: { role } });
const remove = (token: string, id: string) => at.call('DELETE', `/v1/members/${id}`, { headers: as(token) });
const fresh = () => `person-${newId()}@example.com`;

interface TestTeam {
  readonly id: string;
  readonly owner: TestUser;
  readonly memberId: (who: TestUser) => Promise<string>;
}

async function team(): Promise<TestTeam> {
  const id = await addTeam(at, 'A Team');
  const owner = await addUser(at, 'owner', id);
  const memberId = async (who: TestUser) => {
    const row = await at.service.services.db
      .selectFrom('memberships')
      .select('id')
      .where('team_id', '=', id)
      .where('user_id', '=', who.userId)
      .executeTakeFirstOrThrow();
    return row.id;
  };
  return { id, owner, memberId };
}

describe('listing', () => {
  it('shows members in the order in which they joined, to every role', async () => {
    const { id, owner, memberId } = await team();
    const people = [owner, ...(await Promise.all(roles.map((role) => addUser(at, role, id))))];
    const expected = await Promise.all(
      people.map(async (who, index) => ({
        id: await memberId(who),
        user_id: who.userId,
        name: roles[index - 1] ?? 'owner',
        email: who.email,
        role: roles[index - 1] ?? 'owner',
        state: 'active',
      })),
    );
    for (const who of people) expect((await list(who.token, id)).body).toEqual(expected.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  });
});

describe('adding is inviting, and', () => {
  it('asked again under one Idempotency-Key gives the first answer', async () => {
    const { id, owner } = await team();
    const body = { email: fresh(), role: 'member' };
    const answers = [
      await add(owner.token, id, body, { 'idempotency-key': 'a' }),
      await add(owner.token, id, body, { 'idempotency-key': 'a' }),
    ];
    expect(answers[1]).toMatchObject({ status: 201, body: answers[0]!.body });
  });

  it.each([
    [{ role: 'member' }, 'The field email is missing.'],
    [{ email: 'jonas', role: 'member' }, 'The field email must be an e-mail address.'],
    [{ email: 'jonas@example.com\r\nBcc: x@example.com', role: 'member' }, 'The field email must be an e-mail address.'],
    [{ email: 'jonas@example.com' }, 'The field role is missing.'],
    [{ email: 'jonas@example.com', role: 'king' }, 'The field role must be one of owner, admin, integration_manager, member, guest.'],
    [
      { email: 'jonas@example.com', role: 'member', password: 'a first password' },
      'The field password is not taken: people choose their own when they accept the invitation that is mailed to them.',
    ],
    [
      { email: 'jonas@example.com', role: 'member', password: null },
      'The field password is not taken: people choose their own when they accept the invitation that is mailed to them.',
    ],
    [{ email: 'jonas@example.com', role: 'member', name: '' }, 'The field name must not be empty.'],
  ])('refuses %j and adds nobody', async (body, message) => {
    const { id, owner } = await team();
    const answer = await add(owner.token, id, body);
    expect([answer.status, answer.body]).toMatchObject([400, { message }]);
    expect((await list(owner.token, id)).body).toHaveLength(1);
  });
});

describe('roles', () => {
  it('owners and admins manage members; owners alone make, change and remove owners', async () => {
    const { id, owner, memberId } = await team();
    const admin = await addUser(at, 'admin', id);
    const member = await addUser(at, 'member', id);
    const second = await addUser(at, 'owner', id);
    const [adminId, membersId, ownerId, secondId] = await Promise.all([admin, member, owner, second].map(memberId));
    expect((await add(admin.token, id, { email: fresh(), role: 'owner' })).status).toBe(403);
    expect((await update(admin.token, membersId!, 'owner')).status).toBe(403);
    expect((await update(admin.token, ownerId!, 'guest')).status).toBe(403);
    expect((await remove(admin.token, ownerId!)).status).toBe(403);
    expect((await update(admin.token, membersId!, 'integration_manager')).body.role).toBe('integration_manager');
    expect((await update(member.token, adminId!, 'guest')).status).toBe(403);
    expect((await remove(member.token, adminId!)).status).toBe(403);
    expect((await update(owner.token, secondId!, 'admin')).status).toBe(200);
    expect((await update(owner.token, adminId!, 'owner')).status).toBe(200);
    expect((await remove(owner.token, adminId!)).status).toBe(204);
    expect((await list(owner.token, id)).body.map((one) => one.role).toSorted()).toEqual(['admin', 'integration_manager', 'owner']);
  });

  it('a change takes effect at once, for API keys too', async () => {
    const { id, owner, memberId } = await team();
    const admin = await addUser(at, 'admin', id);
    const key = await at.call<CreatedApiKey>('POST', `/v1/teams/${id}/api_keys`, {
      headers: as(admin.token),
      body: { name: 'K', state: 'active' },
    });
    const addByKey = () =>
      at.call('POST', `/v1/teams/${id}/members`, { headers: { 'x-api-key': key.body.key }, body: { email: fresh(), role: 'guest' } });
    expect((await addByKey()).status).toBe(201);
    await update(owner.token, await memberId(admin), 'member');
    expect((await addByKey()).status).toBe(403);
  });

  it.each([undefined, 'king', 7, null])('is not %j', async (role) => {
    const { owner, memberId } = await team();
    expect((await update(owner.token, await memberId(owner), role)).status).toBe(400);
  });
});

describe('the last owner', () => {
  it('is neither demoted nor removed', async () => {
    const { id, owner, memberId } = await team();
    const mine = await memberId(owner);
    for (const answer of [await update(owner.token, mine, 'admin'), await remove(owner.token, mine)]) {
      expect([answer.status, answer.body]).toMatchObject([409, { message: expect.stringContaining('the only owner') }]);
    }
    expect((await update(owner.token, mine, 'owner')).status).toBe(200);
    expect((await list(owner.token, id)).body).toMatchObject([{ role: 'owner' }]);
  });

  it('stays also when several owners go at the same time, whoever removes or demotes whom', async () => {
    for (const how of ['remove', 'demote', 'themselves']) {
      const { id, owner, memberId } = await team();
      const owners = [owner, ...(await Promise.all([1, 2, 3].map(() => addUser(at, 'owner', id))))];
      const ids = await Promise.all(owners.map(memberId));
      const answers = await Promise.all(
        owners.map(({ token }, index) => {
          const target = ids[how === 'themselves' ? index : (index + 1) % owners.length]!;
          return how === 'remove' ? remove(token, target) : update(token, target, 'guest');
        }),
      );
      for (const { status } of answers) expect([200, 204, 403, 404, 409]).toContain(status);
      const left = await at.service.services.db
        .selectFrom('memberships')
        .selectAll()
        .where('team_id', '=', id)
        .where('role', '=', 'owner')
        .execute();
      expect(left.length, how).toBeGreaterThan(0);
    }
  });
});

describe('somebody who is removed', () => {
  it('loses Team, Teamspaces, API keys and their preferred Team; coming back gives no key its force again', async () => {
    const [first, second] = [await team(), await team()];
    const jonas = await addUser(at, 'admin', first.id);
    await join(at, { id: second.id, by: second.owner.token }, { email: jonas.email, role: 'member' }, jonas);
    const { body: key } = await at.call<CreatedApiKey>('POST', `/v1/teams/${first.id}/api_keys`, {
      headers: as(jonas.token),
      body: { name: 'K', state: 'active' },
    });
    const { body: space } = await at.call<{ id: string }>('POST', `/v1/teams/${first.id}/spaces`, {
      headers: as(first.owner.token),
      body: { name: 'Space', member_ids: [await first.memberId(jonas)] },
    });
    const me = () => at.call<AuthResult>('GET', '/v1/users/me', { headers: as(jonas.token) });
    const byKey = async () => (await at.call('GET', '/v1/users/me', { headers: { 'x-api-key': key.key } })).status;
    expect([await byKey(), (await me()).body.teams.length]).toEqual([200, 2]);

    expect((await remove(first.owner.token, await first.memberId(jonas))).status).toBe(204);
    expect(await byKey()).toBe(401);
    expect((await me()).body).toMatchObject({
      teams: [{ id: second.id }],
      user: { primary_team_id: second.id, preferred_team_id: second.id },
    });
    expect((await list(jonas.token, first.id)).status).toBe(404);
    const members = await at.call('GET', `/v1/spaces/${space.id}/members`, { headers: as(first.owner.token) });
    expect(members.body).toEqual([]);

    await join(at, { id: first.id, by: first.owner.token }, { email: jonas.email, role: 'admin' }, jonas);
    expect(await byKey()).toBe(401);
    const keys = await at.call('GET', `/v1/teams/${first.id}/api_keys`, { headers: as(first.owner.token) });
    expect(keys.body).toMatchObject([{ id: key.id, state: 'inactive' }]);
    expect((await at.call('GET', `/v1/spaces/${space.id}`, { headers: as(jonas.token) })).body).toMatchObject({ members: [] });
  });

  it('manages no package by a token they still hold, and finalizes none', async () => {
    const { id, owner, memberId } = await team();
    const jonas = await addUser(at, 'member', id);
    const { body: made } = await at.call<{ id: string; access_token: string }>('POST', `/v1/teams/${id}/packages`, {
      headers: as(jonas.token),
      body: { name: 'P', description: '', recipients: ['r@example.com'] },
    });
    const headers = { 'x-package-token': made.access_token };
    expect((await at.call('GET', `/v1/packages/${made.id}/links`, { headers })).status).toBe(200);
    await remove(owner.token, await memberId(jonas));
    expect((await at.call('GET', `/v1/packages/${made.id}/links`, { headers })).status).toBe(403);
    expect((await at.call('POST', `/v1/packages/${made.id}/finalize`, { headers })).status).toBe(403);
  });
});

describe('a Team that is inactive', () => {
  it('answers 402 to its owner for every one of these calls, and as before when it is active again', async () => {
    const { id, owner, memberId } = await team();
    const mine = await memberId(owner);
    const calls = () =>
      Promise.all([
        list(owner.token, id),
        add(owner.token, id, { email: fresh(), role: 'guest' }),
        update(owner.token, mine, 'owner'),
        remove(owner.token, mine),
      ]);
    await setTeamState(at.service.services, id, 'inactive');
    expect((await calls()).map(({ status }) => status)).toEqual([402, 402, 402, 402]);
    await setTeamState(at.service.services, id, 'active');
    expect((await calls()).map(({ status }) => status)).toEqual([200, 201, 200, 409]);
  });
});

it('answers 404 for members of another Team, as for unknown ones', async () => {
  const [mine, other] = [await team(), await team()];
  const target = await other.memberId(other.owner);
  expect((await list(mine.owner.token, other.id)).status).toBe(404);
  expect((await add(mine.owner.token, other.id, { email: fresh(), role: 'guest' })).status).toBe(404);
  const foreign = await update(mine.owner.token, target, 'guest');
  expect(foreign.body).toEqual((await update(mine.owner.token, newId(), 'guest')).body);
  expect([foreign.status, (await remove(mine.owner.token, target)).status]).toEqual([404, 404]);
});

/** What a Team's roles become by any sequence of calls, in a model of a few lines. */
describe('any sequence of changes', () => {
  type Step = { readonly by: number; readonly target: number; readonly to: Role | 'gone' };
  const steps = fc.array(fc.record({ by: fc.nat(3), target: fc.nat(3), to: fc.constantFrom<Role | 'gone'>(...roles, 'gone') }), {
    minLength: 1,
    maxLength: 12,
  }) as fc.Arbitrary<Step[]>;

  const expected = (model: Map<number, Role>, { by, target, to }: Step): number => {
    const [mine, theirs] = [model.get(by), model.get(target)];
    if (theirs === undefined || mine === undefined) return 404;
    if (mine !== 'owner' && (mine !== 'admin' || theirs === 'owner' || to === 'owner')) return 403;
    const owners = [...model.values()].filter((role) => role === 'owner').length;
    if (theirs === 'owner' && to !== 'owner' && owners === 1) return 409;
    if (to === 'gone') model.delete(target);
    else model.set(target, to);
    return to === 'gone' ? 204 : 200;
  };

  it('leads to the roles that the model has', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const { id, owner, memberId } = await team();
        const people = [owner, await addUser(at, 'owner', id), await addUser(at, 'admin', id), await addUser(at, 'member', id)];
        const ids = await Promise.all(people.map(memberId));
        const model = new Map<number, Role>([
          [0, 'owner'],
          [1, 'owner'],
          [2, 'admin'],
          [3, 'member'],
        ]);
        for (const step of sequence) {
          const status = expected(model, step);
          const { token } = people[step.by]!;
          const answer = step.to === 'gone' ? await remove(token, ids[step.target]!) : await update(token, ids[step.target]!, step.to);
          expect(answer.status, JSON.stringify(step)).toBe(status);
        }
        const rows = await at.service.services.db.selectFrom('memberships').select(['user_id', 'role']).where('team_id', '=', id).execute();
        expect(new Map(rows.map((row) => [people.findIndex((who) => who.userId === row.user_id), row.role]))).toEqual(model);
      }),
      { numRuns: 25 },
    );
  });
});

it('a Team has a limit of members, and open invitations count', async () => {
  const { id, owner } = await team();
  const { db } = at.service.services;
  await sql`
    with made as (
      insert into users (id, email, name, password_hash, created_at, updated_at)
      select gen_random_uuid(), 'many-' || number || ${`@${id}.example.com`}, 'Many', '', now(), now()
      from generate_series(2, ${limits.teamMembers - 1}::integer) as number returning id)
    insert into memberships (id, team_id, user_id, role, created_at) select gen_random_uuid(), ${id}, id, 'guest', now() from made`.execute(
    db,
  );
  expect((await add(owner.token, id, { email: fresh(), role: 'guest' })).status).toBe(201);
  const { status, body } = await add(owner.token, id, { email: fresh(), role: 'guest' });
  expect([status, body]).toMatchObject([400, { message: `A Team has at most ${limits.teamMembers} members.` }]);
  expect((await list(owner.token, id)).body).toHaveLength(limits.teamMembers);
});
