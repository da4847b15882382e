import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Portal } from '#protocol/hosted/portals.ts';
import type { Teamspace, TeamspaceMembership } from '#protocol/hosted/teamspaces.ts';
import { limits } from '#protocol/limits.ts';
import type { Role } from '#protocol/roles.ts';
import { setTeamState } from '#service/accounts/team-state.ts';
import { newId } from '#service/ids.ts';
import { freeSubdomain } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser, type TestUser } from '#test/support/service/users.ts';
import { eventually } from '#test/support/system/processes.ts';

let at: TestService;
beforeAll(async () => {
  at = await startTestService({ limits: { refusalsPerAddress: 10_000 } });
});
afterAll(() => at?.close());

interface Member extends TestUser {
  readonly memberId: string;
}

interface TestTeam {
  readonly id: string;
  readonly owner: Member;
}

const as = (token: string) => ({ 'x-user-token': token });

async function join(team: string, role: Role): Promise<Member> {
  const person = await addUser(at, role, team);
  const row = await at.service.services.db
    .selectFrom('memberships')
    .select('id')
    .where('user_id', '=', person.userId)
    .executeTakeFirstOrThrow();
  return { ...person, memberId: row.id };
}

async function team(): Promise<TestTeam> {
  const id = await addTeam(at, 'A Team');
  return { id, owner: await join(id, 'owner') };
}

const create = (who: Member, team: string, body: unknown, headers = {}) =>
  at.call<Teamspace>('POST', `/v1/teams/${team}/spaces`, { headers: { ...as(who.token), ...headers }, body });
const get = (who: Member, id: string) => at.call<Teamspace>('GET', `/v1/spaces/${id}`, { headers: as(who.token) });
const rename = (who: Member, id: string, body: unknown) => at.call<Teamspace>('PUT', `/v1/spaces/${id}`, { headers: as(who.token), body });
const remove = (who: Member, id: string, query = '') => at.call('DELETE', `/v1/spaces/${id}${query}`, { headers: as(who.token) });
const list = (who: Member, team: string, query = '') =>
  at.call<{ metadata: { total: number; at_least?: boolean }; records: Teamspace[]; next: string }>(
    'GET',
    `/v1.1/teams/${team}/spaces${query}`,
    { headers: as(who.token) },
  );
const addMembers = (who: Member, id: string, memberIds: unknown) =>
  at.call<TeamspaceMembership[]>('POST', `/v1/spaces/${id}/members`, { headers: as(who.token), body: { member_ids: memberIds } });
const members = (who: Member, id: string) => at.call<TeamspaceMembership[]>('GET', `/v1/spaces/${id}/members`, { headers: as(who.token) });
const removeMember = (who: Member, id: string, membership: string) =>
  at.call('DELETE', `/v1/spaces/${id}/members/${membership}`, { headers: as(who.token) });

