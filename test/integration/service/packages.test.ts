import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { newId } from '#service/ids.ts';
import { etagFor, newSender, openLink, type Sender, senderOf } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

const hello = Buffer.from('hello');
const day = 24 * 3600 * 1000;
let t: TestService;
let offset = 0;
beforeAll(async () => {
  t = await startTestService({ now: () => new Date(Date.now() + offset) });
});
afterAll(async () => {
  await t?.close();
});

const readBack = async (sender: Sender): Promise<Package> =>
  (await t.call<Package>('GET', `/v1/packages/${sender.package.id}`, { headers: sender.token })).body;
const setTeam = (values: Record<string, unknown>) =>
  t.service.services.db.updateTable('teams').set(values).where('id', '=', t.teamId).execute();

describe('a new package', () => {
  it("takes the Team's defaults for what its sender leaves open", async () => {
    await setTeam({ custom_expiry_default: 3, download_limit_enabled: true, download_limit_default: 7 });
    try {
      const usual = (await newSender(t)).package;
      expect(usual.access_limit).toBe(7);
      expect(new Date(usual.expiry).getTime() - new Date(usual.created_at).getTime()).toBe(3 * day);
      const chosen = (await newSender(t, { access_limit: 0, unlimited_storage: true, password: 'harbour' })).package;
      expect(chosen).toMatchObject({ access_limit: 0, unlimited_storage: true, expiry: unsetDateTime, password: '****' });
    } finally {
      await setTeam({ custom_expiry_default: 10, download_limit_enabled: false, download_limit_default: 0 });
    }
  });

  it('is refused for more recipients than the Team may send to', async () => {
    await setTeam({ max_email_recipients: 1 });
    try {
      expect((await newSender(t, { recipients: ['a@x.org', 'A@x.org'] })).package.recipients).toEqual(['a@x.org']);
      await expect(newSender(t, { recipients: ['a@x.org', 'b@x.org'] })).rejects.toThrow(/at most 1 addresses/);
    } finally {
      await setTeam({ max_email_recipients: 500 });
    }
  });

  it("takes a tag of its Team, and none that is not the Team's", async () => {
    const { db, now } = t.service.services;
    const times = { created_at: now(), updated_at: now() };
    const [ours, theirs] = [newId(), newId()];
    const otherTeam = await addTeam(t, 'Other');
    await db
      .insertInto('tags')
      .values([
        { id: ours, team_id: t.teamId, name: 'Urgent', ...times },
        { id: theirs, team_id: otherTeam, name: 'Theirs', ...times },
      ])
      .execute();
    expect((await newSender(t, { tag: { id: ours } })).package.tag).toEqual({ id: ours, name: 'Urgent' });
    for (const id of [theirs, randomUUID(), 'no-uuid']) {
      const answer = await t.call('POST', `/v1/teams/${t.teamId}/packages`, {
        headers: { 'x-api-key': t.apiKey },
        body: { name: 'x', description: '', recipients: [], tag: { id } },
      });
      expect(answer.status).toBe(404);
    }
  });

  it('goes into a Teamspace that its sender sees, and into no other', async () => {
    const { db, now } = t.service.services;
    const times = { created_at: now(), updated_at: now() };
    const [ours, others] = [newId(), newId()];
    const otherTeam = await addTeam(t, 'Other');
    await db
      .insertInto('teamspaces')
      .values([
        { id: ours, team_id: t.teamId, name: 'Northlight', ...times },
        { id: others, team_id: otherTeam, name: 'Theirs', ...times },
      ])
      .execute();
    const [inside, outside] = [await addUser(t, 'member'), await addUser(t, 'member')];
    await db
      .insertInto('teamspace_members')
      .values({ id: newId(), teamspace_id: ours, user_id: inside.userId, created_at: now() })
      .execute();
    const make = (token: string, id: string) =>
      t.call<Package>('POST', `/v1/teams/${t.teamId}/packages`, {
        headers: { 'x-user-token': token },
        body: { name: 'x', description: '', recipients: [], teamspace: { id } },
      });
    const made = await make(t.userToken, ours);
    expect(made.status).toBe(201);
    expect(made.body.teamspace).toEqual({ id: ours, name: 'Northlight' });
    const see = async (token: string) =>
      (await t.call('GET', `/v1/teams/${t.teamId}/packages/${made.body.id}`, { headers: { 'x-user-token': token } })).status;
    expect([await see(inside.token), await see(outside.token)]).toEqual([200, 404]);
    expect((await make(inside.token, ours)).status).toBe(201);
    for (const [token, id] of [
      [outside.token, ours],
      [t.userToken, others],
      [t.userToken, randomUUID()],
      [t.userToken, 'no-uuid'],
    ] as const) {
      expect((await make(token, id)).status).toBe(404);
    }
  });

  it.each(['owner', 'admin', 'integration_manager', 'member', 'guest'] as const)('may be made by roles that send (%s)', async (role) => {
    const person = await addUser(t, role);
    const answer = await t.call<Package>('POST', `/v1/teams/${t.teamId}/packages`, {
      headers: { 'x-user-token': person.token },
      body: { name: 'x', description: '', recipients: [] },
    });
    expect(answer.status).toBe(role === 'guest' ? 403 : 201);
    if (role !== 'guest') expect(answer.body.sender).toBe(person.email);
  });

  it('of another Team is refused as if that Team did not exist', async () => {
    const other = await addTeam(t, 'Foreign');
    const body = { name: 'x', description: '', recipients: [] };
    const credentials: Record<string, string>[] = [{ 'x-api-key': t.apiKey }, { 'x-user-token': t.userToken }];
    for (const headers of credentials) {
      expect((await t.call('POST', `/v1/teams/${other}/packages`, { headers, body })).status).toBe(404);
    }
  });

  it('is refused with text that cannot be stored', async () => {
    await expect(newSender(t, { name: 'a\0b' })).rejects.toThrow(/NUL/);
    await expect(newSender(t, { description: '\0' })).rejects.toThrow(/NUL/);
  });

  it('is made once for one Idempotency-Key', async () => {
    const ask = () =>
      t.call<Package>('POST', `/v1/teams/${t.teamId}/packages`, {
        headers: { 'x-api-key': t.apiKey, 'idempotency-key': 'once' },
        body: { name: 'once', description: '', recipients: [] },
      });
    const [first, second] = [await ask(), await ask()];
    expect(second.body).toEqual(first.body);
  });
});

