import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Package, PackageState } from '#protocol/hosted/packages.ts';
import type { Tag } from '#protocol/hosted/tags.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { newId } from '#service/ids.ts';
import { inPairs } from '#test/support/service/in-pairs.ts';
import { managing, putPackage, readPackage } from '#test/support/service/packages.ts';
import { newSender, openLink } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

inPairs();

const day = 24 * 3600 * 1000;
let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());

const from = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();

async function ask<T = Package & { message: string }>(method: string, packageId: string, path: string, body?: unknown, userId?: string) {
  return await t.call<T>(method, `/v1/packages/${packageId}${path}`, { headers: await managing(t, packageId, userId), body });
}

const makeTag = async (name: string): Promise<string> =>
  (await t.call<Tag>('POST', `/v1/teams/${t.teamId}/tags`, { headers: { 'x-api-key': t.apiKey }, body: { name } })).body.id;

describe('renaming a package', () => {
  it('gives the record with its new name, and a tag where one is given', async () => {
    const id = await putPackage(t);
    const tag = await makeTag('Renamed');
    expect(await ask('PUT', id, '', { name: 'Dailies, final' })).toMatchObject({ status: 200, body: { id, name: 'Dailies, final' } });
    const tagged = await ask('PUT', id, '', { name: 'Dailies, final 2', tag: { id: tag } });
    expect(tagged.body.tag).toEqual({ id: tag, name: 'Renamed' });
    // Its tag stays where none is given, and the token in the record manages it still.
    const again = await t.call<Package>('PUT', `/v1/packages/${id}`, {
      headers: { 'x-package-token': tagged.body.access_token },
      body: { name: 'Dailies, final 3' },
    });
    expect(again.body.tag?.id).toBe(tag);
    expect((await readPackage(t, id)).name).toBe('Dailies, final 3');
  });

  it.each([
    [{}, 400, 'name'],
    [{ name: '' }, 400, 'name'],
    [{ name: 7 }, 400, 'name'],
    [{ name: 'x'.repeat(256) }, 400, 'name'],
    [{ name: 'a\0b' }, 400, 'NUL'],
    [{ name: 'x', tag: {} }, 400, 'tag'],
    [{ name: 'x', tag: { id: 'no-id' } }, 404, 'tag'],
    [{ name: 'x', tag: { id: newId() } }, 404, 'tag'],
  ])('refuses %j', async (body, status, word) => {
    const id = await putPackage(t);
    expect(await ask('PUT', id, '', body)).toMatchObject({ status, body: { message: expect.stringContaining(word) } });
    expect((await readPackage(t, id)).name).toBe('Dailies');
  });

  it('refuses the tag of another Team, and a package that has expired or is due', async () => {
    const { db, now } = t.service.services;
    const [tag, team] = [newId(), await addTeam(t, 'Other')];
    await db.insertInto('tags').values({ id: tag, team_id: team, name: 'Theirs', created_at: now(), updated_at: now() }).execute();
    expect((await ask('PUT', await putPackage(t), '', { name: 'x', tag: { id: tag } })).status).toBe(404);
    for (const fields of [{ state: 'expired' }, { state: 'archived' }, { expiry: new Date(Date.now() - 1) }] as const) {
      const id = await putPackage(t, fields);
      expect((await ask('PUT', id, '', { name: 'x' })).status).toBe(410);
      expect((await ask('PUT', id, '/expiry', { expiry: from(day) })).status).toBe(410);
    }
  });
});

