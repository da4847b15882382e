import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import type { Link } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { limits } from '#protocol/limits.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { newId } from '#service/ids.ts';
import { inPairs } from '#test/support/service/in-pairs.ts';
import { notedJobs, noteJobs } from '#test/support/service/jobs.ts';
import { askPortalPackage, newPortal, portalSender } from '#test/support/service/portals.ts';
import { newSender, openLink, type Sender, sampleTime } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addUser } from '#test/support/service/users.ts';

inPairs();

const day = 24 * 3600 * 1000;
const hello = Buffer.from('hello');
let t: TestService;
let offset = 0;
beforeAll(async () => {
  t = await startTestService({ now: () => new Date(Date.now() + offset) });
  await noteJobs(database());
});
afterAll(() => t?.close());

const database = () => t.service.services.db;
const saying = (status: number, text: string) => ({ status, body: { message: expect.stringContaining(text) } });
const rowOf = (id: string) => database().selectFrom('packages').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const update = async (id: string, body: unknown) => {
  const answer = await t.call('PUT', `/v1/portals/${id}`, { headers: { 'x-api-key': t.apiKey }, body });
  expect(answer.status).toBe(200);
};
const readBack = async ({ package: { id }, token }: Sender) =>
  (await t.call<Package>('GET', `/v1/packages/${id}`, { headers: token })).body;
const linksOf = (id: string) => database().selectFrom('links').selectAll().where('package_id', '=', id).orderBy('id').execute();
const setTeam = (values: Record<string, unknown>) => database().updateTable('teams').set(values).where('id', '=', t.teamId).execute();
const announced = async (packageId: string) =>
  (await notedJobs(database(), 'webhooks.announce'))
    .filter(({ object }) => 'id' in object && object.id === packageId)
    .map((one) => one.event_type);