describe('finalizing a package', () => {
  it('names a file that is not finalized, and closes the package once there is none', async () => {
    const sender = await newSender(t, { recipients: ['a@x.org', 'b@x.org'] });
    const open = await sender.begin('day 1', 'open.mov', { size: 5 });
    await sender.create({ path: 'day 2', name: 'second.mov', size: 5 });
    expect(await sender.finalize()).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('day 1/open.mov and 1 more are') },
    });
    expect((await readBack(sender)).state).toBe('new');
    expect(await sender.links()).toEqual([]);

    await open.finalize([await open.put(0, hello)], 5);
    expect(await sender.finalize()).toMatchObject({ status: 409, body: { message: expect.stringContaining('day 2/second.mov is') } });
    await (await sender.begin('day 2', 'second.mov', { size: 5 })).remove();
    offset += 60_000;
    expect((await sender.finalize()).status).toBe(204);
    const done = await readBack(sender);
    expect(done).toMatchObject({ state: 'finalized', size: 5, total_files: 1 });
    // The usual ten days begin with the finalizing, so that a slow upload does not use them up.
    expect(new Date(done.expiry).getTime() - new Date(done.updated_at).getTime()).toBe(10 * day);
    expect((await sender.links()).map((link) => link.email)).toEqual(['a@x.org', 'b@x.org']);
  });

  it('stays open where it holds other files than its sender says, and is closed with those', async () => {
    const sender = await newSender(t);
    const upload = await sender.begin('day 1', 'one.mov', { size: 5 });
    await upload.finalize([await upload.put(0, hello)], 5);
    const close = (query: string) => t.call('POST', `/v1/packages/${sender.package.id}/finalize?${query}`, { headers: sender.token });
    for (const query of ['total_files=2&size=5', 'total_files=1&size=6', 'size=0', 'total_files=0']) {
      expect(await close(query)).toMatchObject({
        status: 409,
        body: { code: 196621, message: expect.stringContaining('1 files with 5 bytes') },
      });
    }
    expect(await close('total_files=-1')).toMatchObject({ status: 400, body: { message: expect.stringContaining('total_files') } });
    expect((await readBack(sender)).state).toBe('new');
    expect((await close('total_files=1&size=5')).status).toBe(204);
    // Asked again, the answer is as before: nothing changes any more.
    expect((await close('total_files=1&size=5')).status).toBe(204);
  });

  it('again or concurrently creates no second links', async () => {
    const sender = await newSender(t, { recipients: ['a@x.org'] });
    await sender.send('', 'a', hello);
    const ends = await Promise.all(Array.from({ length: 6 }, () => sender.finalize()));
    expect(ends.map((end) => end.status)).toEqual(Array(6).fill(204));
    expect((await sender.finalize()).status).toBe(204);
    expect(await sender.links()).toHaveLength(1);
  });

  it('closes it for every change of its files', async () => {
    const sender = await newSender(t);
    const upload = await sender.send('', 'a', hello);
    await sender.finalize();
    for (const answer of [
      await sender.create({ name: 'late', size: 1 }),
      await sender.create({ kind: 'directory', name: 'late' }),
      await upload.remove(),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { message: expect.stringContaining('finalized') } });
    }
    // A sender that lost the answer may still ask again.
    expect((await upload.finalize([etagFor(hello)], 5)).status).toBe(204);
  });

  it('never leaves behind a file that is added at the same moment', async () => {
    for (let round = 0; round < 25; round++) {
      const sender = await newSender(t);
      const adding = Array.from({ length: 4 }, (_, index) =>
        sender.create(index % 2 ? { kind: 'directory', name: `folder ${index}` } : { name: `file ${index}`, size: 1 }),
      );
      const [ended, ...added] = await Promise.all([round % 2 ? sender.finalize() : adding[0]!.then(() => sender.finalize()), ...adding]);
      const { body: records } = await t.call<File[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers: sender.token });
      const files = records.filter((record) => record.kind === 'file' || record.kind === 'directory');
      expect(files).toHaveLength(added.filter((one) => one.status === 201).length);
      const { state } = await readBack(sender);
      expect(state).toBe(ended.status === 204 ? 'finalized' : 'new');
      if (state === 'finalized') expect(files.filter((file) => file.state === 'new')).toEqual([]);
    }
  });
});

