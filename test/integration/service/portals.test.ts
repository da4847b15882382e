import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Portal, PublicPortal } from '#protocol/hosted/portals.ts';
import type { Role } from '#protocol/roles.ts';
import { unsetDateTime } from '#protocol/unset-date-time.ts';
import { newId } from '#service/ids.ts';
import { askPortal, freeSubdomain, newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

let t: TestService;
let otherTeam: string;
beforeAll(async () => {
  t = await startTestService();
  otherTeam = await addTeam(t, 'Other');
});
afterAll(() => t?.close());

const key = () => ({ 'x-api-key': t.apiKey });
const database = () => t.service.services.db;
const read = (id: string) => t.call<Portal>('GET', `/v1/portals/${id}`, { headers: key() });
const update = <T = Portal>(id: string, body: unknown) => t.call<T>('PUT', `/v1/portals/${id}`, { headers: key(), body });
const saying = (status: number, text: string) => ({ status, body: { message: expect.stringContaining(text) } });
const times = () => ({ created_at: new Date(), updated_at: new Date() });

async function addTag(team = t.teamId): Promise<string> {
  const id = newId();
  await database()
    .insertInto('tags')
    .values({ id, team_id: team, name: `Urgent ${id}`, ...times() })
    .execute();
  return id;
}
async function addTeamspace(team = t.teamId): Promise<string> {
  const id = newId();
  await database()
    .insertInto('teamspaces')
    .values({ id, team_id: team, name: 'Post', ...times() })
    .execute();
  return id;
}
async function addConnection(fields: { team?: string; direction?: 'service_to_cloud' | 'cloud_to_service'; deleted?: boolean } = {}) {
  const id = newId();
  await database()
    .insertInto('cloud_connections')
    .values({
      id,
      team_id: fields.team ?? t.teamId,
      name: 'Bucket',
      provider: 'generic_s3',
      direction: fields.direction ?? 'service_to_cloud',
      sealed_authorization: Buffer.from('sealed'),
      deleted_at: fields.deleted ? new Date() : null,
      ...times(),
    })
    .execute();
  return id;
}
async function addFilter(team = t.teamId): Promise<string> {
  const id = newId();
  await database()
    .insertInto('filters')
    .values({ id, team_id: team, name: 'Video', rules: '[]', ...times() })
    .execute();
  return id;
}
async function addWebhook(team = t.teamId): Promise<string> {
  const id = newId();
  await database()
    .insertInto('custom_webhooks')
    .values({
      id,
      team_id: team,
      name: '',
      active: true,
      events: ['package.created'],
      method: 'POST',
      url: 'https://example.com/hook',
      sealed_headers: Buffer.from('sealed'),
      body_extras: '{}',
      sealed_secret: Buffer.from('sealed'),
      ...times(),
    })
    .execute();
  return id;
}

const everything = {
  message: 'Drop the cards here.',
  has_access_code: true,
  access_code: 'Blaue Stunde ☕',
  active: true,
  recipients: ['post@example.com'],
  cc_recipients: ['office@example.com'],
  has_download_password: true,
  download_password: 'open sesame',
  custom_expiry_days: 30,
  access_level: 'private' as const,
  terms_of_service_enabled: true,
  terms_of_service: { title: 'Terms', description: 'Be kind.', checkbox_label: 'I agree', checkbox_url: 'https://example.com/terms' },
  package_size_restriction_enabled: true,
  max_package_size: 10_000,
  max_file_size: 5_000,
  max_file_count: 3,
  file_type_restriction_enabled: true,
  file_types: ['.mov', '.MXF'],
  expiry_enabled: true,
  expiry: '2030-01-01T00:00:00.000Z',
  primary_color: '#1f6feb',
  logo_url: 'https://example.com/logo.svg',
  background_url: 'http://example.com/back.jpg',
};

describe('a new Portal', () => {
  it('has the defaults of the contract for what is left out', async () => {
    const subdomain = freeSubdomain();
    const { status, body } = await askPortal(t, { subdomain });
    expect(status).toBe(201);
    const { id, created_at, updated_at, ...rest } = body;
    expect(rest).toEqual({
      team_id: t.teamId,
      name: 'Northlight dailies',
      subdomain,
      message: '',
      has_access_code: false,
      access_code: '',
      active: false,
      recipients: [],
      cc_recipients: [],
      has_download_password: false,
      download_password: '',
      custom_expiry_days: 0,
      access_level: 'regular',
      access_list: [],
      teamspace_id: '',
      terms_of_service_enabled: false,
      terms_of_service: { title: '', description: '', checkbox_label: '', checkbox_url: '' },
      package_size_restriction_enabled: false,
      max_package_size: 0,
      max_file_size: 0,
      max_file_count: 0,
      max_storage: 0,
      file_type_restriction_enabled: false,
      file_types: [],
      expiry_enabled: false,
      expiry: unsetDateTime,
      primary_color: '',
      logo_url: '',
      background_url: '',
      name_pattern: '',
      name_pattern_label: '',
      name_pattern_example: '',
      cloud_connections: [],
      custom_webhooks: [],
    });
    expect(updated_at).toBe(created_at);
    expect((await read(id)).body).toEqual(body);
  });

  it('keeps all that is set, each address and type once, and never shows its download password', async () => {
    const [teamspace, tag, connection, filter, webhook] = [
      await addTeamspace(),
      await addTag(),
      await addConnection(),
      await addFilter(),
      await addWebhook(),
    ];
    const { body } = await askPortal(t, {
      ...everything,
      recipients: ['post@example.com', 'POST@example.com', 'dit@example.com'],
      file_types: ['.mov', '.MOV', '.MXF'],
      access_list: [t.userId, t.userId],
      teamspace_id: teamspace,
      tag: { id: tag },
      configure_cloud_connections: true,
      cloud_connections: [{ id: connection, target_action: 'transfer', filter_id: filter }],
      custom_webhooks: [{ id: webhook }],
      unknown: 'ignored',
    });
    expect(body).toMatchObject({
      ...everything,
      download_password: '****',
      recipients: ['post@example.com', 'dit@example.com'],
      access_list: [t.userId],
      teamspace_id: teamspace,
      tag: { id: tag, name: `Urgent ${tag}` },
      cloud_connections: [{ id: connection, target_action: 'transfer', filter_id: filter }],
      custom_webhooks: [{ id: webhook }],
    });
    expect(body).not.toHaveProperty('unknown');
    const row = await database().selectFrom('portals').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow();
    expect(row.download_password_hash).toMatch(/^\$argon2id\$/);
    expect(JSON.stringify(row)).not.toContain('open sesame');
  });

  it('has a subdomain that no other Portal has, also when two are made at once', async () => {
    const subdomain = freeSubdomain();
    const both = await Promise.all([askPortal(t, { subdomain }), askPortal(t, { subdomain }), askPortal(t, { subdomain })]);
    expect(both.map((answer) => answer.status).sort()).toEqual([201, 409, 409]);
    expect(both.find((answer) => answer.status === 409)).toMatchObject(saying(409, `subdomain: ${subdomain} is taken`));
    const other = await newPortal(t);
    expect(await update(other.id, { subdomain })).toMatchObject(saying(409, 'subdomain'));
    expect((await read(other.id)).body).toEqual(other);
  });

  it.each<[string, Record<string, unknown>]>([
    ['subdomain', { subdomain: 'ab' }],
    ['subdomain', { subdomain: 'Upper' }],
    ['subdomain', { subdomain: 'x'.repeat(54) }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(256) }],
    ['recipients[0]', { recipients: ['nobody'] }],
    ['cc_recipients[1]', { cc_recipients: ['a@example.com', 'a@example.com\r\nBcc: b@example.com'] }],
    ['custom_expiry_days', { custom_expiry_days: -2 }],
    ['custom_expiry_days', { custom_expiry_days: 65_536 }],
    ['access_level', { access_level: 'secret' }],
    ['access_code', { has_access_code: true }],
    ['access_code', { has_access_code: true, access_code: '' }],
    ['download_password', { has_download_password: true }],
    ['download_password', { download_password: '****', has_download_password: true }],
    ['expiry', { expiry_enabled: true }],
    ['expiry', { expiry: 'soon' }],
    ['expiry', { expiry: '2026-06-30T23:59:60Z' }],
    ['file_types', { file_type_restriction_enabled: true }],
    ['file_types[0]', { file_types: ['mov'] }],
    ['file_types[0]', { file_types: ['.tar.gz'] }],
    ['max_file_size', { max_file_size: -1 }],
    ['max_file_count', { max_file_count: 1.5 }],
    ['primary_color', { primary_color: 'red' }],
    ['logo_url', { logo_url: 'javascript:alert(1)' }],
    ['background_url', { background_url: 'data:text/html,x' }],
    ['background_url', { background_url: '//example.com/x.png' }],
    ['terms_of_service.checkbox_url', { terms_of_service: { ...everything.terms_of_service, checkbox_url: 'file:///etc/passwd' } }],
    ['terms_of_service.title', { terms_of_service: { ...everything.terms_of_service, title: 'a\0b' } }],
    ['terms_of_service.description', { terms_of_service: { ...everything.terms_of_service, description: '\ud800' } }],
    ['NUL', { message: 'a\0b' }],
    ['active', { active: 'yes' }],
  ])('is refused with a wrong %s', async (field, fields) => {
    const subdomain = freeSubdomain();
    expect(await askPortal(t, { subdomain, ...fields })).toMatchObject(saying(400, field));
    const made = await database().selectFrom('portals').select('id').where('subdomain', '=', subdomain).execute();
    expect(made).toEqual([]);
  });

  it('is refused for more recipients than its Team may send to', async () => {
    await database().updateTable('teams').set({ max_email_recipients: 1 }).where('id', '=', t.teamId).execute();
    try {
      const fields = { recipients: ['a@example.com'], cc_recipients: ['A@example.com'] };
      expect((await askPortal(t, fields)).status).toBe(201);
      expect(await askPortal(t, { ...fields, cc_recipients: ['b@example.com'] })).toMatchObject(saying(400, 'recipients'));
    } finally {
      await database().updateTable('teams').set({ max_email_recipients: 500 }).where('id', '=', t.teamId).execute();
    }
  });

  it("takes nothing that is another Team's, or of nobody, and names the field", async () => {
    const stranger = await addUser(t, 'member', otherTeam);
    const connection = await addConnection();
    const cases: [string, Record<string, unknown>][] = [
      ['teamspace_id', { teamspace_id: await addTeamspace(otherTeam) }],
      ['teamspace_id', { teamspace_id: 'nonsense' }],
      ['tag.id', { tag: { id: await addTag(otherTeam) } }],
      ['access_list[1]', { access_list: [t.userId, stranger.userId] }],
      ['access_list[0]', { access_list: ['nonsense'] }],
      ['custom_webhooks[0].id', { custom_webhooks: [{ id: await addWebhook(otherTeam) }] }],
      ['cloud_connections[0].id', { cloud_connections: [{ id: await addConnection({ team: otherTeam }), target_action: 'transfer' }] }],
      ['cloud_connections[0].id', { cloud_connections: [{ id: await addConnection({ deleted: true }), target_action: 'transfer' }] }],
      ['cloud_connections[0].id', { cloud_connections: [{ id: randomUUID(), target_action: 'transfer' }] }],
      [
        'cloud_connections[0].filter_id',
        { cloud_connections: [{ id: connection, target_action: 'transfer', filter_id: await addFilter(otherTeam) }] },
      ],
    ];
    for (const [field, fields] of cases) {
      const subdomain = freeSubdomain();
      expect(await askPortal(t, { subdomain, configure_cloud_connections: true, ...fields })).toMatchObject(saying(404, field));
      expect((await t.call('GET', `/v1/subdomains/portals/${subdomain}`)).status).toBe(404);
    }
  });

  it('takes no connections that it would not read: a new Portal has none that stay', async () => {
    const cloud_connections = [{ id: await addConnection(), target_action: 'transfer' }];
    for (const more of [{}, { configure_cloud_connections: false }]) {
      const subdomain = freeSubdomain();
      expect(await askPortal(t, { subdomain, cloud_connections, ...more })).toMatchObject(saying(400, 'cloud_connections: '));
      expect((await t.call('GET', `/v1/subdomains/portals/${subdomain}`)).status).toBe(404);
      expect((await askPortal(t, { cloud_connections: [], ...more })).status).toBe(201);
    }
  });

  it.each(['-north', 'north-', '---', 'xn--pypal-4ve', 'ab--cd', 'a.b', 'a_b', 'North', 'nörd', 'ab', 'a'.repeat(54), ''])(
    'takes no subdomain %j',
    async (subdomain) => {
      expect(await askPortal(t, { subdomain })).toMatchObject(saying(400, 'subdomain'));
      const portal = await newPortal(t);
      expect(await update<unknown>(portal.id, { subdomain })).toMatchObject(saying(400, 'subdomain'));
    },
  );

  it('keeps a subdomain from when all were taken, and is found by it', async () => {
    const portal = await newPortal(t);
    const subdomain = `-${portal.subdomain}`;
    await database().updateTable('portals').set({ subdomain }).where('id', '=', portal.id).execute();
    expect((await update(portal.id, { ...(await read(portal.id)).body, name: 'Changed' })).body).toMatchObject({
      subdomain,
      name: 'Changed',
    });
    expect((await t.call('GET', `/v1/subdomains/portals/${subdomain}`)).body).toMatchObject({ id: portal.id });
  });

  it('takes no connection that collects, and none twice', async () => {
    const collecting = { id: await addConnection({ direction: 'cloud_to_service' }), target_action: 'transfer' };
    const fine = { id: await addConnection(), target_action: 'transfer' };
    const switched = { configure_cloud_connections: true };
    expect(await askPortal(t, { ...switched, cloud_connections: [fine, collecting] })).toMatchObject(
      saying(400, 'cloud_connections[1].id'),
    );
    expect(await askPortal(t, { ...switched, cloud_connections: [fine, fine] })).toMatchObject(saying(400, 'named twice'));
    const webhook = { id: await addWebhook() };
    expect(await askPortal(t, { custom_webhooks: [webhook, webhook] })).toMatchObject(saying(400, 'custom_webhooks[1].id'));
  });

  it('is made once for one Idempotency-Key', async () => {
    const body = { name: 'Once', subdomain: freeSubdomain(), download_password: 'open sesame' };
    const ask = () => t.call<Portal>('POST', `/v1/teams/${t.teamId}/portals`, { headers: { ...key(), 'idempotency-key': 'portal' }, body });
    const [first, second] = [await ask(), await ask()];
    expect(first.status).toBe(201);
    expect(second.body).toEqual(first.body);
  });
});