describe('a Teamspace', () => {
  it('is made with members, read, renamed and deleted', async () => {
    const { id, owner } = await team();
    const [mia, jonas] = [await join(id, 'member'), await join(id, 'guest')];
    const made = await create(owner, id, { name: 'Northlight', member_ids: [jonas.memberId, mia.memberId, jonas.memberId] });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'Northlight',
        members: [
          { id: expect.any(String), user_id: jonas.userId },
          { id: expect.any(String), user_id: mia.userId },
        ],
      },
    ]);
    expect((await get(mia, made.body.id)).body).toEqual(made.body);
    const renamed = await rename(owner, made.body.id, { name: 'Season 2' });
    expect([renamed.status, renamed.body]).toEqual([200, { ...made.body, name: 'Season 2' }]);
    expect((await members(jonas, made.body.id)).body).toEqual(made.body.members);
    const gone = await remove(owner, made.body.id);
    expect([gone.status, gone.body]).toEqual([204, null]);
    for (const answer of [await get(owner, made.body.id), await remove(owner, made.body.id), await members(owner, made.body.id)]) {
      expect(answer.status).toBe(404);
    }
  });

  describe('deleted, with a Portal and a package that came in through it', () => {
    const idsOf = async (who: TestUser, team: string): Promise<string[]> => {
      const answer = await at.call<{ records: { id: string }[] }>('GET', `/v1.1/teams/${team}/packages?status=new`, {
        headers: as(who.token),
      });
      return answer.body.records.map(({ id }) => id);
    };
    const send = async (portal: string): Promise<string> => {
      const body = { name: 'P', description: '', sender: 's@example.com' };
      return (await at.call<{ id: string }>('POST', `/v1/portals/${portal}/packages`, { body })).body.id;
    };
    async function scene() {
      const { id, owner } = await team();
      const [admin, inside, outside] = [await join(id, 'admin'), await join(id, 'member'), await join(id, 'member')];
      const { body: space } = await create(owner, id, { name: 'Space', member_ids: [inside.memberId] });
      const { body: portal } = await at.call<Portal>('POST', `/v1/teams/${id}/portals`, {
        headers: as(owner.token),
        body: { name: 'Portal', subdomain: freeSubdomain(), active: true, teamspace_id: space.id },
      });
      const made = await send(portal.id);
      expect(await idsOf(inside, id)).toEqual([made]);
      expect(await idsOf(outside, id)).toEqual([]);
      return { id, owner, admin, inside, outside, space, portal, made };
    }
    const sendBack = (who: TestUser, portal: Portal) =>
      at.call<Portal>('PUT', `/v1/portals/${portal.id}`, { headers: as(who.token), body: portal });

    it('leaves both closed: owners and admins see them, also what is sent later', async () => {
      const { id, owner, admin, inside, outside, space, portal, made } = await scene();
      expect((await remove(owner, space.id)).status).toBe(204);
      const later = await send(portal.id);
      for (const who of [inside, outside]) expect(await idsOf(who, id)).toEqual([]);
      for (const who of [owner, admin]) expect((await idsOf(who, id)).toSorted()).toEqual([made, later].toSorted());
      const filtered = `/v1.1/teams/${id}/packages?status=new&teamspaces=${space.id}`;
      expect((await at.call('GET', filtered, { headers: as(admin.token) })).body).toMatchObject({ metadata: { total: 2 } });
    });

    it('keeps its Portal closed when that is read, changed and sent back; an empty id opens it', async () => {
      const { owner, outside, id, space, portal } = await scene();
      await remove(owner, space.id);
      const read = await at.call<Portal>('GET', `/v1/portals/${portal.id}`, { headers: as(owner.token) });
      expect((await sendBack(owner, { ...read.body, name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', teamspace_id: space.id });
      await send(portal.id);
      expect(await idsOf(outside, id)).toEqual([]);
      expect((await sendBack(owner, { ...read.body, teamspace_id: '' })).status).toBe(200);
      const open = await send(portal.id);
      expect(await idsOf(outside, id)).toEqual([open]);
    });

    it('hands over what others hold or are making at that moment, too', async () => {
      const { id, owner, inside, outside, space, portal, made } = await scene();
      const target = await create(owner, id, { name: 'Heir', member_ids: [outside.memberId] });
      const { db } = at.service.services;
      const [holding, moved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      // As one who finalizes a package, and one who makes another through the Portal, whose Teamspace was read already.
      const busy = db.transaction().execute(async (trx) => {
        await trx.selectFrom('packages').select('id').where('id', '=', made).forUpdate().execute();
        const { teamspace_id } = await trx
          .selectFrom('portals')
          .select('teamspace_id')
          .where('id', '=', portal.id)
          .forKeyShare()
          .executeTakeFirstOrThrow();
        holding.resolve();
        await moved.promise;
        const row = await trx.selectFrom('packages').selectAll().where('id', '=', made).executeTakeFirstOrThrow();
        const another = newId();
        await trx
          .insertInto('packages')
          .values({ ...row, id: another, teamspace_id, size: 0, chunk_size: 0, usage_total_bytes: 0 })
          .execute();
        return another;
      });
      await holding.promise;
      const removed = remove(owner, space.id, `?move_to=${target.body.id}`);
      await eventually('the hand-over waits', async () => {
        const { rows } = await sql<{ waiting: number }>`
          select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        return Number(rows[0]!.waiting) > 0;
      });
      moved.resolve();
      const another = await busy;
      expect((await removed).status).toBe(204);
      expect((await idsOf(outside, id)).toSorted()).toEqual([made, another].toSorted());
      expect(await idsOf(inside, id)).toEqual([]);
    });

    it('hands both over to the Teamspace named in move_to', async () => {
      const { id, owner, inside, outside, space, portal, made } = await scene();
      const target = await create(owner, id, { name: 'Heir', member_ids: [outside.memberId] });
      expect((await remove(owner, space.id, `?move_to=${target.body.id}`)).status).toBe(204);
      const later = await send(portal.id);
      expect(await idsOf(inside, id)).toEqual([]);
      expect((await idsOf(outside, id)).toSorted()).toEqual([made, later].toSorted());
      expect((await get(owner, space.id)).status).toBe(404);
    });

    it('refuses to hand over to itself, to none and to one of another Team, and deletes nothing then', async () => {
      const { owner, space } = await scene();
      const other = await team();
      const { body: foreign } = await create(other.owner, other.id, { name: 'Foreign' });
      for (const [to, status] of [
        [space.id, 400],
        [newId(), 404],
        ['nonsense', 404],
        [foreign.id, 404],
      ] as const) {
        const answer = await remove(owner, space.id, `?move_to=${to}`);
        expect([answer.status, answer.body]).toMatchObject([status, { message: expect.stringContaining('move_to') }]);
      }
      expect((await get(owner, space.id)).status).toBe(200);
    });
  });

  it('asked for again under one Idempotency-Key is one', async () => {
    const { id, owner } = await team();
    const answers = await Promise.all([1, 2, 3].map(() => create(owner, id, { name: 'Once' }, { 'idempotency-key': 'k' })));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await list(owner, id)).body.metadata.total).toBe(1);
  });

  it.each([
    [{}, 400, 'The field name is missing.'],
    [{ name: '' }, 400, 'The field name must not be empty.'],
    [{ name: 'x'.repeat(256) }, 400, 'The field name must have at most 255 characters.'],
    [{ name: 'a\0b' }, 400, 'The field name must not contain NUL characters.'],
    [{ name: 'A', member_ids: 'all' }, 400, 'The field member_ids must be of type array.'],
    [{ name: 'A', member_ids: [7] }, 400, 'The field member_ids[0] must be of type string.'],
    [{ name: 'A', member_ids: Array(1_001).fill('x') }, 400, 'The field member_ids must have at most 1000 entries.'],
    [{ name: 'A', member_ids: ['nonsense'] }, 404, expect.stringContaining('member_ids[0]')],
    [{ name: 'A', member_ids: [newId()] }, 404, expect.stringContaining('member_ids[0]')],
  ])('of %j is refused, and none is made', async (body, status, message) => {
    const { id, owner } = await team();
    const answer = await create(owner, id, body);
    expect([answer.status, answer.body]).toMatchObject([status, { message }]);
    expect((await list(owner, id)).body.metadata.total).toBe(0);
  });
});

describe('members of a Teamspace', () => {
  it('are added once each, in the order named, and those who are in stay as they were', async () => {
    const { id, owner } = await team();
    const [a, b, c] = [await join(id, 'member'), await join(id, 'member'), await join(id, 'member')];
    const { body: space } = await create(owner, id, { name: 'Space', member_ids: [b.memberId] });
    const added = await addMembers(owner, space.id, [c.memberId, b.memberId, a.memberId]);
    expect([added.status, added.body.map((one) => one.user_id)]).toEqual([201, [c.userId, b.userId, a.userId]]);
    expect(added.body[1]).toEqual(space.members[0]);
    expect((await members(owner, space.id)).body.map((one) => one.id)).toEqual([
      added.body[1]!.id,
      ...added.body.filter((_, i) => i !== 1).map((one) => one.id),
    ]);
    expect((await addMembers(owner, space.id, [])).body).toEqual([]);
  });

  it('of another Team are not added, and nobody with them', async () => {
    const [mine, other] = [await team(), await team()];
    const mia = await join(mine.id, 'member');
    const { body: space } = await create(mine.owner, mine.id, { name: 'Space' });
    const answer = await addMembers(mine.owner, space.id, [mia.memberId, other.owner.memberId]);
    expect([answer.status, answer.body]).toMatchObject([404, { message: expect.stringContaining('member_ids[1]') }]);
    expect((await members(mine.owner, space.id)).body).toEqual([]);
  });

  it('are limited in number', async () => {
    const { id, owner } = await team();
    const { body: space } = await create(owner, id, { name: 'Space' });
    const { db } = at.service.services;
    await sql`
      with made as (
        insert into users (id, email, name, password_hash, created_at, updated_at)
        select gen_random_uuid(), 'many-' || number || ${`@${id}.example.com`}, 'Many', '', now(), now()
        from generate_series(1, ${limits.teamspaceMembers}::integer) as number returning id)
      insert into memberships (id, team_id, user_id, role, created_at) select gen_random_uuid(), ${id}, id, 'guest', now() from made`.execute(
      db,
    );
    const rows = await db.selectFrom('memberships').select('id').where('team_id', '=', id).where('role', '=', 'guest').execute();
    const all = rows.map((row) => row.id);
    expect((await addMembers(owner, space.id, all)).body).toHaveLength(limits.teamspaceMembers);
    const { status, body } = await addMembers(owner, space.id, [owner.memberId]);
    expect([status, body]).toMatchObject([400, { message: 'A Teamspace has at most 1000 members.' }]);
    expect((await addMembers(owner, space.id, all.slice(0, 2))).status).toBe(201);
    expect((await members(owner, space.id)).body).toHaveLength(limits.teamspaceMembers);
  });

  it('are removed by the id of their membership in it', async () => {
    const { id, owner } = await team();
    const mia = await join(id, 'member');
    const { body: space } = await create(owner, id, { name: 'Space', member_ids: [mia.memberId] });
    const { body: elsewhere } = await create(owner, id, { name: 'Elsewhere', member_ids: [mia.memberId] });
    expect((await removeMember(owner, space.id, elsewhere.members[0]!.id)).status).toBe(404);
    expect((await removeMember(owner, space.id, mia.memberId)).status).toBe(404);
    const gone = await removeMember(owner, space.id, space.members[0]!.id);
    expect([gone.status, gone.body]).toEqual([204, null]);
    expect((await removeMember(owner, space.id, space.members[0]!.id)).status).toBe(404);
    expect((await get(mia, space.id)).status).toBe(404);
    expect((await get(mia, elsewhere.id)).status).toBe(200);
  });

  it('who are added while they are removed from the Team are in neither afterwards', async () => {
    const { id, owner } = await team();
    const { body: space } = await create(owner, id, { name: 'Space' });
    for (let round = 0; round < 8; round += 1) {
      const mia = await join(id, 'member');
      const [, removed] = await Promise.all([
        addMembers(owner, space.id, [mia.memberId]),
        at.call('DELETE', `/v1/members/${mia.memberId}`, { headers: as(owner.token) }),
      ]);
      expect(removed.status).toBe(204);
      expect((await members(owner, space.id)).body).toEqual([]);
    }
  });

  it('who are added while the Teamspace is deleted: 201 or 404, never a failure', async () => {
    const { id, owner } = await team();
    const mia = await join(id, 'member');
    for (let round = 0; round < 8; round += 1) {
      const { body: space } = await create(owner, id, { name: 'Space' });
      const [added, removed] = await Promise.all([addMembers(owner, space.id, [mia.memberId]), remove(owner, space.id)]);
      expect(removed.status).toBe(204);
      expect([201, 404]).toContain(added.status);
    }
  });
});

describe('who sees and manages Teamspaces', () => {
  it('owners and admins all of them; others see those they are in and manage none', async () => {
    const { id, owner } = await team();
    const { body: inside } = await create(owner, id, { name: 'Inside' });
    const { body: outside } = await create(owner, id, { name: 'Outside' });
    for (const role of ['admin', 'integration_manager', 'member', 'guest'] as const) {
      const who = await join(id, role);
      await addMembers(owner, inside.id, [who.memberId]);
      const all = role === 'admin';
      expect(
        (await list(who, id)).body.records.map(({ name }) => name),
        role,
      ).toEqual(all ? ['Inside', 'Outside'] : ['Inside']);
      expect([(await get(who, inside.id)).status, (await get(who, outside.id)).status]).toEqual([200, all ? 200 : 404]);
      expect([(await members(who, inside.id)).status, (await members(who, outside.id)).status]).toEqual([200, all ? 200 : 404]);
      expect((await rename(who, inside.id, { name: 'Inside' })).status).toBe(all ? 200 : 403);
      expect((await rename(who, outside.id, { name: 'Outside' })).status).toBe(all ? 200 : 404);
      expect((await create(who, id, { name: 'New' })).status).toBe(all ? 201 : 403);
      expect((await addMembers(who, inside.id, [who.memberId])).status).toBe(all ? 201 : 403);
      if (all) for (const one of (await list(owner, id)).body.records.filter(({ name }) => name === 'New')) await remove(owner, one.id);
      else expect((await remove(who, inside.id)).status).toBe(403);
    }
  });

  it('nobody of another Team; nobody of an inactive one', async () => {
    const [mine, other] = [await team(), await team()];
    const { body: space } = await create(mine.owner, mine.id, { name: 'Space', member_ids: [mine.owner.memberId] });
    const all = async (who: Member) =>
      (
        await Promise.all([
          get(who, space.id),
          rename(who, space.id, { name: 'X' }),
          members(who, space.id),
          addMembers(who, space.id, []),
          removeMember(who, space.id, space.members[0]!.id),
          remove(who, space.id),
          list(who, mine.id),
          create(who, mine.id, { name: 'X' }),
        ])
      ).map(({ status }) => status);
    expect(new Set(await all(other.owner))).toEqual(new Set([404]));
    await setTeamState(at.service.services, mine.id, 'inactive');
    expect(new Set(await all(mine.owner))).toEqual(new Set([402]));
    await setTeamState(at.service.services, mine.id, 'active');
    expect((await get(mine.owner, space.id)).body).toEqual(space);
  });
});

describe('lists', () => {
  it('page through any number of Teamspaces in the order in which they were made', async () => {
    const { id, owner } = await team();
    const mia = await join(id, 'member');
    const made: { name: string; hers: boolean }[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          more: fc.array(fc.boolean(), { maxLength: 4 }),
          page: fc.nat(4),
          limit: fc.integer({ min: 1, max: 6 }),
          hers: fc.boolean(),
        }),
        async ({ more, page, limit, hers }) => {
          for (const one of more) {
            const name = `Space ${made.length}`;
            expect((await create(owner, id, { name, member_ids: one ? [mia.memberId] : [] })).status).toBe(201);
            made.push({ name, hers: one });
          }
          const visible = made.filter((one) => !hers || one.hers).map(({ name }) => name);
          const { body } = await list(hers ? mia : owner, id, `?page=${page}&limit=${limit}`);
          expect(body.metadata.total).toBe(visible.length);
          expect(body.records.map(({ name }) => name)).toEqual(visible.slice(page * limit, (page + 1) * limit));
          for (const { name, members } of body.records) {
            expect(members.length).toBe(made.find((one) => one.name === name)?.hers ? 1 : 0);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('find a part of a name, in the order of names', async () => {
    const { id, owner } = await team();
    const mia = await join(id, 'member');
    for (const name of ['Grading 100%', 'dailies', 'Dailies', 'grade 100']) {
      await create(owner, id, { name, member_ids: name === 'dailies' ? [mia.memberId] : [] });
    }
    const found = async (who: Member, query: string) => {
      const { metadata, records } = (await list(who, id, query)).body;
      expect(metadata.total).toBe(records.length);
      return records.map(({ name }) => name);
    };
    expect(await found(owner, '?sort=name')).toEqual(['dailies', 'Dailies', 'grade 100', 'Grading 100%']);
    expect(await found(owner, '?sort=-name')).toEqual(['Grading 100%', 'grade 100', 'Dailies', 'dailies']);
    expect(await found(owner, '?sort=-created_at')).toEqual(['grade 100', 'Dailies', 'dailies', 'Grading 100%']);
    expect(await found(owner, '?name=GRAD&sort=name')).toEqual(['grade 100', 'Grading 100%']);
    expect(await found(owner, `?name=${encodeURIComponent('0%')}`)).toEqual(['Grading 100%']);
    expect(await found(mia, '?name=dail')).toEqual(['dailies']);
    const named = (await list(mia, id, '?members=false')).body;
    expect(named).toEqual({ metadata: { total: 1 }, records: [{ id: expect.any(String), name: 'dailies' }], next: '' });
  });

  it.each(['name', '-name', 'created_at', '-created_at'])(
    'go on from answer to answer in the order of %s, whatever comes meanwhile',
    async (sort) => {
      const { id, owner } = await team();
      for (const name of ['b', 'A', 'a', 'C', 'ä']) await create(owner, id, { name });
      const whole = (await list(owner, id, `?sort=${sort}`)).body.records.map((one) => one.id);
      const seen: string[] = [];
      for (let after = ''; ; ) {
        const { metadata, records, next } = (await list(owner, id, `?sort=${sort}&limit=2&count_up_to=3${after && `&after=${after}`}`))
          .body;
        expect(metadata).toEqual({ total: 3, at_least: true });
        seen.push(...records.map((one) => one.id));
        if (next === '') break;
        // It stands before the place that was reached, so offsets would repeat one.
        if (after === '') await create(owner, id, { name: sort === 'name' ? '0' : 'zz' });
        after = next;
      }
      expect(seen.filter((one) => whole.includes(one))).toEqual(whole);
      const { next } = (await list(owner, id, `?sort=${sort}&limit=2`)).body;
      // As of the other lists that have both ways.
      expect((await list(owner, id, `?sort=${sort}&limit=2&after=`)).body.next).toBe(next);
      const other = sort.endsWith('name') ? 'created_at' : 'name';
      expect((await list(owner, id, `?sort=${other}&after=${next}`)).status).toBe(400);
    },
  );

  it.each(['?limit=0', '?limit=51', '?page=-1', '?page=x', '?sort=id', '?members=some'])('refuse %s', async (query) => {
    const { id, owner } = await team();
    expect((await list(owner, id, query)).status).toBe(400);
  });
});