describe('a package through a Portal', () => {
  it('is for whom the Portal says, and its sender sees nothing of that', async () => {
    const portal = await newPortal(t, {
      recipients: ['post@example.com'],
      cc_recipients: ['POST@example.com', 'office@example.com'],
      access_level: 'private',
      access_list: [t.userId],
    });
    const { status, body } = await askPortalPackage(t, portal.id, { chunk_size: limits.minChunkSize });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Day 12',
      description: 'A and B camera',
      sender: 'mia@example.com',
      recipients: [],
      state: 'new',
      size: 0,
      total_files: 0,
      portal_id: portal.id,
      chunk_size: limits.minChunkSize,
      custom_metadata_id: '',
      password: '',
    });
    expect(await rowOf(body.id)).toMatchObject({
      team_id: t.teamId,
      created_by: null,
      recipients: ['post@example.com', 'office@example.com'],
      portal_id: portal.id,
      through_portal: true,
      private: true,
    });
    const again = await t.call<Package>('GET', `/v1/packages/${body.id}`, { headers: { 'x-package-token': body.access_token } });
    expect(again.body.recipients).toEqual([]);
  });

  it('has a token that adds and finalizes, and no more', async () => {
    const portal = await newPortal(t);
    const sender = await portalSender(t, portal.id);
    const at = `/v1/packages/${sender.package.id}`;
    const headers = sender.token;
    await sender.send('camera-a', 'a.mov', hello);
    expect((await t.call('POST', `${at}/links`, { headers, body: {} })).status).toBe(403);
    expect((await t.call('PUT', `${at}/expiry`, { headers, body: { unlimited_storage: true } })).status).toBe(403);
    expect((await t.call('DELETE', at, { headers })).status).toBe(403);
    expect((await t.call('GET', `${at}/metadata`, { headers })).status).toBe(403);
    expect((await sender.finalize()).status).toBe(204);
    expect(await readBack(sender)).toMatchObject({ state: 'finalized', size: 5, total_files: 1 });
  });

  it('is announced when it is created and when it is finalized', async () => {
    const portal = await newPortal(t, { recipients: ['post@example.com'] });
    const sender = await portalSender(t, portal.id);
    expect(await announced(sender.package.id)).toEqual(['package.created']);
    await sender.send('', 'a.mov', hello);
    await sender.finalize();
    expect(await announced(sender.package.id)).toEqual(['package.created', 'package.finalized']);
  });

  it('gives a link to each recipient, with the download password of the Portal', async () => {
    const portal = await newPortal(t, {
      recipients: ['post@example.com'],
      cc_recipients: ['office@example.com'],
      download_password: 'open sesame',
    });
    const sender = await portalSender(t, portal.id);
    await sender.send('', 'a.mov', hello);
    await Promise.all([sender.finalize(), sender.finalize(), sender.finalize()]);
    const links = await linksOf(sender.package.id);
    expect(links.map((link) => link.email)).toEqual(['post@example.com', 'office@example.com']);
    for (const { id, secret } of links) {
      const link = { id, download_secret: secret } as Link;
      expect((await openLink(t, link)).status).toBe(401);
      expect((await openLink(t, link, 'wrong')).status).toBe(401);
      expect((await openLink(t, link, 'open sesame')).status).toBe(200);
    }
  });

  it("is kept for the Portal's days from when it is finalized, for ever, or for the Team's", async () => {
    await setTeam({ custom_expiry_default: 3 });
    try {
      for (const [days, kept] of [
        [30, 30 * day],
        [-1, null],
        [0, 3 * day],
      ] as const) {
        const portal = await newPortal(t, { custom_expiry_days: days });
        const sender = await portalSender(t, portal.id);
        await sender.send('', 'a.mov', hello);
        offset += day;
        await sender.finalize();
        const done = await readBack(sender);
        expect(done.unlimited_storage).toBe(days === -1);
        if (kept === null) expect(done.expiry).toBe(unsetDateTime);
        else expect(new Date(done.expiry).getTime() - new Date(done.updated_at).getTime()).toBe(kept);
      }
    } finally {
      await setTeam({ custom_expiry_default: 10 });
    }
  });

  it('has the tag and the Teamspace of the Portal', async () => {
    const [tag, teamspace] = [newId(), newId()];
    const times = { team_id: t.teamId, created_at: new Date(), updated_at: new Date() };
    await database()
      .insertInto('tags')
      .values({ id: tag, name: 'Urgent', ...times })
      .execute();
    await database()
      .insertInto('teamspaces')
      .values({ id: teamspace, name: 'Post', ...times })
      .execute();
    const portal = await newPortal(t, { tag: { id: tag }, teamspace_id: teamspace });
    const { body } = await askPortalPackage(t, portal.id);
    expect(body).toMatchObject({ tag: { id: tag, name: 'Urgent' }, teamspace: { id: teamspace, name: 'Post' } });
  });

  it('needs the access code where there is one', async () => {
    const portal = await newPortal(t, { access_code: 'Blaue Stunde ☕' });
    const code = (text: string) => ({ 'x-access-code': encodeURIComponent(text) });
    expect((await askPortalPackage(t, portal.id)).status).toBe(401);
    expect((await askPortalPackage(t, portal.id, {}, code('blaue stunde ☕'))).status).toBe(401);
    expect((await askPortalPackage(t, portal.id, {}, code('Blaue Stunde ☕'))).status).toBe(201);
    // A Team's own credential does not stand for the code.
    expect((await askPortalPackage(t, portal.id, {}, { 'x-api-key': t.apiKey })).status).toBe(401);
  });

  it('is refused while the Portal is closed; one begun before may be finished', async () => {
    const portal = await newPortal(t);
    const begun = await portalSender(t, portal.id);
    await update(portal.id, { active: false });
    expect(await askPortalPackage(t, portal.id)).toMatchObject(saying(403, 'not accepting'));
    await begun.send('', 'a.mov', hello);
    expect((await begun.finalize()).status).toBe(204);

    const expiry = new Date(Date.now() + offset + 60_000).toISOString();
    await update(portal.id, { active: true, expiry_enabled: true, expiry });
    expect((await askPortalPackage(t, portal.id)).status).toBe(201);
    offset += 61_000;
    expect((await askPortalPackage(t, portal.id)).status).toBe(403);
    await update(portal.id, { expiry_enabled: false });
    expect((await askPortalPackage(t, portal.id)).status).toBe(201);
  });

  it('is refused while the Team is inactive, and for a Portal that is none', async () => {
    const portal = await newPortal(t);
    await setTeam({ state: 'inactive' });
    try {
      expect((await askPortalPackage(t, portal.id)).status).toBe(402);
    } finally {
      await setTeam({ state: 'active' });
      for (const { services } of t.services) services.credentials.invalidateAll();
    }
    expect((await askPortalPackage(t, newId())).status).toBe(404);
    expect((await askPortalPackage(t, 'nonsense')).status).toBe(404);
  });

  it.each<[string, Record<string, unknown>]>([
    ['name', { name: '' }],
    ['sender', { sender: 'mia' }],
    ['sender', { sender: 'mia@example.com\r\nBcc: tom@example.com' }],
    ['chunk_size', { chunk_size: 1 }],
    ['description', { description: 'x'.repeat(10_001) }],
    ['form_data_id', { form_data_id: 7 }],
  ])('is refused with a wrong %s', async (field, fields) => {
    const portal = await newPortal(t);
    expect(await askPortalPackage(t, portal.id, fields)).toMatchObject(saying(400, field));
  });

  it('outlives the Portal that is deleted while it is sent', async () => {
    const portal = await newPortal(t, { recipients: ['post@example.com'], file_type_restriction_enabled: true, file_types: ['.mov'] });
    const sender = await portalSender(t, portal.id);
    await sender.send('', 'a.mov', hello);
    await t.call('DELETE', `/v1/portals/${portal.id}`, { headers: { 'x-api-key': t.apiKey } });
    await sender.send('', 'b.mov', hello);
    expect((await sender.finalize()).status).toBe(204);
    expect(await readBack(sender)).toMatchObject({ state: 'finalized', total_files: 2 });
    expect(await linksOf(sender.package.id)).toHaveLength(1);
  });
});