describe('changing a Portal', () => {
  it('read, changed and sent back whole, it is what it was but for the change', async () => {
    const before = await newPortal(t, { ...everything, access_list: [t.userId], custom_webhooks: [{ id: await addWebhook() }] });
    const { status, body } = await update(before.id, { ...before, message: 'Only camera B.' });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, message: 'Only camera B.', updated_at: body.updated_at });
    const hash = () =>
      database().selectFrom('portals').select('download_password_hash').where('id', '=', before.id).executeTakeFirstOrThrow();
    const kept = await hash();
    await update(before.id, { ...body, download_password: 'another one' });
    expect(await hash()).not.toEqual(kept);
  });

  it('leaves what is left out, field by field', async () => {
    const before = await newPortal(t, { ...everything, tag: { id: await addTag() }, teamspace_id: await addTeamspace() });
    const { body } = await update(before.id, {});
    expect(body).toEqual({ ...before, updated_at: body.updated_at });
  });

  it('takes away tag and Teamspace by an empty id, and forgets a code or password that is turned off', async () => {
    const before = await newPortal(t, { ...everything, tag: { id: await addTag() }, teamspace_id: await addTeamspace() });
    const { body } = await update(before.id, {
      tag: { id: '' },
      teamspace_id: '',
      has_access_code: false,
      has_download_password: false,
      custom_expiry_days: 0,
      expiry_enabled: false,
      expiry: unsetDateTime,
    });
    expect(body).not.toHaveProperty('tag');
    expect(body).toMatchObject({
      teamspace_id: '',
      access_code: '',
      download_password: '',
      has_download_password: false,
      custom_expiry_days: 0,
      expiry: unsetDateTime,
    });
    expect(await update(before.id, { has_download_password: true, download_password: '****' })).toMatchObject(
      saying(400, 'download_password'),
    );
  });

  it('turns a code or a password on by sending it', async () => {
    const portal = await newPortal(t, { access_code: 'cards', download_password: 'sesame' });
    expect(portal).toMatchObject({ has_access_code: true, access_code: 'cards', has_download_password: true, download_password: '****' });
    expect((await update(portal.id, { access_code: '', download_password: '' })).body).toMatchObject({
      has_access_code: false,
      has_download_password: false,
    });
  });

  it('attaches and detaches connections only with configure_cloud_connections', async () => {
    const portal = await newPortal(t);
    const [a, b] = [await addConnection(), await addConnection()];
    const filter_id = await addFilter();
    const item = (id: string, more = {}) => ({ id, target_action: 'transfer', ...more });
    expect((await update(portal.id, { cloud_connections: [item(a)] })).body.cloud_connections).toEqual([]);
    expect((await update(portal.id, { configure_cloud_connections: false, cloud_connections: [item(a)] })).body.cloud_connections).toEqual(
      [],
    );
    const list = [item(b, { filter_id }), item(a)];
    expect((await update(portal.id, { configure_cloud_connections: true, cloud_connections: list })).body.cloud_connections).toEqual(list);
    expect((await update(portal.id, { name: 'Other' })).body.cloud_connections).toEqual(list);
    // Without filter_id the connection has no filter any more.
    const bare = [item(b)];
    expect((await update(portal.id, { configure_cloud_connections: true, cloud_connections: bare })).body.cloud_connections).toEqual(bare);
    await database().updateTable('cloud_connections').set({ deleted_at: new Date() }).where('id', '=', b).execute();
    expect((await read(portal.id)).body.cloud_connections).toEqual([]);
    expect((await update(portal.id, { configure_cloud_connections: true, cloud_connections: [] })).body.cloud_connections).toEqual([]);
  });

  it('takes the full list of webhooks, and leaves them where the property is left out', async () => {
    const [a, b] = [await addWebhook(), await addWebhook()];
    const portal = await newPortal(t, { custom_webhooks: [{ id: b }, { id: a }] });
    expect((await update(portal.id, { name: 'x' })).body.custom_webhooks).toEqual([{ id: b }, { id: a }]);
    expect((await update(portal.id, { custom_webhooks: [{ id: a }] })).body.custom_webhooks).toEqual([{ id: a }]);
    expect((await update(portal.id, { custom_webhooks: [] })).body.custom_webhooks).toEqual([]);
  });

  it('changes nothing when one field is refused', async () => {
    const before = await newPortal(t, { custom_webhooks: [{ id: await addWebhook() }] });
    expect((await update(before.id, { name: 'Other', custom_webhooks: [{ id: await addWebhook(otherTeam) }] })).status).toBe(404);
    expect((await read(before.id)).body).toEqual(before);
  });

  it('concurrently loses none of the changes', async () => {
    const portal = await newPortal(t);
    const changes = [
      { message: 'a' },
      { recipients: ['a@example.com'] },
      { max_file_count: 7 },
      { primary_color: '#000000' },
      { name: 'n' },
    ];
    const answers = await Promise.all(changes.map((change) => update(portal.id, change)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
    expect((await read(portal.id)).body).toMatchObject(Object.assign({}, ...changes));
  });

  it('no longer shows people in its access list who have left the Team', async () => {
    const person = await addUser(t, 'member');
    const portal = await newPortal(t, { access_level: 'private', access_list: [person.userId, t.userId] });
    expect(portal.access_list.toSorted()).toEqual([person.userId, t.userId].sort());
    await database().deleteFrom('memberships').where('user_id', '=', person.userId).execute();
    expect((await read(portal.id)).body.access_list).toEqual([t.userId]);
  });
});