describe('a package that has expired', () => {
  it('returns its record, and neither files nor links', async () => {
    const sender = await newSender(t, { recipients: ['a@x.org'] });
    await sender.send('', 'a', hello);
    await sender.finalize();
    const [link] = await sender.links();
    const opened = await openLink(t, link!);
    await t.service.services.db.updateTable('packages').set({ state: 'expired' }).where('id', '=', sender.package.id).execute();
    const at = `/v1/packages/${sender.package.id}`;
    expect((await readBack(sender)).state).toBe('expired');
    const gone = [
      await sender.finalize(),
      await sender.create({ name: 'b', size: 1 }),
      await t.call('GET', `${at}/files`, { headers: sender.token }),
      await t.call('GET', `${at}/files`, { headers: { 'x-package-token': opened.body.package_token } }),
      await t.call('GET', at, { headers: { 'x-package-token': opened.body.package_token } }),
      await t.call('POST', `${at}/links`, { headers: sender.token, body: {} }),
      await openLink(t, link!),
    ];
    for (const answer of gone) expect(answer.status).toBe(410);
    expect((await sender.links())[0]).toMatchObject({ active: false });
  });

  it('gives nothing to recipients from the moment it is due', async () => {
    const sender = await newSender(t, { recipients: ['a@x.org'] });
    await sender.send('', 'a', hello);
    await sender.finalize();
    const [link] = await sender.links();
    const before = offset;
    offset += 10 * day + 1_000;
    try {
      expect(await openLink(t, link!)).toMatchObject({ status: 410, body: { message: expect.stringContaining('package has expired') } });
    } finally {
      offset = before;
    }
  });
});

