import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Package } from '#protocol/hosted/packages.ts';
import type { Tag } from '#protocol/hosted/tags.ts';
import { newId } from '#service/ids.ts';
import { putPackage, readPackage } from '#test/support/service/packages.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());

type Refused = { message: string };
const make = (name: unknown, token = t.userToken, team = t.teamId) =>
  t.call<Tag & Refused>('POST', `/v1/teams/${team}/tags`, { headers: { 'x-user-token': token }, body: { name } });
const list = async () => (await t.call<Tag[]>('GET', `/v1/teams/${t.teamId}/tags`, { headers: { 'x-api-key': t.apiKey } })).body;
const remove = (id: string, token = t.userToken) => t.call('DELETE', `/v1/tags/${id}`, { headers: { 'x-user-token': token } });

describe('tags', () => {
  it('are made once each, listed by name, and deleted; packages that had one stay', async () => {
    const [season2, season1] = [await make('season 2'), await make('Season 1')];
    expect(season2).toMatchObject({ status: 201, body: { name: 'season 2', team_id: t.teamId, active: true } });
    expect(await make('SEASON 2')).toMatchObject({ status: 409, body: { message: expect.stringContaining('SEASON 2') } });
    expect((await list()).map(({ name }) => name)).toEqual(['Season 1', 'season 2']);
    const tagged = await putPackage(t, { tag_id: season2.body.id });
    expect((await readPackage(t, tagged)).tag?.name).toBe('season 2');
    expect((await remove(season2.body.id)).status).toBe(204);
    expect((await remove(season2.body.id)).status).toBe(404);
    expect((await readPackage(t, tagged)).tag).toBeUndefined();
    expect((await list()).map(({ id }) => id)).toEqual([season1.body.id]);
    const legacy = await t.call<Package[]>('GET', `/v1/teams/${t.teamId}/packages`, { headers: { 'x-api-key': t.apiKey } });
    expect(legacy.body.find(({ id }) => id === tagged)).toMatchObject({ teamspace_id: '', links: [] });
  });

  it('are renamed wherever they stand, but not to the name of another', async () => {
    const rename = (id: string, name: unknown) =>
      t.call<Tag & Refused>('PUT', `/v1/tags/${id}`, { headers: { 'x-user-token': t.userToken }, body: { name } });
    const [one, two] = [(await make('Rename me')).body, (await make('Taken')).body];
    const tagged = await putPackage(t, { tag_id: one.id });
    expect(await rename(one.id, 'rename ME')).toMatchObject({ status: 200, body: { id: one.id, name: 'rename ME' } });
    expect((await readPackage(t, tagged)).tag).toEqual({ id: one.id, name: 'rename ME' });
    expect(await rename(one.id, 'TAKEN')).toMatchObject({ status: 409, body: { message: expect.stringContaining('TAKEN') } });
    expect((await rename(newId(), 'Nobody')).status).toBe(404);
    for (const { id } of [one, two]) await remove(id);
  });

  it('requested many times concurrently are created once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => make('Race')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it.each([[undefined], [''], [7], ['x'.repeat(256)], ['a\0b']])('refuse the name %j', async (name) => {
    const answer = await make(name);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/name|NUL/);
  });

  it('are made by those who send, and never seen by another Team', async () => {
    const guest = await addUser(t, 'guest');
    expect((await make('Guests', guest.token)).status).toBe(403);
    const mine = (await make('Mine', (await addUser(t, 'member')).token)).body;
    expect((await remove(mine.id, guest.token)).status).toBe(403);
    const stranger = await addUser(t, 'owner', await addTeam(t, 'Elsewhere'));
    expect((await make('Theirs', stranger.token)).status).toBe(404);
    expect((await remove(mine.id, stranger.token)).status).toBe(404);
    for (const id of [newId(), 'no-id']) expect((await remove(id)).status).toBe(404);
    expect((await list()).map(({ name }) => name)).toContain('Mine');
  });

  it('end at a thousand of a Team', async () => {
    const team = await addTeam(t, 'Taggers');
    const owner = await addUser(t, 'owner', team);
    const { db, now } = t.service.services;
    const times = { created_at: now(), updated_at: now() };
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ id: newId(), team_id: team, name: `Tag ${n}`, ...times }));
    await db.insertInto('tags').values(rows).execute();
    expect(await make('One more', owner.token, team)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('1000 tags') },
    });
  });
});