describe('an access code that is guessed', () => {
  it('never succeeds, and others still get in', async () => {
    const service = await startTestService({ trustProxy: '127.0.0.1' });
    try {
      const portal = await newPortal(service, { access_code: '4711' });
      const from = (ip: string, code: string) => ({ 'x-forwarded-for': ip, 'x-access-code': code });
      const ask = async (ip: string, code: string) => (await askPortalPackage(service, portal.id, {}, from(ip, code))).status;
      expect(await ask('192.0.2.1', '4711')).toBe(201);
      // One address: ten guesses, and then not even the right one is looked at.
      const guesses = await Promise.all(Array.from({ length: 100 }, (_, n) => ask('198.51.100.7', String(n).padStart(4, '0'))));
      expect(guesses.filter((status) => status === 401)).toHaveLength(10);
      expect(guesses.filter((status) => status === 429)).toHaveLength(90);
      expect(await ask('198.51.100.7', '4711')).toBe(429);
      expect(await ask('203.0.113.5', '4711')).toBe(201);
      // From everywhere: few are looked at in all (10,000 of them in test/unit/service/portals/access-code.test.ts).
      let looked = 0;
      for (let n = 0; n < 600; n += 100) {
        const many = Array.from({ length: 100 }, (_, k) => ask(`10.0.${n / 100}.${k}`, `x${n + k}`));
        looked += (await Promise.all(many)).filter((status) => status === 401).length;
      }
      expect(looked).toBeLessThanOrEqual(200);
      // Who gave the right one before still gets in; somebody new has to wait.
      expect(await ask('192.0.2.1', '4711')).toBe(201);
      expect(await ask('192.0.2.99', '4711')).toBe(429);
    } finally {
      await service.close();
    }
  });
});