describe("a package's tokens", () => {
  it('of the write variant add files and finalize, and no more', async () => {
    const managing = await newSender(t, { recipients: ['a@x.org'] });
    const { tokens } = t.service.services;
    const write = await tokens.sign('package', {
      packageId: managing.package.id,
      variant: 'write',
      tokenId: newId(),
      linkId: null,
      userId: null,
    });
    const sender = senderOf(t, managing.package, { 'x-package-token': write });
    const upload = await sender.send('', 'a', hello);
    const other = await sender.begin('', 'b', { size: 5 });
    expect((await other.remove()).status).toBe(204);
    const at = `/v1/packages/${managing.package.id}`;
    const refused = [
      await t.call('GET', `${at}/links`, { headers: sender.token }),
      await t.call('POST', `${at}/links`, { headers: sender.token, body: {} }),
      await t.call('DELETE', `${at}/links/${newId()}`, { headers: sender.token }),
      await t.call('GET', `${at}/files/${upload.file.id}/download`, { headers: sender.token }),
    ];
    for (const answer of refused) expect(answer.status).toBe(403);
    const read = await t.call<Package>('GET', at, { headers: sender.token });
    expect(read.body.recipients).toEqual([]);
    // What it is given back is no stronger than what it showed.
    expect((await t.call('GET', `${at}/links`, { headers: { 'x-package-token': read.body.access_token } })).status).toBe(403);
    expect((await sender.finalize()).status).toBe(204);
  });

  it('of the read variant read and download, and no more', async () => {
    const sender = await newSender(t, { recipients: ['a@x.org', 'b@x.org'] });
    const upload = await sender.send('', 'a', hello);
    await sender.finalize();
    const opened = await openLink(t, (await sender.links())[0]!);
    const headers = { 'x-package-token': opened.body.package_token };
    const at = `/v1/packages/${sender.package.id}`;
    expect((await t.call('GET', `${at}/files`, { headers })).status).toBe(200);
    expect((await t.call('GET', `${at}/files/${upload.file.id}/download`, { headers })).status).toBe(200);
    const read = await t.call<Package>('GET', at, { headers });
    expect(read.body.recipients).toEqual(['a@x.org']);
    const given = { 'x-package-token': read.body.access_token };
    // Of a link for at most 7 days, and reading does not make it longer.
    const end = (token: string) => (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { exp: number }).exp;
    expect(end(read.body.access_token)).toBe(end(opened.body.package_token));
    expect((await t.call('GET', `${at}/files/${upload.file.id}/download`, { headers: given })).status).toBe(200);
    const body = { kind: 'file', name: 'x', path: '', last_modified: '2026-01-01T00:00:00Z' };
    for (const token of [headers, given]) {
      const refused = [
        await t.call('POST', `${at}/files`, { headers: token, body }),
        await t.call('POST', `${at}/finalize`, { headers: token }),
        await t.call('DELETE', `${at}/files/${upload.file.id}`, { headers: token }),
        await t.call('GET', `${at}/links`, { headers: token }),
        await t.call('POST', `${at}/links`, { headers: token, body: {} }),
      ];
      for (const answer of refused) expect(answer.status).toBe(403);
    }
  });

  it('of the management variant do not download', async () => {
    const sender = await newSender(t);
    const upload = await sender.send('', 'a', hello);
    await sender.finalize();
    const answer = await t.call('GET', `/v1/packages/${sender.package.id}/files/${upload.file.id}/download`, { headers: sender.token });
    expect(answer.status).toBe(403);
  });

  it("lose the management of a package with their user's permission", async () => {
    const person = await addUser(t, 'member');
    const made = await t.call<Package>('POST', `/v1/teams/${t.teamId}/packages`, {
      headers: { 'x-user-token': person.token },
      body: { name: 'x', description: '', recipients: [] },
    });
    const headers = { 'x-package-token': made.body.access_token };
    const list = () => t.call('GET', `/v1/packages/${made.body.id}/links`, { headers });
    expect((await list()).status).toBe(200);
    const { db } = t.service.services;
    await db.updateTable('memberships').set({ role: 'guest' }).where('user_id', '=', person.userId).execute();
    expect((await list()).status).toBe(403);
    await db.deleteFrom('memberships').where('user_id', '=', person.userId).execute();
    expect((await list()).status).toBe(403);
  });

  it('are of one package only', async () => {
    const [one, other] = [await newSender(t), await newSender(t)];
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/files'],
      ['GET', '/links'],
      ['POST', '/finalize'],
    ] as const) {
      const answer = await t.call(method, `/v1/packages/${other.package.id}${path}`, { headers: one.token });
      expect([403, 404]).toContain(answer.status);
    }
    expect((await readBack(other)).state).toBe('new');
  });
});