describe("a package's expiry", () => {
  it('is set, taken away, and set again', async () => {
    const id = await putPackage(t, { expiry: new Date(Date.now() + day) });
    const expiry = from(40 * day);
    const kept = { expiry, custom_expiry: true, unlimited_storage: false };
    expect(await ask('PUT', id, '/expiry', { expiry })).toMatchObject({ status: 200, body: kept });
    expect(await ask('PUT', id, '/expiry', { unlimited_storage: true })).toMatchObject({
      status: 200,
      body: { expiry: unsetDateTime, custom_expiry: false, unlimited_storage: true },
    });
    expect(await ask('PUT', id, '/expiry', { expiry, unlimited_storage: false })).toMatchObject({ status: 200, body: kept });
  });

  it('of a package that is still new stays when it is finalized', async () => {
    const sender = await newSender(t);
    await sender.send('', 'a', Buffer.from('hello'));
    const expiry = from(99 * day);
    expect((await ask('PUT', sender.package.id, '/expiry', { expiry })).status).toBe(200);
    await sender.finalize();
    expect(await readPackage(t, sender.package.id)).toMatchObject({ state: 'finalized', expiry, custom_expiry: true });
  });

  it.each([
    [{}, 'expiry'],
    [{ unlimited_storage: false }, 'expiry'],
    [{ expiry: unsetDateTime }, 'expiry'],
    [{ expiry: 'tomorrow' }, 'expiry'],
    [{ expiry: 5 }, 'expiry'],
    [{ expiry: '2020-01-01T00:00:00.000Z' }, 'passed'],
    [{ expiry: '2016-12-31T23:59:60Z' }, 'no such moment'],
    [{ expiry: '2099-01-01T00:00:00.000Z', unlimited_storage: true }, 'leave it out'],
    [{ unlimited_storage: 'yes' }, 'unlimited_storage'],
  ])('is not %j', async (body, word) => {
    const id = await putPackage(t, { expiry: new Date('2098-01-01T00:00:00.000Z') });
    expect(await ask('PUT', id, '/expiry', body)).toMatchObject({ status: 400, body: { message: expect.stringContaining(word) } });
    expect((await readPackage(t, id)).expiry).toBe('2098-01-01T00:00:00.000Z');
  });
});

describe('deleting a package', () => {
  it('ends it now: its links give nothing, and its record stays', async () => {
    const sender = await newSender(t, { recipients: ['a@x.org'], unlimited_storage: true });
    await sender.send('', 'a', Buffer.from('hello'));
    await sender.finalize();
    const [link] = await sender.links();
    const before = await readPackage(t, sender.package.id);
    expect((await ask('DELETE', sender.package.id, '')).status).toBe(204);
    const after = await readPackage(t, sender.package.id);
    expect(after).toMatchObject({
      state: 'expired',
      name: before.name,
      recipients: ['a@x.org'],
      size: 5,
      total_files: 1,
      usage_total_bytes: 0,
    });
    expect(Math.abs(Date.now() - new Date(after.expiry).getTime())).toBeLessThan(60_000);
    expect((await openLink(t, link!)).status).toBe(410);
    expect((await ask('DELETE', sender.package.id, '')).status).toBe(204);
    expect((await readPackage(t, sender.package.id)).expiry).toBe(after.expiry);
  });

  it('takes back what is still being uploaded', async () => {
    const sender = await newSender(t);
    const upload = await sender.begin('', 'a', { size: 5 });
    expect((await ask('DELETE', sender.package.id, '')).status).toBe(204);
    expect((await sender.create({ name: 'b', size: 1 })).status).toBe(410);
    expect((await sender.finalize()).status).toBe(410);
    expect([404, 409]).toContain((await upload.finalize(['x'], 5)).status);
  });

  it('at the same time as finalizing leaves it expired, or finalized before it was', async () => {
    for (let round = 0; round < 8; round++) {
      const sender = await newSender(t, { recipients: ['a@x.org'] });
      const [ended, deleted] = await Promise.all([sender.finalize(), ask('DELETE', sender.package.id, '')]);
      expect(deleted.status).toBe(204);
      expect([204, 410]).toContain(ended.status);
      expect((await readPackage(t, sender.package.id)).state).toBe('expired');
    }
  });
});