describe('deleting a Portal', () => {
  it('frees its subdomain and keeps the packages that came in through it', async () => {
    const portal = await newPortal(t);
    const made = await t.call<{ id: string }>('POST', `/v1/teams/${t.teamId}/packages`, {
      headers: key(),
      body: { name: 'x', description: '', recipients: [] },
    });
    await database().updateTable('packages').set({ portal_id: portal.id, through_portal: true }).where('id', '=', made.body.id).execute();
    expect((await t.call('DELETE', `/v1/portals/${portal.id}`, { headers: key() })).status).toBe(204);
    expect((await read(portal.id)).status).toBe(404);
    expect((await t.call('DELETE', `/v1/portals/${portal.id}`, { headers: key() })).status).toBe(404);
    expect((await askPortal(t, { subdomain: portal.subdomain })).status).toBe(201);
    const row = await database().selectFrom('packages').selectAll().where('id', '=', made.body.id).executeTakeFirstOrThrow();
    expect(row).toMatchObject({ portal_id: null, through_portal: true });
  });
});

describe('the public view', () => {
  it('has what the page needs and nothing secret', async () => {
    const { has_access_code: _, access_code: __, ...open } = everything;
    const portal = await newPortal(t, {
      ...open,
      access_list: [t.userId],
      tag: { id: await addTag() },
      custom_webhooks: [{ id: await addWebhook() }],
    });
    const { status, body } = await t.call<PublicPortal>('GET', `/v1/portals/${portal.id}`);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(
      [
        'id',
        'name',
        'subdomain',
        'message',
        'active',
        'has_access_code',
        'terms_of_service_enabled',
        'terms_of_service',
        'package_size_restriction_enabled',
        'max_package_size',
        'max_file_size',
        'max_file_count',
        'file_type_restriction_enabled',
        'file_types',
        'expiry_enabled',
        'expiry',
        'primary_color',
        'logo_url',
        'background_url',
        'name_pattern',
        'name_pattern_label',
        'name_pattern_example',
      ].sort(),
    );
    for (const [name, value] of Object.entries(body)) expect(portal[name as keyof Portal]).toEqual(value);
  });

  it('needs the access code where there is one, URI-encoded', async () => {
    const portal = await newPortal(t, everything);
    const get = (headers = {}) => t.call<PublicPortal>('GET', `/v1/portals/${portal.id}`, { headers });
    expect((await get()).status).toBe(401);
    expect((await get({ 'x-access-code': 'wrong' })).status).toBe(401);
    expect((await get({ 'x-access-code': '%E0%A4%A' })).status).toBe(401);
    const answer = await get({ 'x-access-code': encodeURIComponent(everything.access_code) });
    expect(answer).toMatchObject({ status: 200, body: { id: portal.id, has_access_code: true } });
    expect(answer.body).not.toHaveProperty('access_code');
    expect(answer.body).not.toHaveProperty('recipients');
  });

  it('shows everybody its cover and no more, also before the access code', async () => {
    const portal = await newPortal(t, {
      name: '<b>Northlight</b>',
      message: 'All of the day, please.',
      primary_color: '#7a2e8f',
      logo_url: 'https://example.com/logo.svg',
      access_code: 'Code',
      file_types: ['.mov'],
      file_type_restriction_enabled: true,
    });
    const { status, body } = await t.call('GET', `/v1/subdomains/portals/${portal.subdomain}`);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: portal.id,
        cover: {
          name: '<b>Northlight</b>',
          message: 'All of the day, please.',
          primary_color: '#7a2e8f',
          logo_url: 'https://example.com/logo.svg',
          background_url: '',
        },
      },
    });
  });

  it('shows that the Portal is closed, so that its page can say so', async () => {
    const portal = await newPortal(t, { active: false });
    expect(await t.call('GET', `/v1/portals/${portal.id}`)).toMatchObject({ status: 200, body: { active: false } });
  });

  it('is found by its subdomain', async () => {
    const portal = await newPortal(t);
    expect(await t.call('GET', `/v1/subdomains/portals/${portal.subdomain}`)).toMatchObject({ status: 200, body: { id: portal.id } });
    expect((await t.call('GET', `/v1/subdomains/portals/${freeSubdomain()}`)).status).toBe(404);
    expect((await t.call('GET', '/v1/subdomains/portals/NOT_ONE')).status).toBe(400);
  });
});