describe("a Portal's restrictions", () => {
  const restricted = {
    package_size_restriction_enabled: true,
    max_package_size: 20,
    max_file_size: 10,
    max_file_count: 3,
    file_type_restriction_enabled: true,
    file_types: ['.mov', '.MXF'],
  };
  const create = (sender: Sender, name: string, size?: number) => sender.create({ name, ...(size !== undefined && { size }) });

  it('refuse files of other types, regardless of case', async () => {
    const sender = await portalSender(t, (await newPortal(t, restricted)).id);
    expect((await create(sender, 'A.MOV', 1)).status).toBe(201);
    expect((await create(sender, 'a.mxf', 1)).status).toBe(201);
    for (const name of ['a.txt', 'mov', '.mov', 'a.mov.exe', 'a.movx']) {
      expect(await create(sender, name, 1)).toMatchObject(saying(400, 'name: this Portal takes only files of the types .mov, .mxf'));
    }
    expect((await sender.create({ kind: 'directory', name: 'folder.txt' })).status).toBe(201);
  });

  it('limit the size of a file, the number of files and the total size; deleted files do not count', async () => {
    const sender = await portalSender(t, (await newPortal(t, restricted)).id);
    expect(await create(sender, 'a.mov', 11)).toMatchObject(saying(400, 'size: this Portal takes files of at most 10 bytes'));
    const first = await sender.begin('', 'a.mov', { size: 10 });
    expect((await create(sender, 'b.mov', 10)).status).toBe(201);
    expect(await create(sender, 'c.mov', 1)).toMatchObject(saying(400, 'at most 20 bytes in a package, and 0 of them are left'));
    // Asking again for one that is not finalized takes its place, and counts once.
    expect((await create(sender, 'b.mov', 9)).status).toBe(201);
    expect((await create(sender, 'c.mov', 1)).status).toBe(201);
    expect(await create(sender, 'd.mov', 0)).toMatchObject(saying(400, 'at most 3 files'));
    await first.remove();
    expect((await create(sender, 'd.mov', 10)).status).toBe(201);
  });

  it('hold for each file of a batch by itself', async () => {
    const sender = await portalSender(t, (await newPortal(t, restricted)).id);
    const names: [string, number][] = [
      ['a.mov', 10],
      ['b.txt', 1],
      ['c.mov', 11],
      ['d.mov', 9],
      ['e.mov', 2],
      ['f.mov', 1],
      ['g.mov', 0],
    ];
    const files = names.map(([name, size]) => ({ kind: 'file', path: '', name, size, last_modified: sampleTime }));
    const { status, body } = await t.call<{ files: { file?: File; error?: { message: string } }[] }>(
      'POST',
      `/v1/packages/${sender.package.id}/files/batch`,
      { headers: sender.token, body: { files } },
    );
    expect(status).toBe(200);
    expect(body.files.map((one) => one.error?.message ?? one.file?.name)).toEqual([
      'a.mov',
      expect.stringContaining('types'),
      expect.stringContaining('at most 10 bytes'),
      'd.mov',
      expect.stringContaining('1 of them are left'),
      'f.mov',
      expect.stringContaining('at most 3 files'),
    ]);
  });

  it('hold again when the package is finalized: changed since, or of a file whose size was not known', async () => {
    const portal = await newPortal(t, { ...restricted, package_size_restriction_enabled: false, file_type_restriction_enabled: false });
    const sender = await portalSender(t, portal.id);
    const files: Record<string, Awaited<ReturnType<Sender['send']>>> = {};
    for (const name of ['a.mov', 'b.MOV', 'c.txt', 'ü.mxf']) files[name] = await sender.send('day 1', name, hello);
    const unknown = await sender.begin('', 'large.mov');
    await unknown.finalize([await unknown.put(0, Buffer.alloc(12))], 12);
    await update(portal.id, { package_size_restriction_enabled: true, file_type_restriction_enabled: true });

    expect(await sender.finalize()).toMatchObject(saying(409, 'at most 3 files in a package, and this one has 5'));
    await update(portal.id, { max_file_count: 0 });
    expect(await sender.finalize()).toMatchObject(saying(409, 'at most 20 bytes in a package, and this one has 32'));
    await update(portal.id, { max_package_size: 0 });
    expect(await sender.finalize()).toMatchObject(saying(409, 'at most 10 bytes, and large.mov is larger'));
    await update(portal.id, { max_file_size: 0 });
    expect(await sender.finalize()).toMatchObject(saying(409, 'day 1/c.txt is none'));
    expect((await readBack(sender)).state).toBe('new');
    expect((await files['c.txt']!.remove()).status).toBe(204);
    expect((await sender.finalize()).status).toBe(204);
  });

  const answers = (made: readonly { status: number }[]) => made.map(({ status }) => status).sort();
  const entry = (name: string, size: number) => ({ kind: 'file', path: '', name, size, last_modified: sampleTime });
  const batch = (sender: Sender, files: readonly unknown[]) =>
    t.call<{ files: { file?: File; error?: { message: string } }[] }>('POST', `/v1/packages/${sender.package.id}/files/batch`, {
      headers: sender.token,
      body: { files },
    });
  const heldIn = ({ package: { id } }: Sender) =>
    database().selectFrom('portal_sums').select(['files', 'bytes']).where('package_id', '=', id).executeTakeFirst();

  it('hold for files that are created concurrently, in number and total size', async () => {
    const counted = await portalSender(t, (await newPortal(t, { package_size_restriction_enabled: true, max_file_count: 3 })).id);
    const eight = await Promise.all(Array.from({ length: 8 }, (_, n) => counted.create({ name: `${n}.mov`, size: 1 })));
    expect(answers(eight)).toEqual([201, 201, 201, 400, 400, 400, 400, 400]);
    const weighed = await portalSender(t, (await newPortal(t, { package_size_restriction_enabled: true, max_package_size: 20 })).id);
    const six = await Promise.all(Array.from({ length: 6 }, (_, n) => weighed.create({ name: `${n}.mov`, size: 9 })));
    expect(answers(six)).toEqual([201, 201, 400, 400, 400, 400]);
    expect((await weighed.create({ name: 'rest.mov', size: 2 })).status).toBe(201);
  });

  it('hold for concurrent batches, beside single files and with Idempotency-Keys', async () => {
    const sender = await portalSender(t, (await newPortal(t, { package_size_restriction_enabled: true, max_file_count: 5 })).id);
    const headers = (n: number) => ({ ...sender.token, 'idempotency-key': `at-once-${sender.package.id}-${n}` });
    const [batches, singles, keyed] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, (_, n) => batch(sender, [entry(`b${n}-0.mov`, 1), entry(`b${n}-1.mov`, 1)]))),
      Promise.all(Array.from({ length: 4 }, (_, n) => sender.create({ name: `s${n}.mov`, size: 1 }))),
      Promise.all(
        Array.from({ length: 4 }, (_, n) =>
          t.call('POST', `/v1/packages/${sender.package.id}/files`, { headers: headers(n), body: entry(`k${n}.mov`, 1) }),
        ),
      ),
    ]);
    const made = batches.flatMap(({ body }) => body.files.filter(({ file }) => file)).length;
    expect(made + [...singles, ...keyed].filter(({ status }) => status === 201).length).toBe(5);
    expect(await heldIn(sender)).toEqual({ files: 5, bytes: 5 });
  });

  it('count a file once that is created repeatedly or concurrently, and do not count deleted ones', async () => {
    const sender = await portalSender(
      t,
      (await newPortal(t, { package_size_restriction_enabled: true, max_file_count: 3, max_package_size: 30 })).id,
    );
    const again = await Promise.all(Array.from({ length: 6 }, () => sender.create({ name: 'a.mov', size: 10 })));
    expect(answers(again)).toEqual([201, 201, 201, 201, 201, 201]);
    const headers = { ...sender.token, 'idempotency-key': `again-${sender.package.id}` };
    const keyed = await Promise.all(
      Array.from({ length: 3 }, () => t.call('POST', `/v1/packages/${sender.package.id}/files`, { headers, body: entry('b.mov', 10) })),
    );
    expect(answers(keyed)).toEqual([201, 201, 201]);
    expect(await heldIn(sender)).toEqual({ files: 2, bytes: 20 });
    // A folder in the place of a file begun gives its share back.
    expect((await sender.create({ kind: 'directory', name: 'b.mov' })).status).toBe(201);
    expect(await heldIn(sender)).toEqual({ files: 1, bytes: 10 });
    const uploads = await Promise.all(['c.mov', 'd.mov'].map((name) => sender.begin('', name, { size: 10 })));
    expect((await sender.create({ name: 'e.mov', size: 0 })).status).toBe(400);
    expect(answers(await Promise.all([...uploads, ...uploads].map((upload) => upload.remove())))).toEqual([204, 204, 404, 404]);
    expect(await heldIn(sender)).toEqual({ files: 1, bytes: 10 });
    // Refused in the place of one that stands, that one still counts.
    const [, refused, taken, over] = (await batch(sender, [entry('x.mov', 1), entry('a.mov', 31), entry('y.mov', 1), entry('z.mov', 1)]))
      .body.files;
    expect([refused!.error !== undefined, taken!.file !== undefined, over!.error?.message]).toEqual([
      true,
      true,
      expect.stringContaining('at most 3 files'),
    ]);
  });

  it('count a file whose size was not known from when it is finalized', async () => {
    const sender = await portalSender(t, (await newPortal(t, { package_size_restriction_enabled: true, max_package_size: 20 })).id);
    const unknown = await sender.begin('', 'live.mov');
    expect(await heldIn(sender)).toEqual({ files: 1, bytes: 0 });
    expect((await unknown.finalize([await unknown.put(0, Buffer.alloc(15))], 15)).status).toBe(204);
    expect(await heldIn(sender)).toEqual({ files: 1, bytes: 15 });
    expect((await sender.create({ name: 'a.mov', size: 6 })).status).toBe(400);
    expect((await unknown.remove()).status).toBe(204);
    expect(await heldIn(sender)).toEqual({ files: 0, bytes: 0 });
  });

  it.each([
    ['in a file', { max_file_size: 6_000_000, max_package_size: 90_000_000 }],
    ['in a package', { max_package_size: 6_000_000 }],
  ])('give a file without a size no blueprints beyond what a Portal takes %s', async (_, sizes) => {
    const { id } = await newPortal(t, { package_size_restriction_enabled: true, ...sizes });
    const chunkSize = 5_242_880;
    const sender = await portalSender(t, id, { chunk_size: chunkSize });
    const live = await sender.begin('', 'live.mov');
    const asked = await live.blueprints(0, 2);
    expect(asked.status).toBe(200);
    for (const [start, count] of [
      [2, 1],
      [0, 3],
      [9_999, 1],
    ] as const) {
      expect(await live.blueprints(start, count)).toMatchObject(saying(400, 'size: this Portal takes files of at most 6000000 bytes.'));
    }
    const template = await t.call<unknown[]>(
      'POST',
      `/v1/packages/${sender.package.id}/files/${live.file.id}?start=0&count=2&template=true`,
      {
        headers: sender.token,
        body: { upload_id: live.uploadId },
      },
    );
    expect(template.body).toHaveLength(2);
    const put = async (url: string, bytes: number) => (await fetch(url, { method: 'PUT', body: Buffer.alloc(bytes) })).status;
    expect(await put(asked.body[1]!.url, 6_000_001 - chunkSize)).toBe(413);
    expect(await put(asked.body[1]!.url, 6_000_000 - chunkSize)).toBe(200);
    // What is the Team's own is held to nothing.
    const own = await newSender(t, { chunk_size: chunkSize });
    expect((await (await own.begin('', 'live.mov')).blueprints(0, 3)).status).toBe(200);
  });

  it('count what came while nothing was limited', async () => {
    const portal = await newPortal(t, { package_size_restriction_enabled: true, max_file_count: 5 });
    const sender = await portalSender(t, portal.id);
    expect((await sender.create({ name: 'a.mov', size: 1 })).status).toBe(201);
    await update(portal.id, { package_size_restriction_enabled: false });
    offset += 5_001;
    for (const name of ['b.mov', 'c.mov']) expect((await sender.create({ name, size: 1 })).status).toBe(201);
    await update(portal.id, { package_size_restriction_enabled: true, max_file_count: 3 });
    offset += 5_001;
    expect((await sender.create({ name: 'd.mov', size: 1 })).status).toBe(400);
  });

  it('are nothing to a package of the Team itself', async () => {
    const person = await addUser(t, 'member');
    const made = await t.call<Package>('POST', `/v1/teams/${t.teamId}/packages`, {
      headers: { 'x-user-token': person.token },
      body: { name: 'x', description: '', recipients: [] },
    });
    const headers = { 'x-package-token': made.body.access_token };
    const body = { kind: 'file', name: 'a.exe', path: '', size: 10 ** 12, last_modified: sampleTime };
    expect((await t.call('POST', `/v1/packages/${made.body.id}/files`, { headers, body })).status).toBe(201);
  });
});