describe('who may do it', () => {
  const calls = [
    ['PUT', '', { name: 'x' }],
    ['PUT', '/expiry', { unlimited_storage: true }],
    ['PUT', '/archive', undefined],
    ['PUT', '/unarchive', undefined],
    ['DELETE', '', undefined],
  ] as const;

  it.each(calls)('%s %s needs a management token of somebody who may still manage it', async (method, path, body) => {
    const id = await putPackage(t);
    const { tokens } = t.service.services;
    for (const variant of ['write', 'read'] as const) {
      const token = await tokens.sign('package', { packageId: id, variant, tokenId: newId(), linkId: null, userId: null });
      expect((await t.call(method, `/v1/packages/${id}${path}`, { headers: { 'x-package-token': token }, body })).status).toBe(403);
    }
    for (const role of ['guest', 'member', 'integration_manager'] as const) {
      const person = await addUser(t, role);
      expect((await ask(method, id, path, body, person.userId)).status).toBe(403);
    }
    expect((await t.call(method, `/v1/packages/${id}${path}`, { body })).status).toBe(401);
    expect(await readPackage(t, id)).toMatchObject({ name: 'Dailies', state: 'finalized', unlimited_storage: false });
  });

  it('a package in a private Portal is managed by those in its access list, whatever their role', async () => {
    const { db } = t.service.services;
    const portal = await insertPortal();
    const id = await putPackage(t, { portal_id: portal, through_portal: true, private: true, created_by: null });
    const [member, admin] = [await addUser(t, 'member'), await addUser(t, 'admin')];
    const tries = async () => [
      (await ask('PUT', id, '', { name: 'x' }, member.userId)).status,
      (await ask('PUT', id, '', { name: 'x' }, admin.userId)).status,
    ];
    expect(await tries()).toEqual([403, 403]);
    await db
      .insertInto('portal_access')
      .values([member, admin].map(({ userId }) => ({ portal_id: portal, user_id: userId })))
      .execute();
    expect(await tries()).toEqual([200, 200]);
    await db.deleteFrom('portals').where('id', '=', portal).execute();
    // Somebody must be able to end what nobody's list names any more.
    expect(await tries()).toEqual([403, 200]);
  });
});

/** A Portal of the Team, without what this file does not look at. */
async function insertPortal(): Promise<string> {
  const { db, now } = t.service.services;
  const id = newId();
  await db
    .insertInto('portals')
    .values({
      id,
      team_id: t.teamId,
      name: 'Uploads',
      subdomain: `p-${id}`,
      message: '',
      has_access_code: false,
      access_code: '',
      active: true,
      recipients: [],
      cc_recipients: [],
      has_download_password: false,
      access_level: 'private',
      terms_of_service_enabled: false,
      terms_of_service: '{}',
      package_size_restriction_enabled: false,
      max_package_size: 0,
      max_file_size: 0,
      max_file_count: 0,
      file_type_restriction_enabled: false,
      file_types: [],
      expiry_enabled: false,
      primary_color: '',
      logo_url: '',
      background_url: '',
      created_at: now(),
      updated_at: now(),
    })
    .execute();
  return id;
}