describe('who manages Portals', () => {
  it.each<[Role, boolean]>([
    ['owner', true],
    ['admin', true],
    ['integration_manager', true],
    ['member', false],
    ['guest', false],
  ])('%s: %s', async (role, may) => {
    const portal = await newPortal(t);
    const headers = { 'x-user-token': (await addUser(t, role)).token };
    const statuses = [
      (await t.call('GET', `/v1/portals/${portal.id}`, { headers })).status,
      (await t.call('PUT', `/v1/portals/${portal.id}`, { headers, body: {} })).status,
      (await t.call('GET', `/v1.1/teams/${t.teamId}/portals`, { headers })).status,
      (await t.call('GET', `/v1/teams/${t.teamId}/portals`, { headers })).status,
      (await t.call('POST', `/v1/teams/${t.teamId}/portals`, { headers, body: { name: 'x', subdomain: freeSubdomain() } })).status,
      (await t.call('DELETE', `/v1/portals/${portal.id}`, { headers })).status,
    ];
    expect(statuses).toEqual(may ? [200, 200, 200, 200, 201, 204] : [403, 403, 403, 403, 403, 403]);
  });

  it('404 to users of another Team, as for unknown Portals', async () => {
    const portal = await newPortal(t);
    const headers = { 'x-user-token': (await addUser(t, 'owner', otherTeam)).token };
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { name: 'Mine' } : undefined;
      const theirs = await t.call<{ message: string }>(method, `/v1/portals/${portal.id}`, { headers, body });
      const nothing = await t.call<{ message: string }>(method, `/v1/portals/${newId()}`, { headers, body });
      expect(theirs).toMatchObject({ status: 404, body: nothing.body });
    }
    expect((await read(portal.id)).body).toEqual(portal);
  });
});