describe('the archive', () => {
  it.each<[string, PackageState, number, PackageState]>([
    ['archive', 'expired', 204, 'archived'],
    ['archive', 'archived', 204, 'archived'],
    ['archive', 'finalized', 409, 'finalized'],
    ['archive', 'new', 409, 'new'],
    ['unarchive', 'archived', 204, 'expired'],
    ['unarchive', 'expired', 204, 'expired'],
    ['unarchive', 'finalized', 409, 'finalized'],
    ['unarchive', 'new', 409, 'new'],
  ])('%s of one that is %s: %d', async (action, state, status, after) => {
    const id = await putPackage(t, { state });
    expect((await ask('PUT', id, `/${action}`)).status).toBe(status);
    expect((await readPackage(t, id)).state).toBe(after);
  });

  it('takes and gives back those that expired within a range, of the Team or of its inbox, that the caller may manage', async () => {
    const team = await addTeam(t, 'Archivists');
    const [owner, member] = [await addUser(t, 'owner', team), await addUser(t, 'member', team)];
    const at = (text: string) => new Date(text);
    const put = (fields: Parameters<typeof putPackage>[1]) =>
      putPackage(t, { team_id: team, created_by: owner.userId, state: 'expired', ...fields });
    const first = await put({ expiry: at('2026-10-01T00:00:00.000Z') });
    const last = await put({ expiry: at('2026-10-31T23:59:59.999Z'), created_by: member.userId });
    const through = await put({ expiry: at('2026-10-15T00:00:00.000Z'), through_portal: true, created_by: null });
    const outside = await put({ expiry: at('2026-11-01T00:00:00.000Z') });
    const alive = await put({ expiry: at('2026-10-15T00:00:00.000Z'), state: 'finalized' });
    const hidden = await put({
      expiry: at('2026-10-15T00:00:00.000Z'),
      through_portal: true,
      private: true,
      portal_id: await insertPortal(),
    });
    const bulk = async (path: string, person = owner) =>
      await t.call<{ total_updated: number; message: string }>('PUT', `/v1/teams/${team}${path}`, {
        headers: { 'x-user-token': person.token },
        body: { expiry_start: '2026-10-01', expiry_end: '2026-10-31' },
      });
    const archived = async () => {
      const { db } = t.service.services;
      const rows = await db.selectFrom('packages').select('id').where('team_id', '=', team).where('state', '=', 'archived').execute();
      return rows.map(({ id }) => id).sort();
    };
    expect(await bulk('/inbox/archive')).toMatchObject({ status: 200, body: { total_updated: 1 } });
    expect(await archived()).toEqual([through]);
    expect((await bulk('/archive')).body).toEqual({ total_updated: 2 });
    expect((await bulk('/archive')).body).toEqual({ total_updated: 0 });
    expect(await archived()).toEqual([first, last, through].sort());
    for (const id of [outside, alive, hidden]) expect(await archived()).not.toContain(id);
    expect((await bulk('/unarchive', member)).body).toEqual({ total_updated: 2 });
    expect(await archived()).toEqual([first]);
    expect((await bulk('/inbox/unarchive')).body).toEqual({ total_updated: 0 });
    expect((await bulk('/archive', await addUser(t, 'guest', team))).status).toBe(403);
    expect((await bulk('/archive', await addUser(t, 'owner'))).status).toBe(404);
  });

  it('handles more packages than one statement moves', async () => {
    const team = await addTeam(t, 'Thousands');
    const owner = await addUser(t, 'owner', team);
    const template = await putPackage(t, { team_id: team, state: 'expired', expiry: new Date('2026-10-15T00:00:00.000Z') });
    const { db } = t.service.services;
    await sql`
      insert into packages (id, team_id, name, description, sender, recipients, state, expiry, unlimited_storage, access_limit, chunk_size, created_at, updated_at)
      select gen_random_uuid(), team_id, name, description, sender, recipients, state, expiry, unlimited_storage, access_limit, chunk_size, created_at, updated_at
      from packages, generate_series(1, 4500) where packages.id = ${template}`.execute(db);
    const answer = await t.call('PUT', `/v1/teams/${team}/archive`, {
      headers: { 'x-user-token': owner.token },
      body: { expiry_start: '2026-10-15T00:00:00.000Z', expiry_end: '2026-10-15T00:00:00.000Z' },
    });
    expect(answer).toMatchObject({ status: 200, body: { total_updated: 4_501 } });
  });

  it.each([
    [{}, 'expiry_start'],
    [{ expiry_start: '2026-10-01' }, 'expiry_end'],
    [{ expiry_start: 'soon', expiry_end: '2026-10-01' }, 'expiry_start'],
    [{ expiry_start: '2026-10-02', expiry_end: '2026-09-01' }, 'expiry_end'],
    [{ expiry_start: '2016-12-31T23:59:60Z', expiry_end: '2026-09-01' }, 'expiry_start'],
  ])('refuses the range %j', async (body, word) => {
    const answer = await t.call('PUT', `/v1/teams/${t.teamId}/archive`, { headers: { 'x-api-key': t.apiKey }, body });
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(word) } });
  });
});

it('whatever is done to a package in whatever order, it is where a small model says', async () => {
  type Step = 'finalize' | 'delete' | 'archive' | 'unarchive' | 'rename' | 'keep';
  const call: Record<Step, readonly [string, string, unknown?]> = {
    finalize: ['POST', '/finalize'],
    delete: ['DELETE', ''],
    archive: ['PUT', '/archive'],
    unarchive: ['PUT', '/unarchive'],
    rename: ['PUT', '', { name: 'again' }],
    keep: ['PUT', '/expiry', { unlimited_storage: true }],
  };
  const model = (state: PackageState, step: Step): [number, PackageState] => {
    const over = state === 'expired' || state === 'archived';
    if (step === 'rename' || step === 'keep') return [over ? 410 : 200, state];
    if (step === 'finalize') return over ? [410, state] : [204, 'finalized'];
    if (step === 'delete') return [204, over ? state : 'expired'];
    if (!over) return [409, state];
    return [204, step === 'archive' ? 'archived' : 'expired'];
  };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...(Object.keys(call) as Step[])), { minLength: 1, maxLength: 8 }), async (steps) => {
      const id = await putPackage(t, { state: 'new' });
      let state: PackageState = 'new';
      for (const step of steps) {
        const [method, path, body] = call[step];
        const [status, next] = model(state, step);
        expect((await ask(method, id, path, body)).status, `${step} of ${state}`).toBe(status);
        state = next;
      }
      expect((await readPackage(t, id)).state).toBe(state);
    }),
    { numRuns: 25 },
  );
});
